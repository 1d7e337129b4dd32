package app

import (
	"fmt"
	"io"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/internal/words/textwidth"
)

// Say prints text on stderr, whether the reader is a person or a program.
func (a *App) Say(text string) {
	fmt.Fprintln(a.notes(), textwidth.Fold(printable.Text(text), a.IO.ErrWidth, ""))
}

// notes is where notes and warnings go: stderr, above the progress line.
func (a *App) notes() io.Writer {
	if p := a.progress.Load(); p != nil {
		return p
	}
	return a.IO.Err
}

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
func (a *App) Warn(warnings []string) {
	for _, text := range warnings {
		fmt.Fprintln(a.notes(), textwidth.Fold("WARN: "+printable.Line(text), a.IO.ErrWidth, "      "))
	}
}

// Tell prints caveats, the most serious first, with their steps as commands.
func (a *App) Tell(caveats ...api.Caveat) {
	var warnings []api.Caveat
	for _, c := range exit.Word(api.Arranged(caveats)) {
		if c.Reason == api.ReasonApproved { // nothing to be warned of
			a.Note(c.Text)
			continue
		}
		warnings = append(warnings, c)
	}
	a.Warn(api.Texts(warnings))
}

// BlankLine writes an empty line between two results.
func (a *App) BlankLine() { fmt.Fprintln(a.IO.Out) }

// Progress starts a progress line on stderr. It is shown on terminals only.
func (a *App) Progress(what string) *output.Progress {
	p := output.StartProgress(a.IO.Err, output.ProgressOptions{Active: a.IO.ErrTerminal && !a.Quiet, Width: a.IO.ErrWidth, Label: what,
		Over: a.progress.Load()})
	a.progress.Store(p)
	return p
}
