package mysql

import (
	"context"

	"github.com/agnes-data/da/source"
)

var _ source.Prober = (*MySQL)(nil)

// Probe implements source.Prober. Whoever connects sets the session, too, so a
// server that does not know what that takes shows itself.
func (m *MySQL) Probe(ctx context.Context) error {
	if err := m.db.PingContext(ctx); err != nil {
		return failure(ctx, err, true)
	}
	return nil
}
