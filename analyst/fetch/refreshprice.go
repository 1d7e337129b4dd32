package fetch

import (
	"context"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/reuse"
	"github.com/agnes-data/da/api"
)

// RefreshPrice is what a refresh would read at most.
type RefreshPrice struct {
	*api.Estimate
	// Unchanged says that the source reports no change, so that nothing is read.
	Unchanged bool `json:"unchanged"`
}

// PriceRefresh returns what Refresh would read for a snapshot.
func PriceRefresh(ctx context.Context, a *analyst.Analyst, name string) (*RefreshPrice, error) {
	m, err := a.Store.Get(name)
	if err != nil {
		return nil, err
	}
	if path, imported := m.Imported(); imported {
		return nil, keep.ImportAgain(name, path)
	}
	remote, err := a.Connect()
	if err != nil {
		return nil, cameFrom(m, err)
	}
	if m.Server != remote.Name {
		return nil, otherServer(m, remote.Name)
	}
	now, err := remote.Estimate(ctx, m.Request())
	if err != nil {
		return nil, drift(m, m.Request(), err)
	}
	p := m.Provenance
	return &RefreshPrice{Estimate: now.Shown(), Unchanged: reuse.Comparable(m) && p.Version == now.Version && p.Rights == now.Rights}, nil
}
