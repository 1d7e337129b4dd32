package dbfile

import (
	"context"

	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/interval"
	"github.com/agnes-data/da/source/listed"
)

// plan implements listed.Apart: the whole table is one file.
type plan struct {
	relation string // its name in the process
	rows     int64
	bytes    int64
	prepare  func(r *listed.Request, j *worker.Job, reads func(string) bool, rows int64) error
}

// Files implements listed.Plan.
func (p *plan) Files(ctx context.Context, _ *listed.Request, may func(listed.Group) bool) ([]listed.File, error) {
	f := listed.File{
		Group: listed.Group{Rows: p.rows, Bounds: func(string, predicate.Kind) (interval.Bounds, bool) { return interval.Bounds{}, false }},
		Size:  p.bytes, Known: true, Exact: true,
	}
	if !may(f.Group) {
		return nil, ctx.Err()
	}
	return []listed.File{f}, ctx.Err()
}

// From implements listed.Plan.
func (p *plan) From(context.Context, *listed.Request, []listed.File, string) (string, error) {
	return p.relation, nil
}

// Prepare implements listed.Apart.
func (p *plan) Prepare(r *listed.Request, j *worker.Job, reads func(string) bool, rows int64) error {
	return p.prepare(r, j, reads, rows)
}
