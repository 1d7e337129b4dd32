package app

import (
	"fmt"

	"github.com/agnes-data/da/cli/output"
)

// ChangeResult is what a command prints with --json that changes something and has no result.
type ChangeResult struct {
	Done string `json:"done"`
}

// ReportDone says that a change without a result was made.
func (a *App) ReportDone(text string) error {
	format := a.OutputFormat()
	if format == output.Table {
		_, err := fmt.Fprintln(a.IO.Out, text)
		return err
	}
	return a.Show(format, ChangeResult{text}, output.List{Columns: []string{"done"}, Rows: [][]any{{text}}})
}
