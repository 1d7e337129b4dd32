package toolbox

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/suggest"
	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/workspace"
)

// Config says what the tools of a box work on. A tool is there if what it needs is.
type Config struct {
	// Data returns what answers about tables. It is called when a tool first
	// needs it, and again if it failed.
	Data func() (api.Data, error)
	// Work is the user's own work place; nil: there are no snapshots.
	Work *analyst.Analyst
	// Files answers questions about local files; nil if there are none.
	Files *table.Tables
	// Space opens the user's workspace, which the opener closes; nil if there is none.
	Space func() (*workspace.Workspace, error)
	// NoteFile, if set, writes down what a tool has done to the file of an id in the
	// workspace and how that ended; what it returns is the tool's error.
	NoteFile func(ctx context.Context, tool, id string, err error) error
	// DownloadHosts are those that files may be downloaded from; empty: none.
	DownloadHosts []string
	// Dir is the folder that relative paths are taken from.
	Dir string
	// EstimateFirst asks for the cost before each fetch.
	EstimateFirst bool
	// FetchMaxBytes bounds what a query may read at the source; 0: nothing does.
	FetchMaxBytes int64
	// ReadOnly leaves out what writes files or snapshots.
	ReadOnly bool
	// Tools are the tools and sets of tools to serve; empty: the set data.
	Tools []string
	// Now is the clock.
	Now func() time.Time
	// Explain adds to an error of the service what its caller may know besides;
	// nil: nothing.
	Explain func(*api.Error) *api.Error
	// Isolate lets the box of another process Serve a request, which is JSON, so
	// that a crash of the engine is an answer here and no more. memory is what it
	// may take there, in bytes; 0: as much as it takes. nil: all calls run in this process.
	Isolate func(ctx context.Context, request json.RawMessage, memory int64, say func(string)) (json.RawMessage, error)
	// Log is told of faults of ours; nil: nobody is.
	Log *slog.Logger

	// Request is the context of the one request that the whole box serves, and
	// RequestID its id: errors then tell no more than the server's other routes
	// do. nil: the box serves the user of this machine.
	Request   context.Context //nolint:containedctx // the box lives as long as it
	RequestID string
}

// Box holds the tools that a Config allows. It may be used for many calls, also
// at the same time.
type Box struct {
	Config
	tools []tool
	names map[string]bool
	// told says that an answer has explained the marks around data.
	told atomic.Bool
}

// New returns the tools that cfg allows. An unknown name among cfg.Tools is a
// CodeUsage error, and so is that none of them is left.
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
			b.tools = append(b.tools, t)
			b.names[t.name] = true
		}
	}
	if len(b.tools) == 0 && len(cfg.Tools) > 0 {
		return nil, &api.Error{Code: api.CodeUsage, Message: "no tool is left to serve", Hint: "All that --tools names are left out, as --read-only leaves out those that write."}
	}
	return b, nil
}

// has reports whether a tool is there.
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

// checkNames refuses names that no tool has.
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
