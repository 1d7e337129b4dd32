package flightsql

import (
	"context"

	"github.com/agnes-data/da/source"
)

var _ source.Prober = (*FlightSQL)(nil)

// Probe implements source.Prober. It runs a statement, because the protocol has no
// call that every engine answers and that checks the credentials.
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
