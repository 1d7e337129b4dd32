package mariadb

import (
	"context"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// Estimate returns what is known without reading. The engine reads the whole
// table, because its indexes have other collations than the texts that are
// compared, and it bills nothing. The number of matching rows is unknown: the
// planner only guesses it.
func (m *MariaDB) Estimate(ctx context.Context, scan source.Scan) (*api.Estimate, error) {
	r, err := m.describe(ctx, scan.Relation.Name)
	if err != nil {
		return nil, err
	}
	if _, err := r.plan(scan, ""); err != nil {
		return nil, err
	}
	nothing := int64(0)
	e := &api.Estimate{BilledBytes: &nothing, RowsUpperBound: scan.Limit}
	if scan.Relation.Rule == nil {
		e.ScanBytes = r.bytes
	}
	return e, nil
}
