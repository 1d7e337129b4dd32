package lake

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// Scan starts reading.
func (l *Lake) Scan(ctx context.Context, scan source.Scan) (array.RecordReader, error) {
	return held(l, func(h *hold) (array.RecordReader, error) {
		t, err := l.table(ctx, h, scan.Relation.Name)
		if err != nil {
			return nil, err
		}
		return l.read(ctx, h, t, scan)
	})
}

// Sample reads the first rows that the engine comes to; it sorts nothing.
func (l *Lake) Sample(ctx context.Context, rel source.Relation, n int) (array.RecordReader, error) {
	return held(l, func(h *hold) (array.RecordReader, error) {
		t, err := l.table(ctx, h, rel.Name)
		if err != nil {
			return nil, err
		}
		limit := int64(n)
		scan := source.Scan{Relation: rel, Limit: &limit}
		for _, c := range t.columns {
			if rel.Sees(c.Name) {
				scan.Select = append(scan.Select, c.Name)
			}
		}
		return l.read(ctx, h, t, scan)
	})
}

// statement writes the SELECT of a scan over a table function that reads the
// table, or as much of it as the scan needs.
func (t *table) statement(scan source.Scan, from string) (string, error) {
	order := make([]string, len(scan.OrderBy))
	for i, o := range scan.OrderBy {
		order[i] = o.Column
	}
	for _, names := range [][]string{scan.Select, predicate.Columns(scan.Where), order} {
		if err := t.known(scan.Relation, names); err != nil {
			return "", err
		}
	}
	list := make([]string, len(scan.Select))
	for i, name := range scan.Select {
		c, _ := t.column(name)
		list[i] = c.travels.Expr
	}
	var b strings.Builder
	b.WriteString("SELECT " + strings.Join(list, ", ") + " FROM ")
	where := scan.Where
	if rule := scan.Relation.Rule; rule != nil {
		var safe predicate.Expr
		safe, where = source.Apart(where)
		text, err := predicate.Print(predicate.DuckDB, predicate.And(rule, safe), scan.Env)
		if err != nil {
			return "", err
		}
		b.WriteString("(SELECT * FROM " + from + " WHERE " + text)
		if where != nil {
			b.WriteString(barrier)
		}
		b.WriteString(") AS src")
	} else {
		b.WriteString(from + " AS src")
	}
	if where != nil {
		text, err := predicate.Print(predicate.DuckDB, where, scan.Env)
		if err != nil {
			return "", err
		}
		b.WriteString(" WHERE " + text)
	}
	for i, o := range scan.OrderBy {
		// Without the prefix it would be the select item of that name, which
		// may be a cast with an order of its own.
		b.WriteString([]string{" ORDER BY ", ", "}[min(i, 1)])
		b.WriteString("src." + predicate.PrintOrder(predicate.DuckDB, []predicate.Order{o}))
	}
	if scan.Limit != nil {
		fmt.Fprintf(&b, " LIMIT %d", max(*scan.Limit, 0))
	}
	return b.String(), nil
}

// read starts the statement of a scan and returns its rows, which keep the hold.
func (l *Lake) read(ctx context.Context, h *hold, t *table, scan source.Scan) (array.RecordReader, error) {
	sql, err := t.statement(scan, t.from)
	if err != nil {
		return nil, err
	}
	if l.mirror != nil && t.set.format == parquet {
		from, err := l.brought(ctx, h, t, scan)
		if err != nil {
			return nil, err
		}
		if sql, err = t.statement(scan, from); err != nil {
			return nil, err
		}
	}
	asked := asking{seesAll: scan.Relation.Whole(), computes: scan.Where != nil}
	s, err := l.engines.session(ctx, scan.Ordered())
	if err != nil {
		return nil, err
	}
	stream, err := s.Query(ctx, sql)
	if err != nil {
		s.done(false)
		return nil, l.failure(ctx, t, err, asked)
	}
	var warnings []string
	for _, name := range scan.Select {
		if c, _ := t.column(name); c.travels.Warning != "" {
			warnings = append(warnings, c.travels.Warning)
		}
	}
	return newReader(s, h, stream, warnings, func(err error) error { return l.failure(ctx, t, err, asked) }), nil
}
