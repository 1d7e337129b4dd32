package api

import "context"

// Catalog describes the available data. No method runs a scan that a warehouse
// bills. All methods are safe for concurrent and repeated use, and return *Error
// values.
type Catalog interface {
	// Tables lists the tables that the caller may see, ordered by id.
	Tables(ctx context.Context) (*TableList, error)
	// Schema describes one table. It returns CodeUnknownTable or CodeForbidden if
	// the caller has no access to it.
	Schema(ctx context.Context, tableID string) (*TableSchema, error)
	// Sample returns up to n rows, 1 ≤ n ≤ MaxSampleRows.
	Sample(ctx context.Context, tableID string, n int) (*Sample, error)
}

// Scanner reads a part of one table.
type Scanner interface {
	// Estimate returns what Scan would cost for the same request, without running
	// it.
	Estimate(ctx context.Context, req ScanRequest) (*Estimate, error)
	// Scan starts the request and returns its stream. The caller must Close
	// the stream; cancelling ctx stops the work at the source.
	Scan(ctx context.Context, req ScanRequest) (*Stream, error)
}

// Querier runs one whole SELECT at the source.
type Querier interface {
	// Query starts the statement and returns its stream, owned by the caller.
	Query(ctx context.Context, req QueryRequest) (*Stream, error)
}

// CacheAdmin empties the server's caches; only admins may call it.
type CacheAdmin interface {
	// RefreshCaches drops everything that the server has cached of catalog,
	// schemas and samples.
	RefreshCaches(ctx context.Context) error
}

// Data is what a server, embedded or remote, offers its users: one small
// interface for each subject. A function that needs one subject takes that
// interface. Administration is separate, so code that is given a Data cannot
// create a user, a token or a grant.
type Data struct {
	Catalog
	// TablePager is nil if there is no web page to use it.
	TablePager
	Searcher
	Modeler
	Knower
	Scanner
	// Filer is nil if rows stay on this machine.
	Filer
	Querier
	// QueryPricer is nil if there is no web page to use it.
	QueryPricer
	Syncer
	Identifier
	Meter
	// FileOwner is nil if files are kept on this machine only.
	FileOwner
}

// Administration is what a server offers its admins, one interface for each
// subject.
type Administration struct {
	CacheAdmin
	SourceAdmin
	HealthAdmin
	UserAdmin
	GroupAdmin
	TokenAdmin
	GrantAdmin
	TableAdmin
	AuditAdmin
	DashboardAdmin
	RunAdmin
	ViewAdmin
}
