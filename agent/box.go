package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox"
)

// unsafe are the tools that a model is not given: what they take away cannot be
// had again, or is not the model's to decide.
var unsafe = map[string]bool{"snapshot_drop": true, "catalog_sync": true}

// Boxed are the tools of a toolbox as an agent may use them: they replace nothing
// but snapshots that they have made themselves, in this conversation.
type Boxed struct {
	box   *toolbox.Box
	tools []Tool

	mu   sync.Mutex
	made map[string]bool // snapshots
}

// FromBox returns the tools of a box. made are snapshots that the conversation has
// made before.
func FromBox(box *toolbox.Box, made ...string) *Boxed {
	b := &Boxed{box: box, made: map[string]bool{}}
	for _, name := range made {
		b.made[name] = true
	}
	for _, d := range box.Definitions() {
		if unsafe[d.Name] {
			continue
		}
		schema, err := json.Marshal(d.In)
		if err != nil {
			panic(fmt.Sprintf("schema of tool %s: %v", d.Name, err)) // of our own types
		}
		b.tools = append(b.tools, Tool{Tool: provider.Tool{Name: d.Name, About: d.About, Schema: schema}, Reads: d.ReadOnly})
	}
	return b
}

// List implements Tools.
func (b *Boxed) List() []Tool { return b.tools }

// Call implements Tools.
func (b *Boxed) Call(ctx context.Context, name string, arguments json.RawMessage) (string, bool) {
	known := false
	for _, t := range b.tools {
		known = known || t.Name == name
	}
	if !known {
		o := refusal(api.CodeUsage, fmt.Sprintf("there is no tool '%s'", api.Clip(name, 60)), "Tools are "+b.names()+".")
		return o.text, true
	}
	if o, ok := b.mayReplace(name, arguments); !ok {
		return o.text, true
	}
	answer := b.box.Call(ctx, name, arguments, nil)
	if !answer.Failed && makes(name) {
		b.note(answer.Text)
	}
	return string(answer.Text), answer.Failed
}

func (b *Boxed) names() string {
	var names []string
	for _, t := range b.tools {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}

// mayReplace refuses calls that would replace a snapshot of the user's.
func (b *Boxed) mayReplace(tool string, arguments json.RawMessage) (outcome, bool) {
	var in struct {
		TableID string `json:"table_id"`
		As      string `json:"as"`
		Name    string `json:"name"`
		Force   bool   `json:"force"`
	}
	_ = json.Unmarshal(arguments, &in) // what is wrong with it is the tool's to say
	var name string
	switch {
	case makes(tool) && in.Force:
		if name = in.As; name == "" {
			name = in.TableID
		}
	case tool == "snapshot_refresh":
		name = in.Name
	default:
		return outcome{}, true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.made[name] {
		return outcome{}, true
	}
	return refusal(api.CodeForbidden, fmt.Sprintf("the snapshot '%s' was not made in this conversation, so it is not replaced", api.Clip(name, 60)),
		"Use another name, or ask the user to replace it."), false
}

// note remembers the snapshot that an answer says was made.
func (b *Boxed) note(answer []byte) {
	if name := madeIn(answer); name != "" {
		b.mu.Lock()
		b.made[name] = true
		b.mu.Unlock()
	}
}

// madeIn returns the snapshot that an answer of fetch or snapshot_import names.
func madeIn(answer []byte) string {
	var out struct {
		Snapshot struct {
			Name string `json:"name"`
		} `json:"snapshot"`
	}
	if json.Unmarshal(answer, &out) != nil {
		return ""
	}
	return out.Snapshot.Name
}

// Made returns the names of the snapshots that a conversation has made.
func Made(records []conversation.Record) []string {
	var names []string
	for _, r := range records {
		if r.Type != conversation.ToolResult || r.Failed {
			continue
		}
		if name := madeIn([]byte(r.Content)); name != "" && makes(r.Tool) {
			names = append(names, name)
		}
	}
	return names
}

// makes reports whether a tool makes snapshots.
func makes(tool string) bool { return tool == "fetch" || tool == "snapshot_import" }
