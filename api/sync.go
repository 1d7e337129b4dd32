package api

import (
	"context"
	"io"
	"time"
)

// KindChanged is the kind of the CodeBadRequest for a file that is not the one
// asked for any more: ask for the manifest again.
const KindChanged = "changed"

// Syncer hands out whole tables, those of ModeLocal, as parquet files. A file
// holds what the caller may read of its table.
type Syncer interface {
	// Manifest lists the files that there are for the caller, ordered by table.
	// It makes those that are missing or out of date, which may take long.
	Manifest(ctx context.Context) (*SyncManifest, error)
	// LocalTable describes the file of one table: CodeForbidden or
	// CodeUnknownTable if there is none for the caller.
	LocalTable(ctx context.Context, tableID string) (*SyncTable, error)
	// TableData opens n bytes of the file that t describes, beginning at from;
	// the caller closes it. CodeBadRequest of KindChanged if there is another
	// file now.
	TableData(ctx context.Context, t SyncTable, from, n int64) (io.ReadCloser, error)
}

// SyncManifest is the answer of GET /api/sync/manifest.
type SyncManifest struct {
	Tables []SyncTable `json:"tables"` // never null
	// Failed are the tables whose file could not be made. What a client has of
	// them stays good.
	Failed     []SyncFailure `json:"failed"` // never null
	ServerTime time.Time     `json:"server_time"`
}

// SyncTable is one file.
type SyncTable struct {
	TableID string `json:"table_id"`
	Rows    int64  `json:"rows"`
	Bytes   int64  `json:"bytes"`
	XXH3    string `json:"xxh3"` // xxh3-128 of the file, 32 hex digits; also its ETag
	// Warnings are the source's: what became text, or stays behind.
	Warnings []string `json:"warnings,omitempty"`
	RowRule  bool     `json:"row_rule,omitempty"` // see RowRuleWarning
}

// RefreshedTable is what came of a refresh.
type RefreshedTable struct {
	SyncTable
	Changed bool      `json:"changed"` // its content is another than before
	MadeAt  time.Time `json:"made_at"`
}

// SyncFailure is a table without a file.
type SyncFailure struct {
	TableID string    `json:"table_id"`
	Error   ErrorBody `json:"error"`
}
