package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
)

// The families of steps; a step's name begins with its family.
const (
	Spreadsheet = "spreadsheet"
	PDF         = "pdf"
	Image       = "image"
)

// Step is one thing that can be done with a file.
type Step struct {
	Family string
	// Name is that of the tool without its family: read_range.
	Name  string
	Title string
	About string // description, in full sentences
	// ReadOnly says that the step changes nothing. Other steps write a new
	// version of a file, or a new file.
	ReadOnly bool
	// In and Out are structs: the arguments and the answer.
	In, Out reflect.Type

	// Run takes the step. in is a pointer to an In, the answer one to an Out.
	Run func(ctx context.Context, w *workspace.Workspace, in any) (any, error)
}

// Tool is the name of the tool.
func (s Step) Tool() string { return s.Family + "_" + s.Name }

// All lists the steps, family by family.
func All() []Step { return slices.Concat(spreadsheets(), pdfs(), images()) }

// step completes a description by its types.
func step[In, Out any](s Step, run func(ctx context.Context, w *workspace.Workspace, in *In) (*Out, error)) Step {
	s.In, s.Out = reflect.TypeFor[In](), reflect.TypeFor[Out]()
	s.Run = func(ctx context.Context, w *workspace.Workspace, in any) (any, error) {
		if w.IsApart() {
			return content.Elsewhere[*Out](ctx, w, s.Tool(), in)
		}
		return run(ctx, w, in.(*In))
	}
	return s
}

// Do does the job of another process in this one: a step, or one on contents.
func Do(ctx context.Context, w *workspace.Workspace, j content.Job) (any, error) {
	for _, s := range All() {
		if s.Tool() != j.Name {
			continue
		}
		in := reflect.New(s.In).Interface()
		if err := json.Unmarshal(j.In, in); err != nil {
			return nil, fmt.Errorf("read a job: %w", err)
		}
		return s.Run(ctx, w, in)
	}
	return content.Do(ctx, w, j)
}

// fileIn names a file.
type fileIn struct {
	File string `json:"file_id" jsonschema:"id or name of a file of the workspace"`
}

// writeIn holds the arguments that all changing steps have in common.
type writeIn struct {
	IfVersion int64 `json:"if_version,omitempty" jsonschema:"the version that you have read: refused if it has changed since"`
}

// boundIn bounds an answer.
type boundIn struct {
	MaxBytes int `json:"max_bytes,omitempty" jsonschema:"size of the answer; default 16000"`
}

const (
	defaultBytes = 16_000
	mostBytes    = 4_000_000
)

func (b boundIn) bytes() int {
	if b.MaxBytes <= 0 {
		return defaultBytes
	}
	return min(b.MaxBytes, mostBytes)
}

// Changed is a file after a change.
type Changed struct {
	OK      bool   `json:"ok"`
	ID      string `json:"id"`
	Name    string `json:"name"`
	Version int64  `json:"version"`
	// Stale says that some formulas have the values of before.
	Stale  bool `json:"stale,omitempty"`
	Pages  int  `json:"pages,omitempty"`
	Width  int  `json:"width,omitempty"`
	Height int  `json:"height,omitempty"`
	api.CaveatList
	// VersionsRemoved counts old versions that went to make room.
	VersionsRemoved int `json:"versions_removed,omitempty"`
}

func changed(f workspace.File) *Changed {
	return &Changed{OK: true, ID: f.ID, Name: f.Name, Version: f.Version, VersionsRemoved: f.VersionsRemoved}
}

// firstOf returns the first most elements of a list, and whether the list has
// more.
func firstOf[T any](list []T, most int) ([]T, bool) {
	return list[:min(len(list), most)], len(list) > most
}
