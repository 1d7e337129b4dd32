package fetch

import (
	"context"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/snapshot"
)

// Estimated is what a fetch would cost.
type Estimated struct {
	*api.Estimate
	// Reuse is the snapshot that would answer all or part of the request instead
	// of the source; nil if there is no such snapshot. Rest is the cost of
	// reading the remaining rows; nil if nothing is read.
	Reuse *snapshot.Lineage `json:"reuse"`
	Rest  *api.Estimate     `json:"rest"`
}

// Estimate returns what a fetch would cost, and whether it would read anything at
// the source.
func Estimate(ctx context.Context, a *analyst.Analyst, req Request) (*Estimated, error) {
	remote, err := a.Connect()
	if err != nil {
		return nil, err
	}
	est, err := remote.Estimate(ctx, req.Scan)
	if err != nil {
		return nil, err
	}
	out := &Estimated{Estimate: est.Shown()}
	r, err := FindReusable(ctx, a, remote, Holdings(a), est, req)
	if err == nil && r != nil {
		out.Reuse = r.Lineage()
		if r.Remaining != nil {
			out.Rest = r.Remaining.Shown()
		}
	}
	return out, err
}
