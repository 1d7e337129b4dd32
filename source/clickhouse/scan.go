package clickhouse

import (
	"context"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// barrier ends a subquery that returns only rows visible to the caller. The engine moves
// no condition into a subquery that has a LIMIT, so the caller's expressions are not
// evaluated on hidden rows, where an error would reveal what is in them.
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
		// A name of its own: one that is a column's would stand for it in the predicate.
		items = append(items, of(c.codec.cast, "src."+quote(c.Name))+" AS da_"+strconv.Itoa(i))
	}
	reads := scan.Reads()
	var keys map[string]string
	scan.OrderBy, keys = r.ordered(scan.OrderBy)
	p.sql, err = scan.SQL(source.Selecting{Dialect: predicate.ClickHouse, Items: items, From: r.from(reads, keys), Barrier: barrier})
	return p, err
}

// ordered orders values as DuckDB does: NaN above all numbers, UUIDs by their digits.
// keys are the names of what does that, by column.
func (r *relation) ordered(by []predicate.Order) (order []predicate.Order, keys map[string]string) {
	keys = map[string]string{}
	for _, o := range by {
		c, err := source.Column(source.Relation{}, r.columns, o.Column)
		if err == nil && c.codec.key != "" {
			key := o
			for key.Column += " key"; slices.ContainsFunc(r.columns, func(c column) bool { return c.Name == key.Column }); {
				key.Column += "_"
			}
			keys[o.Column] = key.Column
			order = append(order, key)
		}
		order = append(order, o)
	}
	return order, keys
}

// Scan implements source.Source.
func (c *ClickHouse) Scan(ctx context.Context, scan source.Scan) (array.RecordReader, error) {
	r, err := c.describe(ctx, scan.Relation.Name)
	if err != nil {
		return nil, err
	}
	p, err := r.plan(scan)
	if err != nil {
		return nil, err
	}
	seesAll := scan.Relation.Whole()
	a, err := c.ask(ctx, p.sql, "ArrowStream")
	if err != nil {
		return nil, failure(ctx, err, seesAll)
	}
	out, err := newReader(ctx, a, p.columns, scan.Limit, seesAll)
	if err != nil {
		a.stop()
		return nil, err
	}
	return out, nil
}

// Sample reads the first rows that the engine finds.
func (c *ClickHouse) Sample(ctx context.Context, rel source.Relation, n int) (array.RecordReader, error) {
	r, err := c.describe(ctx, rel.Name)
	if err != nil {
		return nil, err
	}
	return c.Scan(ctx, source.FirstRows(rel, r.columns, n))
}

// Estimate asks the engine which parts of a table it would read. A row is counted if it
// is stored beside one that may fit, so the number is a bound. Nothing is billed.
func (c *ClickHouse) Estimate(ctx context.Context, scan source.Scan) (*api.Estimate, error) {
	r, err := c.describe(ctx, scan.Relation.Name)
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
	if !merges(r.Engine) {
		return e, nil
	}
	read := r.Rows // all: the catalog knows how many
	if scan.Where != nil || scan.Limit != nil || read == nil {
		list, err := rows[struct{ Rows int64 }](ctx, c, "SELECT sum(rows) AS Rows FROM (EXPLAIN ESTIMATE "+p.sql+")")
		if err != nil || len(list) != 1 {
			return e, failure(ctx, err, scan.Relation.Whole())
		}
		read = &list[0].Rows
	}
	if scan.Limit == nil || *read < *scan.Limit {
		e.RowsUpperBound = read
	}
	if r.Rows != nil && *r.Rows > 0 && r.Bytes != nil {
		stored := *r.Bytes // the engine does not know which of it belongs to a column in small parts
		for _, col := range r.columns {
			if !slices.Contains(scan.Columns(), col.Name) {
				stored -= col.bytes
			}
		}
		size := int64(float64(stored) * float64(*read) / float64(*r.Rows))
		e.ScanBytes = &size
	}
	return e, nil
}
