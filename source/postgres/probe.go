package postgres

import (
	"context"

	"github.com/agnes-data/da/source"
)

var _ source.Prober = (*Postgres)(nil)

// Probe implements source.Prober: it begins as each request does.
func (p *Postgres) Probe(ctx context.Context) error {
	conn, err := p.begin(ctx)
	if err == nil {
		finish(conn)
	}
	return err
}
