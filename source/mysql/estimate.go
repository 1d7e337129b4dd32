package mysql

import (
	"context"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// Estimate tells what is known without reading: the engine reads the whole
// table, since texts leave it under another collation than its indexes have,
// and bills nothing. How many rows hold a predicate its planner only guesses,
// so nothing is said of it.
func (m *MySQL) Estimate(ctx context.Context, scan source.Scan) (*api.Estimate, error) {
	r, err := m.describe(ctx, scan.Relation.Name)
	if err != nil {
		return nil, err
	}
	if _, err := r.plan(scan); err != nil {
		return nil, err
	}
	nothing := int64(0)
	e := &api.Estimate{BilledBytes: &nothing, RowsUpperBound: scan.Limit}
	if scan.Relation.Rule == nil {
		e.ScanBytes = r.bytes
	}
	return e, nil
}
