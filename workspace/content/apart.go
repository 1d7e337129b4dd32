package content

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/workspace"
)

// Memory is what a process that works on contents may take, in bytes.
const Memory = 800_000_000

// Job is work on contents that another process does.
type Job struct {
	Name string          `json:"name"`
	In   json.RawMessage `json:"in"`
}

// The names of jobs that are not steps.
const (
	jobDescribe = "describe"
	jobRead     = "read"
	jobCompare  = "compare"
	jobDiff     = "diff"
	jobRows     = "rows"
	jobAdd      = "add"
	// Of a report's template.
	jobPlaceholders = "placeholders"
	jobFill         = "fill"
	jobRender       = "render"
	jobFigures      = "figures"
)

// Done is the answer of another process to a job.
type Done struct {
	Out   json.RawMessage `json:"out,omitempty"`
	Error *api.ErrorBody  `json:"error,omitempty"`
	Text  string          `json:"text,omitempty"` // of an error that is none of the contract
	// Offline is for the workspace of the server.
	Offline *workspace.Offline `json:"offline,omitempty"`
}

// isApart reports whether a job on a file is for another process. Texts are read as
// streams, in this one.
func isApart(ctx context.Context, w *workspace.Workspace, ref string) bool {
	if !w.IsApart() {
		return false
	}
	f, err := w.Info(ctx, ref)
	return err != nil || decodes(f)
}

// decodes reports whether a file is more than bytes or text.
func decodes(f workspace.File) bool {
	kind := KindOf(f)
	return kind != Text && kind != Other
}

// Elsewhere has another process do a job.
func Elsewhere[Out any](ctx context.Context, w *workspace.Workspace, name string, in any) (out Out, err error) {
	args, err := json.Marshal(in)
	var data []byte
	if err == nil {
		data, err = json.Marshal(Job{name, args})
	}
	if err != nil {
		return out, fmt.Errorf("write a job: %w", err)
	}
	said, err := w.Elsewhere(ctx, data)
	if err != nil {
		return out, ended(ctx, worked(ctx, w, args), err)
	}
	var d Done
	if err := json.Unmarshal(said, &d); err != nil {
		return out, fmt.Errorf("read the answer to a job: %w", err)
	}
	switch {
	case d.Error != nil:
		return out, d.Error.Error()
	case d.Text != "":
		return out, errors.New(d.Text)
	}
	exact := json.NewDecoder(bytes.NewReader(d.Out))
	exact.UseNumber() // cells keep all digits of their numbers
	if err := exact.Decode(&out); err != nil {
		return out, fmt.Errorf("read the answer to a job: %w", err)
	}
	return out, nil
}

// worked names the file that a job is about.
func worked(ctx context.Context, w *workspace.Workspace, args json.RawMessage) string {
	var in struct {
		Ref    string `json:"ref"`
		FileID string `json:"file_id"`
		Target Target `json:"target"`
		After  Side   `json:"after"`
	}
	if json.Unmarshal(args, &in) != nil { // that of jobDescribe is the name alone
		_ = json.Unmarshal(args, &in.Ref)
	}
	if f, err := w.Info(ctx, cmp.Or(in.Ref, in.FileID, in.Target.File, in.After.Ref)); err == nil {
		return "'" + f.Name + "'"
	}
	return "the file"
}

// ended says why a process that worked on a file has given no answer.
func ended(ctx context.Context, file string, err error) error {
	const smaller = "Read a part of it, or divide it in the program that made it: fewer pages, sheets or pixels."
	switch {
	case ctx.Err() != nil:
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return &api.Error{Code: api.CodeTimeout, Kind: api.KindFile, Message: file + " takes too long", Hint: smaller, Err: err}
	case errors.Is(err, &api.Error{Code: api.CodeBudget, Kind: api.KindMemory}):
		return &api.Error{Code: api.CodeBudget, Kind: api.KindMemory,
			Message: fmt.Sprintf("%s takes more memory than %d MB", file, Memory/1_000_000), Hint: smaller, Err: err}
	case errors.Is(err, &api.Error{Code: api.CodeUnexpected, Kind: api.KindEngineCrashed}):
		return &api.Error{Code: api.CodeReadFailed, Kind: api.KindCrashed, Message: "the process that worked on " + file + " crashed",
			Hint: "Open the file in the program that made it and save it again.", Err: err}
	}
	return err
}

// editIn are the arguments of the jobs that edit files.
type editIn[Op any] struct {
	Target Target `json:"target"`
	As     string `json:"as,omitempty"`
	Ops    []Op   `json:"ops"`
}

type readIn struct {
	Ref     string      `json:"ref"`
	Request ReadRequest `json:"request"`
}

type rowsIn struct {
	Ref   string `json:"ref"`
	Table *int   `json:"table,omitempty"`
	Dir   string `json:"dir"`
}

type rowsOut struct{ Path, Name string }

// Side is a content to compare: a file as it is in the view, or a version of it.
type Side struct {
	Ref     string `json:"ref"`
	Version int64  `json:"version,omitempty"`
}

type diffIn struct {
	Before Side `json:"before"`
	After  Side `json:"after"`
}

// Target says which file a change is for.
type Target struct {
	File string // id or name
	// Create makes a file that does not exist yet.
	Create    bool
	IfVersion int64 // 0: any
	// Encoding is that of a text; "": detected.
	Encoding string
	// Password opens an encrypted PDF, which stays encrypted.
	Password string
}
