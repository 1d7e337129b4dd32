package postgres

import (
	"context"
	"errors"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/jackc/pgx/v5"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// barrier ends a subquery that returns only rows visible to the caller. The engine
// moves no condition into a subquery that has an OFFSET.
const barrier = " OFFSET 0"

// Scan starts reading.
func (p *Postgres) Scan(ctx context.Context, scan source.Scan) (array.RecordReader, error) {
	return p.read(ctx, scan.Relation, func(*relation) source.Scan { return scan })
}

// Sample reads the first rows that the engine finds; it sorts nothing.
func (p *Postgres) Sample(ctx context.Context, rel source.Relation, n int) (array.RecordReader, error) {
	return p.read(ctx, rel, func(r *relation) source.Scan { return source.FirstRows(rel, r.columns, n) })
}

// work is a scan that is ready to run. It runs on the connection that described
// its relation, so that the rows match the description.
type work struct {
	relation *relation
	sql      string
	columns  []column
	ranges   *ranges // used instead of sql; nil: the relation is read as a whole
}

// read runs the wanted scan of a relation.
func (p *Postgres) read(ctx context.Context, rel source.Relation, wanted func(*relation) source.Scan) (array.RecordReader, error) {
	conn, err := p.begin(ctx)
	if err != nil {
		return nil, err
	}
	asked := asking{seesAll: rel.Whole()}
	plan := func() (work, error) { return p.plan(ctx, conn.Conn(), rel.Name, wanted) }
	w, err := plan()
	if err == nil && w.ranges != nil {
		w, err = p.agree(ctx, conn.Conn(), w, plan)
	}
	var known *api.Error
	switch {
	case errors.As(err, &known):
		finish(conn)
		return nil, err
	case err != nil:
		abandon(conn)
		return nil, failure(ctx, err, asked)
	case w.ranges != nil:
		return p.readRanges(ctx, conn, w.ranges, w.columns, asked)
	}
	return run(ctx, conn, once(w.sql), w.columns, asked)
}

// plan describes a relation and writes the statement of the wanted scan.
func (p *Postgres) plan(ctx context.Context, conn *pgx.Conn, name string, wanted func(*relation) source.Scan) (work, error) {
	r, err := describe(ctx, conn, name)
	if err != nil {
		return work{}, err
	}
	scan := wanted(r)
	if err := r.asStored(ctx, conn, scan.Relation); err != nil {
		return work{}, err
	}
	w := work{relation: r}
	if w.columns, err = source.Selected(scan, r.columns); err != nil {
		return work{}, err
	}
	if w.sql, err = r.statement(scan, r.from()); err != nil {
		return work{}, err
	}
	w.ranges, err = p.split(ctx, conn, r, scan)
	return w, err
}

// statement writes the SELECT of a scan of the relation, or of a part of it.
func (r *relation) statement(scan source.Scan, from string) (string, error) {
	columns, err := source.Selected(scan, r.columns)
	if err != nil {
		return "", err
	}
	items := make([]string, len(columns))
	for i, c := range columns {
		items[i] = c.expr()
	}
	return scan.SQL(source.Selecting{Dialect: predicate.Postgres, Items: items, From: from, Barrier: barrier})
}
