package api

import "context"

// QueryPrice is what a statement reads, known before it runs.
type QueryPrice struct {
	Tables      []string `json:"tables"` // that it reads
	ScanBytes   *int64   `json:"estimated_scan_bytes"`
	BilledBytes *int64   `json:"estimated_billed_bytes"`
	CostUSD     *float64 `json:"bq_cost_estimate_usd"`
}

// QueryPricer prices whole statements.
type QueryPricer interface {
	// PriceQuery proves a statement as Query does, and tells what it would read,
	// without running it.
	PriceQuery(ctx context.Context, req QueryRequest) (*QueryPrice, error)
}
