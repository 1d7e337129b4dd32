package tables

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/query"
	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/toolbox/fit"
)

// fileRows renames table.Rows for embedding, because the type's own name would
// hide its field.
type fileRows = table.Rows

// fittedRows is what da table rows prints as JSON within a budget.
type fittedRows struct {
	fileRows
	fit.Part
}

// fittedResult is what da table query prints as JSON within a budget.
type fittedResult struct {
	table.Result
	fit.Part
}

// tableWindow collects rows for an answer within a budget; nil without a budget.
func tableWindow(a *app.App) (*fit.Window, error) {
	if a.OutputFormat() != output.JSON {
		return nil, nil
	}
	tokens, err := a.TokenBudget()
	if err != nil || tokens == 0 {
		return nil, err
	}
	return &fit.Window{Options: fit.Options{MaxTokens: tokens,
		Reserve: len(a.CommandWith("window-offset", "0")) + query.CommandBytes + a.Fenced()}}, nil
}

// takeWorded words the warnings of an answer before w counts their size.
func takeWorded(w *fit.Window) table.Taker {
	return func(head any) func(arrow.RecordBatch) {
		switch h := head.(type) {
		case table.Rows:
			exit.Word(h.Caveats)
		case table.Result:
			exit.Word(h.Caveats)
		}
		return w.Take(head)
	}
}

func showFittedRows(a *app.App, w *fit.Window, r *table.Rows) error {
	shown, err := w.Shown(r.Columns, r.ColumnTypes)
	if err != nil {
		return err
	}
	exit.Word(r.Caveats)
	out := fittedRows{fileRows: *r, Part: shown.Part}
	out.Columns, out.ColumnTypes, out.Rows = shown.Columns, shown.Types, shown.Rows
	out.RowCount = int64(len(shown.Rows))
	next := out.RowStart + out.RowCount
	if out.HasMore = next <= out.TotalRows; out.HasMore && out.RowCount > 0 {
		out.Rest = &fit.Rest{Command: a.CommandWith("start", strconv.FormatInt(next, 10))}
	}
	return a.PrintForReader(out)
}

func showFittedResult(a *app.App, w *fit.Window, r *table.Result) error {
	shown, err := w.Shown(r.Columns, r.ColumnTypes)
	if err != nil {
		return err
	}
	exit.Word(r.Caveats)
	out := fittedResult{Result: *r, Part: shown.Part}
	out.Columns, out.ColumnTypes, out.Rows = shown.Columns, shown.Types, shown.Rows
	out.RowCount = int64(len(shown.Rows))
	if out.HasMore = r.HasMore || out.RowCount < r.RowCount; out.HasMore && out.RowCount > 0 {
		out.Rest = &fit.Rest{Command: a.CommandWith("window-offset", strconv.FormatInt(r.WindowOffset+out.RowCount, 10))}
	}
	return a.PrintForReader(out)
}
