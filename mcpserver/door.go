package mcpserver

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/suggest"
	"github.com/agnes-data/da/table"
)

// Config says what a door opens to. A tool is there if what it stands on is.
type Config struct {
	// Version is that of the program.
	Version string
	// Service returns what answers about tables. It is called when a tool first
	// needs it, and again if it failed.
	Service func() (api.Service, error)
	// Work is the user's own work place; nil: there are no snapshots.
	Work *analyst.Analyst
	// Files answers questions about local files; nil: there are none.
	Files *table.Tables
	// Dir is the folder that relative paths are taken from.
	Dir string
	// EstimateFirst asks for the cost before each fetch.
	EstimateFirst bool
	// ReadOnly leaves out what writes files or snapshots.
	ReadOnly bool
	// Tools, if not empty, leaves out all but these.
	Tools []string
	// Now is the clock.
	Now func() time.Time
	// Explain adds to an error of the service what its caller may know besides;
	// nil: nothing.
	Explain func(*api.Error) *api.Error
	// Log is told of faults of ours; nil: nobody is.
	Log *slog.Logger

	requestID string          // of base
	base      context.Context //nolint:containedctx // the request that the whole server is for; nil: there is none
}

// door is what the tools stand on.
type door struct {
	Config
	names map[string]bool // of the tools that are there
}

// New returns a server with the tools that cfg allows. An unknown name among
// cfg.Tools is a CodeUsage error, and so is that none of them is left.
func New(cfg Config) (*mcp.Server, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if err := checkNames(cfg.Tools); err != nil {
		return nil, err
	}
	d := &door{Config: cfg, names: map[string]bool{}}
	var there []tool
	for _, t := range tools() {
		if d.has(t) {
			there = append(there, t)
			d.names[t.name] = true
		}
	}
	if len(there) == 0 && len(cfg.Tools) > 0 {
		return nil, &api.Error{Code: api.CodeUsage, Message: "no tool is left to serve", Hint: "All that --tools names are left out, as --read-only leaves out those that write."}
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "da", Title: "Agnes", Version: cfg.Version}, &mcp.ServerOptions{
		Instructions: d.instructions(),
		// Nothing is ever logged to clients.
		Capabilities:      &mcp.ServerCapabilities{},
		CompletionHandler: d.complete,
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.CacheScope = "private" // it depends on who asks
		},
	})
	for _, t := range there {
		s.AddTool(t.definition(), d.handler(t))
	}
	d.addResources(s)
	d.addPrompt(s)
	return s, nil
}

// has reports whether a tool is there.
func (d *door) has(t tool) bool {
	switch {
	case d.ReadOnly && !t.readOnly, len(d.Tools) > 0 && !slices.Contains(d.Tools, t.name):
		return false
	case t.needs&needsStore != 0 && d.Work == nil, t.needs&needsFiles != 0 && d.Files == nil:
		return false
	}
	return t.needs != needsService || d.Service != nil
}

// checkNames refuses names that no tool has.
func checkNames(names []string) error {
	var known []string
	for _, t := range tools() {
		known = append(known, t.name)
	}
	for _, name := range names {
		if slices.Contains(known, name) {
			continue
		}
		e := &api.Error{Code: api.CodeUsage, Message: fmt.Sprintf("there is no tool '%s'", api.Clip(name, 60)),
			Hint: "Tools are " + strings.Join(known, ", ") + "."}
		if near := suggest.Near(name, known); len(near) > 0 {
			e.Hint = "Did you mean " + strings.Join(near, " or ") + "? " + e.Hint
		}
		return e
	}
	return nil
}
