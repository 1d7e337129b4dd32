package api

import "encoding/json"

// Bounds on the part of a result that a page shows.
const (
	MaxPageRows  = 2000
	MaxPageCells = 200_000
	MaxPageBytes = 16 << 20
)

// PageRows are the first rows of a result, for the page.
type PageRows struct {
	Columns []PageColumn `json:"columns"`
	// Rows holds a list of values for each row, in the order of the columns.
	Rows json.RawMessage `json:"rows"`
	// Shown is the number of rows in Rows. More says that the result may have
	// more rows.
	Shown   int      `json:"shown"`
	More    bool     `json:"more"`
	Caveats []Caveat `json:"caveats"` // never null, the most serious first
	Elapsed int64    `json:"elapsed_ms"`
}

// PageColumn is a column of PageRows.
type PageColumn struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Numeric bool   `json:"numeric"` // its values are numbers, though JSON may carry some as strings
}

// DeskQuery is a statement for the engine of the page's own machine.
type DeskQuery struct {
	SQL string `json:"sql"`
	// Fetch says to fetch missing tables first, as far as the statement needs
	// them.
	Fetch bool `json:"fetch,omitempty"`
}

// PageSnapshot is a snapshot of the page's own machine.
type PageSnapshot struct {
	Name    string   `json:"name"`
	TableID string   `json:"table_id"`
	Rows    int64    `json:"rows"`
	Columns []string `json:"columns"`
}
