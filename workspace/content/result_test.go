package content

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/document/pptx"
	"github.com/agnes-data/da/document/reports"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/workspace"
)

var may = &reports.Rows{
	Columns: []string{"day", "region", "sales"}, Dates: []bool{true, false, false}, Formats: []string{"", "", "0.00"},
	Values: [][]any{{"2024-05-01", "north", json.Number("3.50")}, {"2024-05-02", "=south", nil}},
}

// TestResultsGoIntoFiles puts rows and drawings into new files and those that are
// there, and takes the rows out again.
func TestResultsGoIntoFiles(t *testing.T) {
	w, ctx := open(t), t.Context()
	var dot bytes.Buffer
	if err := png.Encode(&dot, image.NewGray(image.Rect(0, 0, 40, 20))); err != nil {
		t.Fatal(err)
	}
	plot := Result{Drawing: &reports.Drawing{PNG: dot.Bytes()}, SQL: "FROM may"}
	first := 0
	for i, step := range []struct {
		file   string
		place  Place
		result Result
		at     string
	}{
		{"b.xlsx", Place{Sheet: "May", Table: "sales"}, Result{Rows: may}, "May!A1:C3"},
		{"b.xlsx", Place{}, Result{Rows: may}, "Result!A1:C3"},
		{"b.xlsx", Place{}, Result{Rows: may}, "Result 2!A1:C3"},
		{"b.xlsx", Place{Sheet: "may"}, Result{Rows: may}, "may!A5:C7"},
		{"b.xlsx", Place{Sheet: "May", Start: "F1"}, plot, "May!F1"},
		{"m.docx", Place{Title: "Sales"}, Result{Rows: may}, "the end of the document"},
		{"m.docx", Place{Section: "Sales"}, plot, "section Sales"},
		{"d.pptx", Place{Title: "Sales"}, Result{Rows: may}, "slide 0"},
		{"d.pptx", Place{}, plot, "slide 1"},
		{"d.pptx", Place{Slide: &first, Title: "May"}, plot, "slide 0"},
	} {
		added, err := AddResult(ctx, w, Target{File: step.file, Create: true}, step.place, step.result)
		if err != nil || added.At != step.at || len(added.Caveats) > 0 {
			t.Fatalf("step %d: %+v, %v", i, added, err)
		}
	}
	err := Cells(ctx, w, "b.xlsx", func(b sheet.Cells) error {
		for ref, number := range map[string]string{"A2": "yyyy-mm-dd", "C2": "0.00"} {
			c, err := b.ReadCell("May", ref)
			if err != nil || c.Format.Number != number {
				t.Errorf("%s: %+v, %v", ref, c, err)
			}
		}
		info, err := b.Info()
		if s := info.Sheets[0]; len(s.Tables) != 2 || s.Tables[0].Name != "sales" || !s.Drawings || s.Formulas > 0 {
			t.Errorf("%+v", s)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"m.docx": "## Sales\n\n| day | region | sales |", "d.pptx": "## Slide 0: May"} {
		if r, err := Read(ctx, w, file, ReadRequest{}); err != nil || !strings.Contains(r.Words(), want) || !strings.Contains(r.Words(), "image1.png") {
			t.Errorf("%s: %+v, %v", file, r, err)
		}
	}
	path, name, err := RowsFile(ctx, w, "m.docx", nil, t.TempDir())
	if err != nil || name != "m.docx" {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "day,region,sales\n2024-05-01,north,3.50\n2024-05-02,=south,\n" {
		t.Errorf("%q, %v", data, err)
	}
}

// TestResultsThatDoNotFit says why, and changes nothing.
func TestResultsThatDoNotFit(t *testing.T) {
	w, ctx := open(t), t.Context()
	if _, err := WriteText(ctx, w, Target{File: "a.csv"}, "a\n1\n"); err != nil {
		t.Fatal(err)
	}
	two := []docx.Operation{{Op: docx.AppendTable, Rows: [][]any{{"a"}, {1}}}, {Op: docx.AppendTable, Rows: [][]any{{"b"}, {2}}}}
	if _, err := Docx(ctx, w, Target{File: "two.docx", Create: true}, two); err != nil {
		t.Fatal(err)
	}
	if _, err := Pptx(ctx, w, Target{File: "d.pptx", Create: true}, []pptx.Operation{{Op: pptx.AddSlide}}); err != nil {
		t.Fatal(err)
	}
	seventh := 7
	for what, do := range map[string]func() error{
		"is not a workbook, document or presentation": func() error {
			_, err := AddResult(ctx, w, Target{File: "a.csv"}, Place{}, Result{Rows: may})
			return err
		},
		"there is no file": func() error { _, err := MostRows(ctx, w, Target{File: "none.xlsx"}); return err },
		"there is no slide 7": func() error {
			_, err := AddResult(ctx, w, Target{File: "d.pptx"}, Place{Slide: &seventh}, Result{Rows: may})
			return err
		},
		"it has 2 tables":     func() error { _, _, err := RowsFile(ctx, w, "two.docx", nil, t.TempDir()); return err },
		"there is no table 7": func() error { _, _, err := RowsFile(ctx, w, "two.docx", &seventh, t.TempDir()); return err },
		"tables are chosen":   func() error { _, _, err := RowsFile(ctx, w, "a.csv", &seventh, t.TempDir()); return err },
		"has no rows":         func() error { _, _, err := RowsFile(ctx, w, "d.pptx", nil, t.TempDir()); return err },
	} {
		if err := do(); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestDifferences compares files by what there is to read in them.
func TestDifferences(t *testing.T) {
	w, ctx := open(t), t.Context()
	diff := func(ref string) string {
		t.Helper()
		c, err := Diff(ctx, w, Side{Ref: ref, Version: 1}, Side{Ref: ref})
		if err != nil {
			t.Fatal(err)
		}
		return c.Diff
	}
	for _, content := range []string{"one\ntwo\n", "one\nthree\n"} {
		if _, err := WriteText(ctx, w, Target{File: "a.md"}, content); err != nil {
			t.Fatal(err)
		}
	}
	for _, value := range []any{1, 2} {
		if _, err := Xlsx(ctx, w, Target{File: "b.xlsx", Create: true}, []sheet.Operation{{Op: sheet.SetRange, Start: "A1", Values: [][]any{{"a"}, {value}}}}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := diff("a.md"), "--- a.md (version 1)\n+++ a.md (version 2)\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n"; got != want {
		t.Errorf("%s", got)
	}
	for _, content := range []string{"W\xe4hrung\nM\xfcller\n", "W\xe4hrung\nM\xfcllers\n"} {
		if _, err := w.Put(ctx, workspace.PutRequest{Name: "l.csv"}, strings.NewReader(content)); err != nil {
			t.Fatal(err)
		}
	}
	if got := diff("l.csv"); !strings.Contains(got, " Währung\n-Müller\n+Müllers\n") {
		t.Errorf("%s", got)
	}
	if got := diff("b.xlsx"); !strings.Contains(got, "-[1]\n+[2]\n") {
		t.Errorf("%s", got)
	}
	w = w.With(&workspace.Apart{Time: time.Hour, Run: func(context.Context, workspace.At, json.RawMessage) (json.RawMessage, error) {
		return nil, &api.Error{Code: api.CodeBudget, Kind: api.KindMemory}
	}})
	if _, err := Diff(ctx, w, Side{Ref: "b.xlsx", Version: 1}, Side{Ref: "b.xlsx"}); err == nil || !strings.Contains(err.Error(), "'b.xlsx' takes more memory") {
		t.Errorf("a workbook was compared in this process: %v", err)
	}
}
