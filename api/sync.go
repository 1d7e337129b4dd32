package api

import (
	"context"
	"io"
	"time"
)

// Syncer delivers whole ModeLocal tables as parquet files. A file contains only
// what the caller is allowed to read.
type Syncer interface {
	// Manifest lists the files for the caller, ordered by table. It creates files
	// that are missing or out of date, which can take long.
	Manifest(ctx context.Context) (*SyncManifest, error)
	// LocalTable describes the file of one table. It returns CodeForbidden or
	// CodeUnknownTable if the caller has no such table.
	LocalTable(ctx context.Context, tableID string) (*SyncTable, error)
	// TableData opens n bytes of the file that t describes, starting at offset
	// from; the caller closes it. It returns CodeBadRequest of KindChanged if the
	// file has been replaced.
	TableData(ctx context.Context, t SyncTable, from, n int64) (io.ReadCloser, error)
}

// SyncManifest is the answer of GET /api/sync/manifest.
type SyncManifest struct {
	Tables []SyncTable `json:"tables"` // never null
	// Failed are the tables whose file could not be created. A client's older
	// copies of them stay valid.
	Failed     []SyncFailure `json:"failed"` // never null
	ServerTime time.Time     `json:"server_time"`
}

// SyncTable is one file.
type SyncTable struct {
	TableID string `json:"table_id"`
	Rows    int64  `json:"rows"`
	Bytes   int64  `json:"bytes"`
	XXH3    string `json:"xxh3"` // xxh3-128 of the file, 32 hex digits; also its ETag
	// Caveats come from the source: columns that were converted to text or left
	// out.
	Caveats []Caveat `json:"caveats,omitempty"`
	// Dated are the columns that have a DateOrder.
	Dated   []Column `json:"dated,omitempty"`
	RowRule bool     `json:"row_rule,omitempty"` // see RowRuleWarning
}

// RefreshedTable is the result of a refresh.
type RefreshedTable struct {
	SyncTable
	Changed bool      `json:"changed"` // its content differs from before
	MadeAt  time.Time `json:"made_at"`
}

// SyncFailure is a table without a file.
type SyncFailure struct {
	TableID string    `json:"table_id"`
	Error   ErrorBody `json:"error"`
}
