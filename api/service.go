package api

import "context"

// Catalog answers what data there is. No method runs a scan that a warehouse
// bills. All methods may be called concurrently and repeatedly, and return
// *Error values.
type Catalog interface {
	// Tables lists the tables that the caller may see, ordered by id.
	Tables(ctx context.Context) (*TableList, error)
	// Schema describes one table: CodeUnknownTable or CodeForbidden if the
	// caller may not know it.
	Schema(ctx context.Context, tableID string) (*TableSchema, error)
	// Sample returns up to n rows, 1 ≤ n ≤ MaxSampleRows.
	Sample(ctx context.Context, tableID string, n int) (*Sample, error)
}

// Scanner reads a part of one table.
type Scanner interface {
	// Estimate tells what Scan of the same request would cost, without
	// running it.
	Estimate(ctx context.Context, req ScanRequest) (*Estimate, error)
	// Scan starts the request and returns its stream. The caller must Close
	// the stream; cancelling ctx stops the work at the source.
	Scan(ctx context.Context, req ScanRequest) (*Stream, error)
}

// Querier runs one whole SELECT on the side of the source.
type Querier interface {
	// Query starts the statement and returns its stream, owned by the caller.
	Query(ctx context.Context, req QueryRequest) (*Stream, error)
}

// CacheAdmin empties the server's caches; only admins may call it.
type CacheAdmin interface {
	// RefreshCaches forgets everything that the server has cached about
	// catalog, schemas and samples.
	RefreshCaches(ctx context.Context) error
}

// Data is what a server, embedded or remote, answers its users: one small
// interface for each subject. A function that needs one subject takes that
// interface. What is changed by admins is not in it, so that nothing which is
// given a Data can make a user, a token or a grant.
type Data struct {
	Catalog
	Searcher
	Scanner
	// Filer is nil where rows need not travel.
	Filer
	Querier
	// QueryPricer is nil where no page asks for it.
	QueryPricer
	Syncer
	Identifier
	Meter
	// FileOwner is nil where no files are kept beyond this machine.
	FileOwner
}

// Administration is what a server answers its admins, subject by subject.
type Administration struct {
	CacheAdmin
	SourceAdmin
	UserAdmin
	GroupAdmin
	TokenAdmin
	GrantAdmin
	TableAdmin
	AuditAdmin
	RunAdmin
	ViewAdmin
}
