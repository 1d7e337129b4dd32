package api

// ScanRequest asks for a part of one table: the body of POST /api/v2/scan and
// of POST /api/v2/scan/estimate.
type ScanRequest struct {
	TableID string   `json:"table_id"`
	Select  []string `json:"select,omitempty"`   // empty: every column the caller may see
	Where   string   `json:"where,omitempty"`    // in the table's dialect; empty: all rows
	Limit   *int64   `json:"limit,omitempty"`    // nil: the server's cap, marked if it cuts
	OrderBy []string `json:"order_by,omitempty"` // "column [ASC|DESC] [NULLS FIRST|LAST]"
}

// Ordered reports whether the rows of the answer have an order to be kept.
func (r ScanRequest) Ordered() bool { return r.Limit != nil || len(r.OrderBy) > 0 }

// Estimate tells what a scan would cost. A figure that is not known is nil,
// never 0.
type Estimate struct {
	TableID         string   `json:"table_id"`
	ScanBytes       *int64   `json:"estimated_scan_bytes"`   // bytes that the source would read
	BilledBytes     *int64   `json:"estimated_billed_bytes"` // bytes that the source would bill; 0 if it bills nothing
	ResultRows      *int64   `json:"estimated_result_rows"`
	ResultBytes     *int64   `json:"estimated_result_bytes"` // as Arrow buffers, uncompressed
	CostUSD         *float64 `json:"bq_cost_estimate_usd"`
	TableRows       *int64   `json:"table_rows"`        // rows of the whole table
	RowsUpperBound  *int64   `json:"rows_upper_bound"`  // no more rows than this can match
	ResultTruncated *bool    `json:"exceeds_max_limit"` // whether the server's caps would cut the result
}

// QueryRequest is the body of POST /api/query: one SELECT in the dialect of
// the tables that it names.
type QueryRequest struct {
	SQL   string `json:"sql"`
	Limit *int64 `json:"limit,omitempty"` // nil: the server's cap, marked if it cuts
}
