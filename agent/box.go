package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox"
)

// Boxed gives an agent the tools of a toolbox, with a restriction: they replace
// only snapshots that they have made themselves in this conversation.
type Boxed struct {
	box    *toolbox.Box
	tools  []Tool
	within []Tool          // for code alone
	paths  map[string]bool // tools that read local files
	folder Folder

	mu   sync.Mutex
	made map[string]bool // snapshots
}

// Folder is where tools find files by their paths.
type Folder interface {
	// Show brings a file of the workspace to its path before a tool reads it.
	Show(ctx context.Context, path string) error
	// Keep stores a file that a tool has written in the workspace.
	Keep(ctx context.Context, path string, caveats []api.Caveat) error
}

// In lets the tools find the workspace's files in a folder.
func (b *Boxed) In(f Folder) *Boxed {
	b.folder = f
	return b
}

// FromBox returns the tools of a box. made are snapshots that the conversation has
// made before.
func FromBox(box *toolbox.Box, made ...string) *Boxed {
	b := &Boxed{box: box, made: map[string]bool{}, paths: map[string]bool{}}
	for _, name := range made {
		b.made[name] = true
	}
	for _, d := range box.Definitions() {
		if d.Destructive && replacing[d.Name] == nil {
			continue
		}
		b.paths[d.Name] = d.ByPath()
		schema, err := json.Marshal(box.Listed(d, false))
		if err != nil {
			panic(fmt.Sprintf("schema of tool %s: %v", d.Name, err)) // of our own types
		}
		t := Tool{Tool: provider.Tool{Name: d.Name, About: d.About, Schema: schema}, Reads: d.ReadOnly}
		if slices.Contains(given, d.Name) || slices.Contains(given, cmp.Or(d.Set, given[0])) {
			b.tools = append(b.tools, t)
		} else {
			b.within = append(b.within, t)
		}
	}
	return b
}

// Only leaves the tools that are reported to be known.
func (b *Boxed) Only(known func(tool string) bool) *Boxed {
	unknown := func(t Tool) bool { return !known(t.Name) }
	b.tools, b.within = slices.DeleteFunc(b.tools, unknown), slices.DeleteFunc(b.within, unknown)
	return b
}

// given are the tools and sets of tools that a model is given, as far as they are there.
var given = []string{"data", "files", "documents", "file_search_text", "file_replace_lines", "file_insert_lines", "file_copy",
	"file_rename", "file_delete", "file_download", "list_datasets", "get_dataset_info", "find_value_columns",
	"pdf_get_form_fields", "pdf_fill_form", "pdf_merge", "pdf_split_pages", "pdf_add_page", "pdf_add_text", "pdf_add_image", "pdf_delete_page",
	"image_info", "image_resize", "image_crop", "image_convert", "image_composite"}

// ToolSets are those that a conversation's box has. Code in Python calls the others.
var ToolSets = append(slices.Clone(given), "fine")

// DraftLesson tells a model about the files that it can change.
const DraftLesson = "What you write to files lies in a draft, which the user looks at and applies: say which files you have changed. Tools for local files take the workspace's files by their names, too."

// Lessons is the advice for the tools that a conversation begins with.
func (b *Boxed) Lessons() []string {
	return toolbox.Lessons(func(name string) bool { return b.Has(name) && setOf(name) == "" })
}

// JoinLessons returns the lessons of several boxes, each once.
func JoinLessons(lists ...[]string) (all []string) {
	for _, list := range lists {
		for _, l := range list {
			if !slices.Contains(all, l) {
				all = append(all, l)
			}
		}
	}
	return all
}

// Has reports whether there is a tool of that name.
func (b *Boxed) Has(name string) bool {
	named := func(t Tool) bool { return t.Name == name }
	return slices.ContainsFunc(b.tools, named) || slices.ContainsFunc(b.within, named)
}

// FileTools are the tools for files of the workspace that code can call, those that the
// model has as well.
func (b *Boxed) FileTools() []Tool {
	return slices.DeleteFunc(slices.Concat(b.tools, b.within), func(t Tool) bool {
		family, _, _ := strings.Cut(t.Name, "_")
		return !slices.Contains([]string{"file", "spreadsheet", "pdf", "image"}, family)
	})
}

