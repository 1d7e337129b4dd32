package postgres

import (
	"context"

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
	sql, err := r.statement(scan, r.from())
	if err != nil {
		finish(conn)
		return nil, err
	}
	columns := make([]column, len(scan.Select))
	for i, name := range scan.Select {
		columns[i], _ = r.column(name)
	}
	rs, err := p.split(ctx, conn.Conn(), r, scan)
	if err != nil {
		abandon(conn)
		return nil, failure(ctx, err, asked)
	}
	if rs != nil {
		return p.together(ctx, conn, rs, columns, asked)
	}
	return run(ctx, conn, once(sql), columns, asked)
}

// statement writes the SELECT of a scan of the relation, or of a part of it.
func (r *relation) statement(scan source.Scan, from string) (string, error) {
	if err := r.has(scan.Relation, scan.Columns()); err != nil {
		return "", err
	}
	items := make([]string, len(scan.Select))
	for i, name := range scan.Select {
		c, _ := r.column(name)
		items[i] = c.expr()
	}
	return scan.SQL(source.Selecting{Dialect: predicate.Postgres, Items: items, From: from, Barrier: barrier})
}
