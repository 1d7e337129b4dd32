package content

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/reports"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/plot"
	"github.com/agnes-data/da/workspace"
)

// noRows answers nothing.
type noRows struct{ reports.Source }

// TestContentsAreDecodedElsewhere: where other processes work on contents, none is
// decoded in this one.
func TestContentsAreDecodedElsewhere(t *testing.T) {
	w := open(t)
	if _, err := Xlsx(t.Context(), w, Target{File: "a.xlsx", Create: true}, []sheet.Operation{{Op: sheet.EnsureSheet, Sheet: "May"}}); err != nil {
		t.Fatal(err)
	}
	elsewhere := errors.New("elsewhere")
	away := w.With(&workspace.Apart{Time: time.Hour, Run: func(context.Context, workspace.At, json.RawMessage) (json.RawMessage, error) { return nil, elsewhere }})
	for name, do := range map[string]func(context.Context) error{
		"describe": func(ctx context.Context) error { _, err := Describe(ctx, away, "a.xlsx"); return err },
		"read":     func(ctx context.Context) error { _, err := Read(ctx, away, "a.xlsx", ReadRequest{}); return err },
		"diff": func(ctx context.Context) error {
			_, err := Diff(ctx, away, Side{Ref: "a.xlsx"}, Side{Ref: "a.xlsx"})
			return err
		},
		"rows": func(ctx context.Context) error {
			_, _, err := RowsFile(ctx, away, "a.xlsx", nil, t.TempDir())
			return err
		},
		"edit": func(ctx context.Context) error { _, err := Xlsx(ctx, away, Target{File: "a.xlsx"}, nil); return err },
		"add": func(ctx context.Context) error {
			_, err := AddResult(ctx, away, Target{File: "a.xlsx"}, Place{}, Result{Rows: may})
			return err
		},
		"report": func(ctx context.Context) error { _, err := FillReport(ctx, away, "a.xlsx", noRows{}, true); return err },
	} {
		if err := do(t.Context()); !errors.Is(err, elsewhere) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// answering answers each placeholder alike.
type answering struct{ rows *reports.Rows }

// Rows implements reports.Source.
func (a answering) Rows(context.Context, string, int) (*reports.Rows, error) { return a.rows, nil }

// Plot implements reports.Source.
func (a answering) Plot(context.Context, plot.Kind, string) (*reports.Drawing, error) {
	return nil, nil
}

// TestAReportKeepsDigits on its way to the process that writes it, and its caveats.
func TestAReportKeepsDigits(t *testing.T) {
	w := open(t)
	text := []sheet.Operation{{Op: sheet.SetCells, Cells: []sheet.SetCell{{Cell: "A1", Value: "{{ value: SELECT 1 }} in all"}}}}
	if _, err := Xlsx(t.Context(), w, Target{File: "a.xlsx", Create: true}, text); err != nil {
		t.Fatal(err)
	}
	const digits = "123456789012345678.901234567890"
	from := answering{&reports.Rows{Columns: []string{"n"}, Dates: []bool{false}, Formats: []string{""}, Values: [][]any{{json.Number(digits)}},
		Caveats: []api.Caveat{api.NewCaveat(api.CaveatCut, "of a part")}}}
	done, err := FillReport(t.Context(), w, "a.xlsx", from, true)
	if err != nil || len(done.Report.Filled) != 1 || len(done.Report.Caveats) != 1 || done.Report.Caveats[0].Kind != api.CaveatCut {
		t.Fatalf("%+v, %v", done, err)
	}
	read, err := Read(t.Context(), w, "a.xlsx", ReadRequest{})
	if err != nil || len(read.Cells.Values) != 1 || read.Cells.Values[0][0] != digits+" in all" {
		t.Errorf("%+v, %v", read.Cells, err)
	}
}
