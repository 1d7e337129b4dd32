package flightsql

import (
	"context"

	"github.com/agnes-data/da/source"
)

var _ source.Prober = (*FlightSQL)(nil)

// Probe implements source.Prober. The protocol has no call that each engine
// answers and that tells whether it takes the credentials; a statement does.
func (f *FlightSQL) Probe(ctx context.Context) error {
	r, err := f.run(ctx, work{sql: "SELECT 1", seesAll: true})
	if err != nil {
		return err
	}
	defer r.Release()
	for r.Next() {
		continue
	}
	return r.Err()
}
