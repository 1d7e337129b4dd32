package bigquery

import (
	"context"
	"math"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// BigQuery bills whole megabytes, and at least so many for each table.
const (
	billedStep  = 1 << 20
	billedLeast = 10 << 20
)

// billed is what BigQuery would bill for bytes that it reads of so many tables.
func billed(bytes int64, tables int) int64 {
	if bytes == 0 {
		return 0
	}
	return max((bytes+billedStep-1)/billedStep*billedStep, int64(max(tables, 1))*billedLeast)
}

// Estimate asks BigQuery by a dry run, which costs nothing. How many rows a
// predicate finds, nobody knows before.
func (b *BigQuery) Estimate(ctx context.Context, scan source.Scan) (*api.Estimate, error) {
	// The number of rows is part of the answer: it must be of now.
	t, err := b.tableYounger(ctx, scan.Relation.Name, b.o.Fresh)
	if err != nil {
		return nil, err
	}
	listing := int64(0)
	if scan.Traced {
		if scan, listing, err = b.untraced(ctx, t, scan); err != nil {
			return nil, err
		}
	}
	sql, err := t.statement(scan)
	if err != nil {
		return nil, err
	}
	all := t.seesAll(scan.Relation)
	s, err := b.dryRun(ctx, work{sql: sql, what: "the table " + t.name.String(), account: scan.Account,
		fail: func(err error) error { return discreet(err, all) }})
	if err != nil {
		return nil, err
	}
	e := cost(s)
	if e.BilledBytes != nil {
		*e.BilledBytes += listing
	}
	t.count(e, scan)
	return e, nil
}

// isUpperBound says that a dry run's bytes are the most that would be read. For files
// outside of BigQuery it knows only a part of them, or nothing.
func isUpperBound(accuracy string) bool { return accuracy != "LOWER_BOUND" && accuracy != "UNKNOWN" }

// count adds what the number of rows of the table tells.
func (t *table) count(e *api.Estimate, scan source.Scan) {
	everything := scan.Where == nil && scan.Relation.Rule == nil
	if t.rows != nil {
		bound := *t.rows
		e.RowsUpperBound = &bound
		if scan.Relation.Rule == nil {
			e.TableRows = t.rows
		}
	}
	if limit := scan.Limit; limit != nil && (e.RowsUpperBound == nil || *e.RowsUpperBound > *limit) {
		bound := max(*limit, 0)
		e.RowsUpperBound = &bound
	}
	if !everything || t.rows == nil {
		return
	}
	rows := *e.RowsUpperBound
	e.ResultRows, e.RowsLow, e.RowsHigh = &rows, &rows, &rows
	// What BigQuery reads of whole columns is about what Arrow takes for them.
	if e.ScanBytes != nil && *t.rows > 0 && len(scan.OrderBy) == 0 {
		bytes := int64(math.Ceil(float64(*e.ScanBytes) * float64(rows) / float64(*t.rows)))
		e.ResultBytes = &bytes
	}
}
