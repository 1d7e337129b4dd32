package flightsql

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// barriers end a subquery that returns only rows visible to the caller, in each
// dialect. The engine moves no condition into such a subquery, where it could fail
// on a hidden row and reveal what is in it.
var barriers = map[predicate.Dialect]string{predicate.DuckDB: " LIMIT 9223372036854775807", predicate.Postgres: " OFFSET 0"}

// plan is a scan written as a statement.
func (f *FlightSQL) plan(r *relation, scan source.Scan) (w work, err error) {
	d, rel := f.o.Dialect, scan.Relation
	w.seesAll, w.ordered, w.names = rel.Whole(), scan.Ordered(), scan.Select
	columns, err := source.Selected(scan, r.columns)
	if err != nil {
		return w, err
	}
	var items []string
	for _, c := range columns {
		items = append(items, c.expr)
		if c.warning != "" {
			w.warnings = append(w.warnings, c.warning)
		}
	}
	w.sql, err = scan.SQL(source.Selecting{Dialect: d, Items: items, From: r.from(d), Barrier: barriers[d]})
	return w, err
}

// Scan implements source.Source.
func (f *FlightSQL) Scan(ctx context.Context, scan source.Scan) (array.RecordReader, error) {
	r, err := f.describe(ctx, scan.Relation.Name)
	if err != nil {
		return nil, err
	}
	return f.read(ctx, r, scan)
}

func (f *FlightSQL) read(ctx context.Context, r *relation, scan source.Scan) (array.RecordReader, error) {
	w, err := f.plan(r, scan)
	if err != nil {
		return nil, err
	}
	return f.run(ctx, w)
}

// Sample reads the first rows that the engine finds.
func (f *FlightSQL) Sample(ctx context.Context, rel source.Relation, n int) (array.RecordReader, error) {
	r, err := f.describe(ctx, rel.Name)
	if err != nil {
		return nil, err
	}
	return f.read(ctx, r, source.FirstRows(rel, r.columns, n))
}

// Estimate returns only the limit: the protocol estimates a statement only once it
// runs, and the engine's costs are unknown.
func (f *FlightSQL) Estimate(ctx context.Context, scan source.Scan) (*api.Estimate, error) {
	r, err := f.describe(ctx, scan.Relation.Name)
	if err != nil {
		return nil, err
	}
	if _, err := f.plan(r, scan); err != nil {
		return nil, err
	}
	return &api.Estimate{RowsUpperBound: scan.Limit}, nil
}
