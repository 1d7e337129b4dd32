package app

import (
	"fmt"
	"io"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/printable"
)

// Say says something on stderr to people and programs alike.
func (a *App) Say(text string) { fmt.Fprintln(a.IO.Err, printable.Text(text)) }

// Note says something to people on stderr. Programs that read JSON are spared, as
// are those who want quiet.
func (a *App) Note(text string) {
	if !a.ErrorsAsJSON() && !a.Quiet {
		a.Say(text)
	}
}

// Detail says on stderr what only --verbose asks for.
func (a *App) Detail(text string) {
	if a.Verbose {
		a.Say(text)
	}
}

// Warn says what should not be missed, to people and programs alike.
func (a *App) Warn(warnings []string) { WarnOn(a.IO.Err, warnings) }

// WarnNotes words notes in place and warns of them.
func (a *App) WarnNotes(notes ...api.Note) { a.Warn(api.Texts(exit.WordNotes(notes))) }

// WarnOn writes warnings to w, a line each.
func WarnOn(w io.Writer, warnings []string) {
	for _, text := range warnings {
		fmt.Fprintln(w, "WARN: "+printable.Line(text))
	}
}

// BlankLine writes an empty line between two results.
func (a *App) BlankLine() { fmt.Fprintln(a.IO.Out) }

// Progress starts a line on stderr that tells how a transfer goes on; it shows
// on terminals only.
func (a *App) Progress(what string) *output.Progress {
	return output.StartProgress(a.IO.Err, output.ProgressOptions{Active: a.IO.ErrTerminal && !a.Quiet, Width: a.IO.ErrWidth, Label: what})
}
