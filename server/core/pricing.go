package core

import (
	"context"
	"slices"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// PriceQuery implements api.QueryPricer.
func (s *Session) PriceQuery(ctx context.Context, req api.QueryRequest) (*api.QueryPrice, error) {
	ctx = s.owned(ctx)
	r := s.begin(api.EventEstimate, "")
	var price *api.QueryPrice
	q, err := s.bind(ctx, req, r)
	if err == nil {
		ctx, cancel := s.core.withTimeout(ctx)
		defer cancel()
		if price, err = s.price(ctx, req.SQL, q, r); err == nil {
			r.event.Data.EstimatedBytes = price.ScanBytes
		}
	}
	if err := r.end(ctx, err); err != nil {
		return nil, err
	}
	return price, nil
}

func (s *Session) price(ctx context.Context, sql string, q *bound, r *record) (*api.QueryPrice, error) {
	est, err := s.estimateQuery(ctx, sql, q, r)
	if binder, ok := q.runner.(source.Binder); ok && err == nil {
		err = binder.Bind(ctx, sql, q.relations)
	}
	if err != nil {
		return nil, s.core.sourceError(ctx, q.blamed(), err)
	}
	if est.CostUSD == nil && est.BilledBytes != nil {
		est.CostUSD = s.core.cost(*est.BilledBytes)
	}
	out := &api.QueryPrice{Tables: []string{}, ScanBytes: est.ScanBytes, BilledBytes: est.BilledBytes, CostUSD: est.CostUSD}
	for _, p := range q.tables {
		out.Tables = append(out.Tables, p.ID)
	}
	slices.Sort(out.Tables)
	out.Tables = slices.Compact(out.Tables)
	return out, nil
}

// estimateQuery returns what a statement would read.
func (s *Session) estimateQuery(ctx context.Context, sql string, q *bound, r *record) (*api.Estimate, error) {
	if payer, ok := q.runner.(source.Payer); ok {
		return payer.EstimateQuery(ctx, sql, q.relations, s.account(r))
	}
	return s.core.estimateAll(ctx, q)
}

// cost is the warehouse's price for billed bytes.
func (c *Core) cost(billed int64) *float64 {
	cost := float64(billed) / (1 << 40) * c.limits.Scan.BQCostPerTBUSD
	return &cost
}
