package agent

import (
	"encoding/json"
	"fmt"

	"github.com/agnes-data/da/api"
)

// target is what a call says of the snapshot that it writes.
type target struct {
	TableID string `json:"table_id"`
	As      string `json:"as"`
	Name    string `json:"name"`
	Force   bool   `json:"force"`
}

// replacing lists the tools that may take something away and that a model is given,
// each with the name of the snapshot that a call replaces; "" if it replaces none.
// A model gets no other such tool: what those take away cannot be brought back, or
// is for the user to decide.
var replacing = map[string]func(target) string{
	"fetch": target.forced, "snapshot_import": target.forced, "import_file": target.forced,
	"snapshot_refresh": target.named, "snapshot_restore": target.named,
	// They write into the conversation's draft or folder.
	"table_export": target.nothing, "file_write_bytes": target.nothing, "file_delete": target.nothing,
}

func (t target) nothing() string { return "" }

func (t target) named() string { return t.Name }

func (t target) forced() string {
	switch {
	case !t.Force:
		return ""
	case t.As != "":
		return t.As
	}
	return t.TableID
}

// makes reports whether a tool makes snapshots.
func makes(tool string) bool {
	return tool == "fetch" || tool == "snapshot_import" || tool == "import_file"
}

// mayReplace refuses calls that would replace a snapshot of the user's.
func (b *Boxed) mayReplace(tool string, arguments json.RawMessage) (outcome, bool) {
	replaced := replacing[tool]
	if replaced == nil {
		return outcome{}, true
	}
	var in target
	_ = json.Unmarshal(arguments, &in) // what is wrong with it is the tool's to say
	name := replaced(in)
	b.mu.Lock()
	defer b.mu.Unlock()
	if name == "" || b.made[name] {
		return outcome{}, true
	}
	return refusal(api.CodeForbidden, fmt.Sprintf("the snapshot '%s' was not made in this conversation, so it is not replaced",
		api.Clip(name, 60)), "Use another name, or ask the user to replace it."), false
}
