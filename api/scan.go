package api

// ScanRequest asks for a part of one table: the body of POST /api/v2/scan and
// of POST /api/v2/scan/estimate.
type ScanRequest struct {
	TableID string   `json:"table_id"`
	Select  []string `json:"select,omitempty"`   // empty: every column the caller may see
	Where   string   `json:"where,omitempty"`    // in the table's dialect; empty: all rows
	Limit   *int64   `json:"limit,omitempty"`    // nil: the server's cap; the result is marked if the cap cuts it
	OrderBy []string `json:"order_by,omitempty"` // "column [ASC|DESC] [NULLS FIRST|LAST]"
	// RefuseCut refuses the scan if its result is already known to exceed the
	// server's caps: CodeBudget of KindWouldBeCut. Without RefuseCut such a
	// result is truncated and marked.
	RefuseCut bool `json:"refuse_cut,omitempty"`
	// AllowCut accepts a result that a limit has cut, if it has any rows.
	AllowCut bool `json:"allow_cut,omitempty"`
	// Files asks for End.Files, and for the rows file by file if the table
	// consists of several files. HeldFiles are ids from an earlier End.Files; the
	// rows of these files are not sent again.
	Files     bool     `json:"files,omitempty"`
	HeldFiles []string `json:"held_files,omitempty"`
}

// Ordered reports whether the order of the rows in the answer matters.
func (r ScanRequest) Ordered() bool { return r.Limit != nil || len(r.OrderBy) > 0 }

// Estimate says what a scan would cost. Unknown figures are nil, never 0.
type Estimate struct {
	TableID         string   `json:"table_id"`
	ScanBytes       *int64   `json:"estimated_scan_bytes"`   // bytes that the source would read
	BilledBytes     *int64   `json:"estimated_billed_bytes"` // bytes that the source would bill; 0 if it bills nothing
	ResultRows      *int64   `json:"estimated_result_rows"`  // only where it is known; never interpolated
	RowsLow         *int64   `json:"rows_low"`               // no fewer rows than this match
	RowsHigh        *int64   `json:"rows_high"`              // and no more than this
	ResultBytes     *int64   `json:"estimated_result_bytes"` // as Arrow buffers, uncompressed
	CostUSD         *float64 `json:"bq_cost_estimate_usd"`
	TableRows       *int64   `json:"table_rows"`         // rows of the whole table
	RowsUpperBound  *int64   `json:"rows_upper_bound"`   // no more rows than this can match
	ResultTruncated *bool    `json:"exceeds_max_limit"`  // whether the server's caps would cut the result
	CutBy           *Cap     `json:"cut_by"`             // the cap that would cut it; nil: no cap would, or unknown
	RowRule         bool     `json:"row_rule,omitempty"` // see RowRuleWarning
	// Version and Rights are what a scan would have if it ran now; see
	// Provenance. Empty if unknown.
	Version string `json:"version,omitempty"`
	Rights  string `json:"rights,omitempty"`
	// Source identifies the table's source if the source runs statements. A
	// statement can join tables with the same Source. Like Version, it is opaque.
	Source string `json:"source,omitempty"`
}

// Shown returns the estimate without its opaque strings, which mean nothing to
// people.
func (e Estimate) Shown() *Estimate {
	e.Version, e.Rights, e.Source = "", "", ""
	return &e
}

// Cap is a limit of the server on one result.
type Cap struct {
	Key   string `json:"key"`   // in the instance file
	Limit int64  `json:"limit"` // rows or bytes
	Unit  string `json:"unit"`  // "rows" or "bytes"
	// Certain says that the result is known to be larger, and not just estimated
	// to be.
	Certain bool `json:"certain"`
}

// CapKey returns the key in the instance file that sets the cap named in an end
// record.
func CapKey(name string) string { return "api.scan." + name }

// CapDaily is the name of the cap that a day's quota sets.
const CapDaily = "max_daily_bytes_per_user"

// QueryRequest is the body of POST /api/query: one SELECT in the dialect of its
// tables.
type QueryRequest struct {
	SQL   string `json:"sql"`
	Limit *int64 `json:"limit,omitempty"` // nil: the server's cap; the result is marked if the cap cuts it
	// AllowCut accepts a result that a limit has cut, if it has any rows.
	AllowCut bool `json:"allow_cut,omitempty"`
}
