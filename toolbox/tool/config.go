package tool

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/workspace"
)

// Config says what the tools of a box work on. A box offers a tool only if the
// Config has what the tool needs.
type Config struct {
	// Data returns the service for tables. It is called when a tool first needs
	// it, and again after a failure.
	Data func() (api.Data, error)
	// Work is the user's workplace; nil: there are no snapshots.
	Work *analyst.Analyst
	// Files queries local files; nil: no local files.
	Files *table.Tables
	// Space opens the user's workspace, and its owner closes it; nil: no
	// workspace.
	Space func() (*workspace.Workspace, error)
	// NoteFile, if set, audits what a tool did to a file of the workspace and how
	// that ended. The error it returns becomes the tool's error.
	NoteFile func(ctx context.Context, tool string, f api.FileSubject, err error) error
	// DownloadHosts are the hosts that files may be downloaded from; empty means
	// that downloads are disabled.
	DownloadHosts []string
	// Dir is the folder that relative paths start from.
	Dir string
	// EstimateFirst asks for the cost before each fetch.
	EstimateFirst bool
	// FetchMaxBytes limits what a query may read at the source, in bytes; 0 means
	// no limit.
	FetchMaxBytes int64
	// Kept refuses queries that would read anything at the source.
	Kept bool
	// ExportMaxBytes limits a file that table_export writes, in bytes; 0 means no
	// limit.
	ExportMaxBytes int64
	// ReadOnly leaves out tools that write files or snapshots.
	ReadOnly bool
	// Tools lists the tools and tool sets to offer; empty means the set "data".
	Tools []string
	// Now is the clock.
	Now func() time.Time
	// Explain adds to an error of the service what its caller is allowed to know
	// in addition; nil adds nothing.
	Explain func(*api.Error) *api.Error
	// Isolate passes a JSON request to the box of another process, which answers
	// by Serve, so that a crash of the engine fails only this call. memory limits
	// the process, in bytes; 0 means no limit. If Isolate is nil, all calls run
	// in this process.
	Isolate func(ctx context.Context, request json.RawMessage, memory int64, say func(string)) (json.RawMessage, error)
	// FileCalls answers calls of tools that read files by their paths as Isolate does, in
	// place of Files: those of a server's user, which lie in no folder.
	FileCalls func(ctx context.Context, request json.RawMessage, memory int64, say func(string)) (json.RawMessage, error)
	// Log receives internal errors; may be nil.
	Log *slog.Logger

	// Request is the context of the one HTTP request that the box exists for, and
	// RequestID its id. Errors then reveal no more than the server's other routes
	// do. If Request is nil, the box serves the user of this machine.
	Request   context.Context //nolint:containedctx // the box lives as long as the request
	RequestID string
}
