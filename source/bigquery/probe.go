package bigquery

import (
	"context"

	"github.com/agnes-data/da/source"
)

var _ source.Prober = (*BigQuery)(nil)

// Probe implements source.Prober with a dry run. It costs nothing, but needs the
// credentials and the right to run jobs in the project.
func (b *BigQuery) Probe(ctx context.Context) error {
	_, err := b.dryRun(ctx, work{sql: "SELECT 1", what: "the project " + b.o.Project, fail: func(err error) error { return err }})
	return err
}
