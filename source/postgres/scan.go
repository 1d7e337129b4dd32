package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// barrier ends a subquery whose rows are all that the caller may know of: the
// engine moves no condition into a subquery that counts its rows off.
const barrier = " OFFSET 0"

// Scan starts reading.
func (p *Postgres) Scan(ctx context.Context, scan source.Scan) (array.RecordReader, error) {
	return p.read(ctx, scan.Relation, func(*relation) source.Scan { return scan })
}

// Sample reads the first rows that the engine comes to; it sorts nothing.
func (p *Postgres) Sample(ctx context.Context, rel source.Relation, n int) (array.RecordReader, error) {
	limit := int64(n)
	return p.read(ctx, rel, func(r *relation) source.Scan {
		return source.Scan{Relation: rel, Select: r.visible(rel), Limit: &limit}
	})
}

// read runs the scan that is wanted of a relation. The relation is described in
// the same transaction, so that what is decoded is what was described.
func (p *Postgres) read(ctx context.Context, rel source.Relation, wanted func(*relation) source.Scan) (array.RecordReader, error) {
	conn, err := p.begin(ctx)
	if err != nil {
		return nil, err
	}
	asked := asking{seesAll: rel.Whole()}
	r, err := describe(ctx, conn.Conn(), rel.Name)
	if err != nil {
		abandon(conn)
		return nil, failure(ctx, err, asked)
	}
	scan := wanted(r)
	sql, err := r.statement(scan)
	if err != nil {
		finish(conn)
		return nil, err
	}
	columns := make([]column, len(scan.Select))
	for i, name := range scan.Select {
		columns[i], _ = r.column(name)
	}
	return run(ctx, conn, sql, columns, notes(columns), asked)
}

// statement writes the SELECT of a scan.
func (r *relation) statement(scan source.Scan) (string, error) {
	order := make([]string, len(scan.OrderBy))
	for i, o := range scan.OrderBy {
		order[i] = o.Column
	}
	for _, names := range [][]string{scan.Select, predicate.Columns(scan.Where), order} {
		if err := r.has(scan.Relation, names); err != nil {
			return "", err
		}
	}
	var b strings.Builder
	b.WriteString("SELECT ")
	for i, name := range scan.Select {
		if i > 0 {
			b.WriteString(", ")
		}
		c, _ := r.column(name)
		b.WriteString(c.expr())
	}
	from, where := r.from(), scan.Where
	if rule := scan.Relation.Rule; rule != nil {
		var safe predicate.Expr
		safe, where = source.Apart(where)
		text, err := predicate.Print(predicate.Postgres, predicate.And(rule, safe), scan.Env)
		if err != nil {
			return "", err
		}
		from = "(SELECT * FROM " + from + " WHERE " + text
		if where != nil {
			from += barrier
		}
		from += ")"
	}
	b.WriteString(" FROM " + from + " AS src")
	if where != nil {
		text, err := predicate.Print(predicate.Postgres, where, scan.Env)
		if err != nil {
			return "", err
		}
		b.WriteString(" WHERE " + text)
	}
	for i, o := range scan.OrderBy {
		// Without the prefix it would be the select item of that name, which
		// may be a cast with an order of its own.
		b.WriteString([]string{" ORDER BY ", ", "}[min(i, 1)])
		b.WriteString("src." + predicate.PrintOrder(predicate.Postgres, []predicate.Order{o}))
	}
	if scan.Limit != nil {
		fmt.Fprintf(&b, " LIMIT %d", max(*scan.Limit, 0))
	}
	return b.String(), nil
}
