package app

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/words/humanize"
)

// Show prints a small answer: v as JSON, or list in any other format.
func (a *App) Show(format output.Format, v any, list output.List) error {
	if format == output.JSON {
		return a.PrintJSON(v)
	}
	var summary output.Summary
	err := a.Page(func(w io.Writer) (err error) {
		summary, err = output.WriteList(a.Ctx, w, list, format, a.OutputOptions())
		return err
	})
	if err != nil {
		return err
	}
	a.Told(summary)
	return nil
}

// Told reports what the output itself could not show.
func (a *App) Told(s output.Summary) {
	a.Tell(s.Caveats...)
	if n := len(s.LeftOut); n > 0 {
		were := "the columns %s were"
		if n == 1 {
			were = "the column %s was"
		}
		a.Note(fmt.Sprintf(were+" left out to fit the terminal; -o csv or --json shows all", strings.Join(s.LeftOut, ", ")))
	}
	if s.Clipped > 0 {
		fit := " cut to fit the terminal"
		if !a.IO.OutTerminal {
			fit = " too long for a table and cut"
		}
		a.Note(humanize.Plural(int64(s.Clipped), "cell was", "cells were") + fit + "; -o csv or --json shows all")
	}
}

// Executable returns the path of the running program, from the name that it was
// called by.
func (a *App) Executable() (string, error) {
	if path, err := exec.LookPath(a.Args0); err == nil {
		return filepath.Abs(path)
	}
	return os.Executable()
}

// ForPeople reports whether values are formatted for reading: numbers with units,
// ages. Formats for programs get raw values.
func ForPeople(f output.Format) bool { return f == output.Table || f == output.Markdown }
