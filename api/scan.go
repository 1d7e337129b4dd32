package api

// ScanRequest asks for a part of one table: the body of POST /api/v2/scan and
// of POST /api/v2/scan/estimate.
type ScanRequest struct {
	TableID string   `json:"table_id"`
	Select  []string `json:"select,omitempty"`   // empty: every column the caller may see
	Where   string   `json:"where,omitempty"`    // in the table's dialect; empty: all rows
	Limit   *int64   `json:"limit,omitempty"`    // nil: the server's cap, marked if it cuts
	OrderBy []string `json:"order_by,omitempty"` // "column [ASC|DESC] [NULLS FIRST|LAST]"
	// RefuseCut refuses a scan whose result is known beforehand to be more than the
	// server returns at once: CodeBudget of KindWouldBeCut. Without it the result is
	// cut there, and marked.
	RefuseCut bool `json:"refuse_cut,omitempty"`
	// Files asks for the rows file by file, where the table lies in several, and for
	// End.Files. HeldFiles are files, as an earlier End.Files named them, whose rows
	// are not sent again.
	Files     bool     `json:"files,omitempty"`
	HeldFiles []string `json:"held_files,omitempty"`
}

// KindWouldBeCut is the kind of the CodeBudget for a scan with RefuseCut.
const KindWouldBeCut = "would_be_cut"

// Ordered reports whether the rows of the answer have an order to be kept.
func (r ScanRequest) Ordered() bool { return r.Limit != nil || len(r.OrderBy) > 0 }

// Estimate tells what a scan would cost. A figure that is not known is nil,
// never 0.
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
	CutBy           *Cap     `json:"cut_by"`             // the cap that would cut it; nil: none, or not known
	RowRule         bool     `json:"row_rule,omitempty"` // see RowRuleWarning
	// Version and Rights are those of a scan that ran now; see Provenance. Empty:
	// not known.
	Version string `json:"version,omitempty"`
	Rights  string `json:"rights,omitempty"`
	// Source stands for the table's source, if that runs statements: one can name
	// tables with the same. Like Version, it is opaque.
	Source string `json:"source,omitempty"`
}

// Shown returns the estimate without the strings that mean nothing to people.
func (e Estimate) Shown() *Estimate {
	e.Version, e.Rights, e.Source = "", "", ""
	return &e
}

// Cap is a bound of the server on one result.
type Cap struct {
	Key   string `json:"key"`   // in the instance file
	Limit int64  `json:"limit"` // rows or bytes
	Unit  string `json:"unit"`  // "rows" or "bytes"
	// Certain says that the result is known to be larger. Else that is estimated.
	Certain bool `json:"certain"`
}

// CapKey returns the key of the instance file that sets the cap of an end record.
func CapKey(name string) string { return "api.scan." + name }

// QueryRequest is the body of POST /api/query: one SELECT in the dialect of
// the tables that it names.
type QueryRequest struct {
	SQL   string `json:"sql"`
	Limit *int64 `json:"limit,omitempty"` // nil: the server's cap, marked if it cuts
}
