package mariadb

import (
	"context"

	"github.com/agnes-data/da/source"
)

var _ source.Prober = (*MariaDB)(nil)

// Probe implements source.Prober. Connecting also configures the session, so it
// fails on a server that does not know these settings.
func (m *MariaDB) Probe(ctx context.Context) error {
	if err := m.db.PingContext(ctx); err != nil {
		return failure(ctx, err, true)
	}
	return nil
}