// List implements Tools.
func (b *Boxed) List() []Tool { return b.tools }

// Call implements Tools.
func (b *Boxed) Call(ctx context.Context, name string, arguments json.RawMessage) (string, bool) {
	if !b.Has(name) {
		o := refusal(api.CodeUsage, fmt.Sprintf("there is no tool '%s'", api.Clip(name, 60)), "")
		return o.text, true
	}
	if o, ok := b.mayReplace(name, arguments); !ok {
		return o.text, true
	}
	if err := b.show(ctx, name, arguments); err != nil {
		return Failed(err)
	}
	answer := b.box.Call(ctx, name, arguments, nil)
	if answer.Failed {
		return string(answer.Text), true
	}
	if makes(name) {
		b.note(answer.Text)
	}
	leave(ctx, answer)
	if err := b.keep(ctx, name, arguments, answer.Text); err != nil {
		return Failed(err)
	}
	return string(answer.Text), false
}

// show brings the files that a call names to their paths.
func (b *Boxed) show(ctx context.Context, tool string, arguments json.RawMessage) error {
	if b.folder == nil || !b.paths[tool] {
		return nil
	}
	for _, path := range NamedFiles(arguments) {
		if err := b.folder.Show(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

// NamedFiles are what can be files among the arguments of a tool.
func NamedFiles(arguments json.RawMessage) []string {
	var in struct {
		Path   string                           `json:"path"`
		Name   string                           `json:"name"` // of a data set
		Target string                           `json:"target_path"`
		Tables map[string]struct{ Path string } `json:"tables"`
	}
	_ = json.Unmarshal(arguments, &in) // the tool reports invalid arguments
	paths := []string{in.Path, in.Name, in.Target}
	for _, name := range slices.Sorted(maps.Keys(in.Tables)) {
		paths = append(paths, in.Tables[name].Path)
	}
	return slices.DeleteFunc(paths, func(path string) bool { return path == "" })
}

// keep stores the file that a call has written.
func (b *Boxed) keep(ctx context.Context, name string, arguments json.RawMessage, answer []byte) error {
	if b.folder == nil || !b.paths[name] {
		return nil
	}
	return KeepWritten(ctx, b.folder, arguments, answer)
}

// KeepWritten stores the file that a call has written, if its arguments name one.
func KeepWritten(ctx context.Context, to Folder, arguments json.RawMessage, answer []byte) error {
	var in struct {
		Target string `json:"target_path"`
	}
	var out api.CaveatList
	if err := json.Unmarshal(arguments, &in); err != nil || in.Target == "" {
		return err
	}
	_ = json.Unmarshal(answer, &out) // one without caveats need not be an object
	return to.Keep(ctx, in.Target, out.Caveats)
}

// Failed is an error as models read those of the toolbox.
func Failed(err error) (answer string, failed bool) {
	var said failedAnswer
	if errors.As(err, &said) {
		return said.text, true
	}
	var e *api.Error
	if !errors.As(err, &e) {
		e = &api.Error{Code: api.CodeInternal, Message: err.Error()}
	}
	return failedBy(e), true
}

// ErrorOf is the error in the answer of a call that has failed; nil of others.
func ErrorOf(answer string, failed bool) error {
	if !failed {
		return nil
	}
	var body struct {
		Error struct {
			Code    api.Code `json:"code"`
			Message string   `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(answer), &body) != nil || body.Error.Code == "" {
		return &api.Error{Code: api.CodeBadRequest, Message: "the call has failed"} // of Python's
	}
	return &api.Error{Code: body.Error.Code, Message: body.Error.Message}
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

// failedAnswer is an error in the words of a tool, as a model reads it.
type failedAnswer struct{ text string }

// Error implements error: the message for people.
func (f failedAnswer) Error() string {
	var body struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(f.text), &body) != nil || body.Error.Message == "" {
		return "the rows could not be read"
	}
	return body.Error.Message
}
