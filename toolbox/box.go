package toolbox

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/suggest"
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
	// that ended. id is the file's. The error it returns becomes the tool's
	// error.
	NoteFile func(ctx context.Context, tool, id string, err error) error
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
	// Log receives internal errors; may be nil.
	Log *slog.Logger

	// Request is the context of the one HTTP request that the box exists for, and
	// RequestID its id. Errors then reveal no more than the server's other routes
	// do. If Request is nil, the box serves the user of this machine.
	Request   context.Context //nolint:containedctx // the box lives as long as the request
	RequestID string
}

// Box has the tools that a Config allows. It is safe for concurrent use.
type Box struct {
	Config
	tools []tool
	names map[string]bool
	// told says that an earlier answer has explained the marks around data.
	told atomic.Bool
}

// New returns the box for cfg. Unknown names in cfg.Tools are CodeUsage errors,
// and so is a box without any tool.
func New(cfg Config) (*Box, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if err := checkNames(cfg.Tools); err != nil {
		return nil, err
	}
	b := &Box{Config: cfg, names: map[string]bool{}}
	for _, t := range tools() {
		if b.has(t) {
			if b.ReadOnly {
				t.in = without(t.in, api.OptionFetch)
			}
			b.tools = append(b.tools, t)
			b.names[t.name] = true
		}
	}
	if len(b.tools) == 0 && len(cfg.Tools) > 0 {
		return nil, &api.Error{Code: api.CodeUsage, Message: "no tool is left to serve", Hint: "All that --tools names are left out, as --read-only leaves out those that write."}
	}
	return b, nil
}

// without returns a schema without one optional argument.
func without(in *jsonschema.Schema, name string) *jsonschema.Schema {
	if in.Properties[name] == nil {
		return in
	}
	out := *in
	out.Properties = maps.Clone(in.Properties)
	delete(out.Properties, name)
	out.PropertyOrder = slices.DeleteFunc(slices.Clone(in.PropertyOrder), func(other string) bool { return other == name })
	return &out
}

// has reports whether the box has what a tool needs.
func (b *Box) has(t tool) bool {
	switch {
	case b.ReadOnly && !t.readOnly, !b.asked(t):
		return false
	case t.needs&needsSpace != 0 && b.Space == nil, t.needs&needsWeb != 0 && len(b.DownloadHosts) == 0, t.needs&needsStore != 0 && b.Work == nil, t.needs&needsFiles != 0 && b.Files == nil:
		return false
	}
	return t.needs != needsService || b.Data != nil
}

// asked reports whether the config names a tool or its set.
func (b *Box) asked(t tool) bool {
	set := cmp.Or(t.set, setData)
	if len(b.Tools) == 0 {
		return set == setData
	}
	return slices.Contains(b.Tools, t.name) || slices.Contains(b.Tools, set)
}

// checkNames rejects unknown tool names.
func checkNames(names []string) error {
	known := slices.Clone(sets)
	for _, t := range tools() {
		known = append(known, t.name)
	}
	for _, name := range names {
		if slices.Contains(known, name) {
			continue
		}
		e := &api.Error{Code: api.CodeUsage, Message: fmt.Sprintf("there is no tool '%s'", api.Clip(name, 60)),
			Hint: "Sets and tools are " + strings.Join(known, ", ") + "."}
		if near := suggest.Near(name, known); len(near) > 0 {
			e.Hint = "Did you mean " + strings.Join(near, " or ") + "? " + e.Hint
		}
		return e
	}
	return nil
}
