package api

import "context"

// QueryPrice says what a statement would read and cost. It is known before the
// statement runs.
type QueryPrice struct {
	Tables      []string `json:"tables"` // the tables that the statement reads
	ScanBytes   *int64   `json:"estimated_scan_bytes"`
	BilledBytes *int64   `json:"estimated_billed_bytes"`
	CostUSD     *float64 `json:"bq_cost_estimate_usd"`
}

// QueryPricer prices whole statements.
type QueryPricer interface {
	// PriceQuery checks a statement as Query does and returns what it would read,
	// without running it.
	PriceQuery(ctx context.Context, req QueryRequest) (*QueryPrice, error)
}
