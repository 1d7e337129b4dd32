package api

import (
	"context"
	"encoding/json"
	"time"
)

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

// ProfileTable asks for the profile of a table.
type ProfileTable struct {
	TableID string `json:"table_id"`
}

// DeskQuery is a statement for the engine of the page's own machine.
type DeskQuery struct {
	SQL string `json:"sql"`
	// Fetch says to fetch missing tables first, as far as the statement needs
	// them.
	Fetch bool `json:"fetch,omitempty"`
}

// PageFile asks for all rows of a statement or a scan as a file.
type PageFile struct {
	Format string `json:"format"` // csv, xlsx, parquet, json or ndjson
	// Exactly one of SQL, Scan and Result is given.
	SQL  string       `json:"sql,omitempty"`
	Scan *ScanRequest `json:"scan,omitempty"`
	// Result is the id of a kept result. Part says which part of it; nil means all.
	Result string      `json:"result,omitempty"`
	Part   *ResultPart `json:"part,omitempty"`
	// Here runs the statement on the page's own machine; Fetch is as in DeskQuery.
	Here  bool `json:"here,omitempty"`
	Fetch bool `json:"fetch,omitempty"`
	// Watch is a name of the caller's own, by which FileProgress tells how far the file is.
	Watch string `json:"watch,omitempty"`
}

// FileProgress says how far a file is that is being made.
type FileProgress struct {
	Rows *int64 `json:"rows"` // written so far; null: this server makes no such file now
}

// PageSnapshot is a snapshot of the page's own machine.
type PageSnapshot struct {
	Name    string   `json:"name"`
	TableID string   `json:"table_id"`
	Rows    int64    `json:"rows"`
	Bytes   int64    `json:"bytes"`
	Columns []string `json:"columns"`
	// The request that it came from.
	Select    []string  `json:"select"`
	Where     *string   `json:"where"`
	Limit     *int64    `json:"limit"`
	FetchedAt time.Time `json:"fetched_at"`
	Pinned    bool      `json:"pinned"`
	Note      string    `json:"note,omitempty"`
	Tags      []string  `json:"tags,omitempty"`
	// File is where it was imported from; empty if it was fetched.
	File string `json:"file,omitempty"`
	// Earlier says that its rows before the last refresh are kept.
	Earlier bool `json:"earlier"`
	// Damage says why it cannot be read; empty if it can.
	Damage  string   `json:"damage,omitempty"`
	Caveats []Caveat `json:"caveats"` // never null
}

// KeepSnapshot is a part of a table to keep as a snapshot.
type KeepSnapshot struct {
	Name string      `json:"name"`
	Scan ScanRequest `json:"scan"`
	// Replace replaces a snapshot of that name.
	Replace bool `json:"replace,omitempty"`
}

// CompareSnapshots names two snapshots to compare, and the columns that identify
// a row; without them whole rows are compared.
type CompareSnapshots struct {
	Before string   `json:"before"`
	After  string   `json:"after"`
	Key    []string `json:"key,omitempty"`
}

// PinSnapshot says whether a snapshot stays as it is when all are refreshed.
type PinSnapshot struct {
	Pinned bool `json:"pinned"`
}

// Bounds on the tables that a page shows at a time.
const (
	DefaultPageTables = 60
	MaxPageTables     = 2000
	MaxTables         = 1 << 30
	MaxPageFacets     = 24 // of types, and of groups
)

// TablePager lists tables for a page.
type TablePager interface {
	TablePage(ctx context.Context, req TablePageRequest) (*PageTables, error)
	// Dashboards lists those of the instance whose tables the caller may read.
	Dashboards(ctx context.Context) ([]Dashboard, error)
	// TableJoins returns the joins of a table with others, by columns that the caller
	// may read.
	TableJoins(ctx context.Context, tableID string) (*TableJoins, error)
}

// TablePageRequest asks for up to Limit tables after the first From, of those that
// a search finds, and of a type and a group, unless these are empty.
type TablePageRequest struct {
	Query, Type, Group string
	From, Limit        int
}

// PageTables are some of the tables that the caller can see.
type PageTables struct {
	Tables []PageTable `json:"tables"`
	From   int         `json:"from"`  // how many are before them
	Found  int         `json:"found"` // by the search, or all
	All    int         `json:"all"`
	// Types and Groups count those that were found, the latter only of the type
	// that was asked for. A group is what ids begin with, up to the first '.', '_'
	// or '-'.
	Types  []PageFacet `json:"types"`
	Groups []PageFacet `json:"groups"`
	// Caveats say what was searched in place of the words; never null.
	Caveats []Caveat `json:"caveats"`
}

// PageFacet is how many tables have something in common.
type PageFacet struct {
	Name   string `json:"name"`
	Tables int    `json:"tables"`
}

// PageTable is a table with the columns in which the words of a search are.
type PageTable struct {
	Table
	Columns []string `json:"columns,omitempty"`
}

// Dashboard is a sheet of the instance, as the page saves it in a file.
type Dashboard struct {
	ID     string   `json:"id"` // the name of its file
	Name   string   `json:"name"`
	Tables []string `json:"tables"` // who may read all of them sees the dashboard
	// Sheet is the whole file: statements, values of parameters, tiles.
	Sheet json.RawMessage `json:"sheet,omitempty"`
	// Problem tells admins why a file is not a dashboard.
	Problem string `json:"problem,omitempty"`
}

// NewDashboard is a sheet to put among the dashboards of the instance.
type NewDashboard struct {
	ID    string          `json:"id"`    // lower-case letters, digits, - and _: the name of its file
	Sheet json.RawMessage `json:"sheet"` // the whole file, which names its tables
	// Replace puts it in the place of one of that id.
	Replace bool `json:"replace,omitempty"`
}

// NewReport asks for a dashboard as a file.
type NewReport struct {
	Format string          `json:"format"` // html, pdf, pptx or docx
	Sheet  json.RawMessage `json:"sheet"`  // as the page saves it
	// Values override the sheet's values: texts, numbers, true, false, null, lists.
	Values json.RawMessage `json:"values,omitempty"`
}

// DashboardAdmin changes the dashboards of the instance's folder.
type DashboardAdmin interface {
	PublishDashboard(ctx context.Context, d NewDashboard) (*Dashboard, error)
	UnpublishDashboard(ctx context.Context, id string) error
}
