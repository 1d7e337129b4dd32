package toolbox

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/suggest"
	"github.com/agnes-data/da/toolbox/tool"
)

// Box has the tools that a Config allows. It is safe for concurrent use.
type Box struct {
	tool.Config
	tools tool.Tools
	// told says that an earlier answer has explained the marks around data.
	told atomic.Bool
}

// New returns the box for cfg. Unknown names in cfg.Tools are CodeUsage errors,
// and so is a box without any tool.
func New(cfg tool.Config) (*Box, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if err := checkNames(cfg.Tools); err != nil {
		return nil, err
	}
	b := &Box{Config: cfg}
	for _, t := range tools() {
		if b.offers(t) {
			if b.ReadOnly {
				t.In = without(t.In, api.OptionFetch)
			}
			b.tools = append(b.tools, t)
		}
	}
	if len(b.tools) == 0 && len(cfg.Tools) > 0 {
		return nil, &api.Error{Code: api.CodeUsage, Message: "no tool is left to serve",
			Hint: "All that --tools names are left out, as --read-only leaves out those that write."}
	}
	return b, nil
}

// Definitions returns the tools of the box, in their usual order of use.
func (b *Box) Definitions() []tool.Tool { return b.tools }

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

// offers reports whether the box has what a tool needs.
func (b *Box) offers(t tool.Tool) bool {
	switch {
	case b.ReadOnly && !t.ReadOnly, !b.asked(t):
		return false
	case t.Needs&tool.NeedsSpace != 0 && b.Space == nil, t.Needs&tool.NeedsWeb != 0 && len(b.DownloadHosts) == 0,
		t.Needs&tool.NeedsStore != 0 && b.Work == nil, t.ByPath() && b.Files == nil && b.FileCalls == nil:
		return false
	}
	return t.Needs != tool.NeedsService || b.Data != nil
}

// asked reports whether the config names a tool or its set.
func (b *Box) asked(t tool.Tool) bool {
	set := cmp.Or(t.Set, tool.SetData)
	if len(b.Tools) == 0 {
		return set == tool.SetData
	}
	return slices.Contains(b.Tools, t.Name) || slices.Contains(b.Tools, set)
}

// checkNames rejects unknown tool names.
func checkNames(names []string) error {
	known := slices.Clone(sets)
	for _, t := range tools() {
		known = append(known, t.Name)
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
