// Package tool is what all tools are made of: what a tool declares, what a call
// works on, and how its arguments are read and its answers and failures written.
// It knows no tool.
package tool

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/internal/guard/untrusted"
)

// need is a set of what a tool requires.
type need byte

// What tools need besides the service.
const (
	NeedsService need = 0
	NeedsStore   need = 1
	NeedsFiles   need = 2
	NeedsSpace   need = 4
	NeedsWeb     need = 8
)

// The sets that Config.Tools can name in addition to tools.
const (
	SetData      = "data"      // catalog, snapshots, queries, local tables: the default
	SetFiles     = "files"     // the workspace: list, look into, read, write text
	SetDocuments = "documents" // workbooks, documents and presentations of the workspace
	SetFine      = "fine"      // single steps on files of the workspace
)

// Tool is one row of the list of tools.
type Tool struct {
	Name  string
	Title string
	About string // for the model: what it does, and when to use it
	Set   string // empty means SetData
	Needs need
	// The effects of a call. A tool that only reads is idempotent and not
	// destructive.
	ReadOnly    bool
	Destructive bool
	Idempotent  bool
	// Open means that the tool contacts a source beyond this machine.
	Open bool
	Long bool // calls may take long: report progress
	// Engine means that the call could crash the process: the engine reads files
	// or statements from others, or a source that may be in this process.
	Engine bool

	// In and Out are the JSON schemas of arguments and answer.
	In, Out *jsonschema.Schema
	run     func(context.Context, *Call, json.RawMessage) (any, error)
}

// Required returns the names of the arguments that must be given.
func (t Tool) Required() []string { return t.arguments(true) }

// Optional returns the names of the arguments that may be omitted.
func (t Tool) Optional() []string { return t.arguments(false) }

func (t Tool) arguments(required bool) (names []string) {
	for _, name := range t.In.PropertyOrder {
		if slices.Contains(t.In.Required, name) == required {
			names = append(names, name)
		}
	}
	return names
}

// Tools is tools in their usual order of use.
type Tools []Tool

// Named returns the tool of that name; ok is false if it is not in the list.
func (l Tools) Named(name string) (t Tool, ok bool) {
	i := slices.IndexFunc(l, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return t, false
	}
	return l[i], true
}

// Call is one running call of a tool.
type Call struct {
	*Config
	tools    Tools
	fence    untrusted.Fence
	Progress *progress
	// told says that the caller already knows what the marks mean.
	told bool
	// next is the suggested next call; may be nil.
	next   *Step
	inputs []query.Input
}

// NewCall returns a call of one of these tools. told says that the caller already
// knows what the marks mean.
func NewCall(cfg *Config, tools Tools, told bool) *Call {
	return &Call{Config: cfg, tools: tools, fence: untrusted.NewFence(), told: told}
}

// Step is a call that a model may want to make next.
type Step struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
	Why       string         `json:"why,omitempty"`
}

// Answer is what a tool returns: a JSON object with marks around its data.
type Answer struct {
	Text []byte
	// Failed says that the call failed; the text says why, and what to change.
	Failed bool
	// Picture is a PNG that goes with the text; nil: none.
	Picture []byte `json:",omitempty"`
	// Inputs are the snapshots and the parts of tables that the call has read.
	Inputs []query.Input `json:",omitempty"`
}

// ServiceOnly reports whether the tool needs no snapshots or files of this machine.
func (t Tool) ServiceOnly() bool { return t.Needs == NeedsService }

// ByPath reports whether the tool reads or writes local files by path.
func (t Tool) ByPath() bool { return t.Needs&NeedsFiles != 0 }
