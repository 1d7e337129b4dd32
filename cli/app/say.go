package app

import (
	"fmt"
	"io"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/printable"
)

// Say prints text on stderr, whether the reader is a person or a program.
func (a *App) Say(text string) { fmt.Fprintln(a.IO.Err, printable.Text(text)) }

// Note prints text on stderr for people. It prints nothing for programs that read
// JSON, or with --quiet.
func (a *App) Note(text string) {
	if !a.ErrorsAsJSON() && !a.Quiet {
		a.Say(text)
	}
}

// Detail prints text on stderr if --verbose is given.
func (a *App) Detail(text string) {
	if a.Verbose {
		a.Say(text)
	}
}

// Warn prints warnings, which also programs get.
func (a *App) Warn(warnings []string) { WarnOn(a.IO.Err, warnings) }

// WarnNotes adds the steps of notes to their texts, in place, and prints them as
// warnings.
func (a *App) WarnNotes(notes ...api.Note) { a.Warn(api.Texts(exit.WordNotes(notes))) }

// WarnOn writes warnings to w, a line each.
func WarnOn(w io.Writer, warnings []string) {
	for _, text := range warnings {
		fmt.Fprintln(w, "WARN: "+printable.Line(text))
	}
}

// BlankLine writes an empty line between two results.
func (a *App) BlankLine() { fmt.Fprintln(a.IO.Out) }

// Progress starts a progress line on stderr. It is shown on terminals only.
func (a *App) Progress(what string) *output.Progress {
	return output.StartProgress(a.IO.Err, output.ProgressOptions{Active: a.IO.ErrTerminal && !a.Quiet, Width: a.IO.ErrWidth, Label: what})
}
