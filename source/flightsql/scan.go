package flightsql

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// barriers end a subquery whose rows are all that the caller may know of: the
// engine moves no condition below them, where it could fail on other rows and
// so tell what is in them.
var barriers = map[predicate.Dialect]string{predicate.DuckDB: " LIMIT 9223372036854775807", predicate.Postgres: " OFFSET 0"}

// plan is a scan as a statement.
func (f *FlightSQL) plan(r *relation, scan source.Scan) (w work, err error) {
	d, rel := f.o.Dialect, scan.Relation
	w.seesAll, w.ordered, w.names = rel.Whole(), scan.Ordered(), scan.Select
	named := append(append([]string{}, scan.Select...), predicate.Columns(scan.Where)...)
	for _, o := range scan.OrderBy {
		named = append(named, o.Column)
	}
	for _, name := range named {
		if _, err := r.column(rel, name); err != nil {
			return w, err
		}
	}
	var items []string
	for _, name := range scan.Select {
		c, err := r.column(rel, name)
		if err != nil {
			return w, err
		}
		items = append(items, c.expr)
		if c.warning != "" {
			w.warnings = append(w.warnings, c.warning)
		}
	}
	var b strings.Builder
	b.WriteString("SELECT " + strings.Join(items, ", ") + " FROM ")
	where := scan.Where
	if rel.Rule == nil {
		b.WriteString(r.from(d))
	} else {
		var safe predicate.Expr
		safe, where = source.Apart(where)
		text, err := predicate.Print(d, predicate.And(rel.Rule, safe), scan.Env)
		if err != nil {
			return w, err
		}
		b.WriteString("(SELECT * FROM " + r.from(d) + " WHERE " + text)
		if where != nil {
			b.WriteString(barriers[d])
		}
		b.WriteString(")")
	}
	b.WriteString(" AS src")
	if where != nil {
		text, err := predicate.Print(d, where, scan.Env)
		if err != nil {
			return w, err
		}
		b.WriteString(" WHERE " + text)
	}
	for i, o := range scan.OrderBy {
		// Without the prefix it would be the select item of that name, which
		// may be a cast with an order of its own.
		b.WriteString([]string{" ORDER BY ", ", "}[min(i, 1)] + "src." + predicate.PrintOrder(d, []predicate.Order{o}))
	}
	if scan.Limit != nil {
		fmt.Fprintf(&b, " LIMIT %d", max(*scan.Limit, 0))
	}
	w.sql = b.String()
	return w, nil
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

// Sample reads the first rows that the engine comes upon.
func (f *FlightSQL) Sample(ctx context.Context, rel source.Relation, n int) (array.RecordReader, error) {
	r, err := f.describe(ctx, rel.Name)
	if err != nil {
		return nil, err
	}
	limit := int64(n)
	scan := source.Scan{Relation: rel, Limit: &limit}
	scan.Select = r.visible(rel)
	return f.read(ctx, r, scan)
}

// Estimate knows the limit and nothing else: the protocol has estimates of a
// statement only once it runs, and the engine's bill is unknown to it.
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
