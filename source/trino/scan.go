package trino

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// barrier ends a subquery that returns only rows visible to the caller. The engine moves
// no condition through a LIMIT, so the caller's expressions are not evaluated on hidden
// rows, where an error would reveal what is in them.
const barrier = " LIMIT 9223372036854775807"

// plan is a scan written as a statement.
type plan struct {
	columns []column
	sql     string
}

// plan writes the statement of a scan. The names in it have been checked against the
// columns that the caller sees.
func (r *relation) plan(scan source.Scan) (*plan, error) {
	columns, err := source.Selected(scan, r.columns)
	if err != nil {
		return nil, err
	}
	p := &plan{columns: columns}
	var items []string
	for i, c := range columns {
		if c.codec.refused != "" {
			return nil, refusedColumn(c)
		}
		items = append(items, of(c.codec.cast, "src."+quote(c.Name))+" AS da_"+strconv.Itoa(i))
	}
	p.sql, err = scan.SQL(source.Selecting{Dialect: predicate.Trino, Items: items, From: r.from(scan.Reads()), Barrier: barrier})
	return p, err
}

// Scan implements source.Source.
func (t *Trino) Scan(ctx context.Context, scan source.Scan) (array.RecordReader, error) {
	r, err := t.describe(ctx, scan.Relation)
	if err != nil {
		return nil, err
	}
	p, err := r.plan(scan)
	if err != nil {
		return nil, err
	}
	seesAll := scan.Relation.Whole()
	c, first, err := t.ask(ctx, t.encoding, p.sql)
	if err != nil {
		c.stop()
		return nil, failure(ctx, err, seesAll)
	}
	out, err := newReader(ctx, c, first, p.columns, seesAll)
	if err != nil {
		c.stop()
		return nil, err
	}
	return out, nil
}

// Sample reads the first rows that the engine finds.
func (t *Trino) Sample(ctx context.Context, rel source.Relation, n int) (array.RecordReader, error) {
	r, err := t.describe(ctx, rel)
	if err != nil {
		return nil, err
	}
	return t.Scan(ctx, source.FirstRows(rel, r.columns, n))
}

// Estimate returns how many bytes the engine takes a scan to read, where the statistics
// of its tables tell. Nothing is billed.
func (t *Trino) Estimate(ctx context.Context, scan source.Scan) (*api.Estimate, error) {
	r, err := t.describe(ctx, scan.Relation)
	if err != nil {
		return nil, err
	}
	p, err := r.plan(scan)
	if err != nil {
		return nil, err
	}
	nothing := int64(0)
	e := &api.Estimate{BilledBytes: &nothing, RowsUpperBound: scan.Limit}
	if scan.Relation.Rule != nil {
		return e, nil // how many there are is hidden
	}
	rows, err := t.table(ctx, "EXPLAIN (TYPE IO, FORMAT JSON) "+p.sql)
	if err != nil {
		return nil, failure(ctx, err, scan.Relation.Whole())
	}
	if len(rows) == 1 && len(rows[0]) == 1 && rows[0][0] != nil {
		e.ScanBytes = read(*rows[0][0])
	}
	return e, nil
}

// read sums the bytes of the tables in the explanation of a statement; nil if one of
// them is not known.
func read(explained string) *int64 {
	var io struct {
		Tables []struct {
			Estimate struct {
				Size any `json:"outputSizeInBytes"`
			}
		} `json:"inputTableColumnInfos"`
	}
	if json.Unmarshal([]byte(explained), &io) != nil || len(io.Tables) == 0 {
		return nil
	}
	var sum int64
	for _, t := range io.Tables {
		size, known := t.Estimate.Size.(float64) // "NaN" is a text
		if !known || size < 0 || size > 1<<60 {
			return nil
		}
		sum += int64(size)
	}
	return &sum
}
