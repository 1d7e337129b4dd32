package reports

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/document/pptx"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/plot"
)

// canned answers statements from a list.
type canned map[string]*Rows

func (c canned) Rows(_ context.Context, sql string, most int) (*Rows, error) {
	rows, ok := c[sql]
	if !ok {
		return nil, &api.Error{Code: api.CodeStatement, Message: "no answer to " + sql}
	}
	if len(rows.Values) > most {
		return nil, &api.Error{Code: api.CodeTooLarge, Message: "too many rows"}
	}
	return rows, nil
}

func (c canned) Plot(_ context.Context, kind plot.Kind, sql string) (*Drawing, error) {
	if _, ok := c[string(kind)+" "+sql]; !ok {
		return nil, &api.Error{Code: api.CodeStatement, Message: "no plot of " + sql}
	}
	var b bytes.Buffer
	err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 20, 10)))
	return &Drawing{PNG: b.Bytes()}, err
}

var sales = canned{
	"SELECT 42":     {Columns: []string{"n"}, Dates: []bool{false}, Values: [][]any{{json.Number("42")}}},
	"SELECT $month": {Columns: []string{"m"}, Dates: []bool{false}, Values: [][]any{{"May"}}},
	"FROM may": {Columns: []string{"day", "sales"}, Dates: []bool{true, false}, Values: [][]any{
		{"2024-05-01", json.Number("3.5")}, {"2024-05-02", nil}}},
	"SELECT 1, 2":     {Columns: []string{"a", "b"}, Dates: []bool{false, false}, Values: [][]any{{json.Number("1"), json.Number("2")}}},
	"bar SELECT 1, 2": {},
}

func filled(t *testing.T, format string, template []byte) ([]byte, *Report) {
	t.Helper()
	var out bytes.Buffer
	report, err := Fill(t.Context(), format, bytes.NewReader(template), int64(len(template)), &out, sales, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), report
}

func blankDocx(t *testing.T, ops ...docx.Operation) []byte {
	t.Helper()
	empty, err := docx.Blank()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := docx.Edit(bytes.NewReader(empty), int64(len(empty)), &out, ops, docx.Options{}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestDocument(t *testing.T) {
	template := blankDocx(t, docx.Operation{Op: docx.AppendHeading, Text: "Sales in {{ value: $month }}"},
		docx.Operation{Op: docx.AppendParagraph, Text: "There were {{value:SELECT 42}}, again {{value:SELECT 42}}."},
		docx.Operation{Op: docx.AppendParagraph, Text: "{{ table: may }}"}, docx.Operation{Op: docx.AppendParagraph, Text: "{{ plot: bar SELECT 1, 2 }}"},
		docx.Operation{Op: docx.AppendParagraph, Text: "{{ table: may }}"})
	out, report := filled(t, ".docx", template)
	doc, err := docx.Open(bytes.NewReader(out), int64(len(out)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := doc.Read("")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Sales in May", "There were 42, again 42.", "| day | sales |", "2024-05-02"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "{{") || strings.Contains(text, "\ue000") || strings.Count(text, "| day | sales |") != 2 {
		t.Errorf("got\n%s", text)
	}
	outline, err := doc.Outline()
	if err != nil || len(outline.Pictures) != 1 || len(outline.Tables) != 2 {
		t.Errorf("outline: %+v %v", outline, err)
	}
	if f := report.Filled[3]; len(report.Filled) != 6 || f.At != "paragraph 3" || f.Kind != Table || f.Rows != 2 {
		t.Errorf("the report is %+v", report.Filled)
	}
}

func TestWorkbook(t *testing.T) {
	empty, err := sheet.Blank("May")
	if err != nil {
		t.Fatal(err)
	}
	var template bytes.Buffer
	_, err = sheet.Edit(bytes.NewReader(empty), int64(len(empty)), &template, []sheet.Operation{{Op: sheet.SetCells, Cells: []sheet.SetCell{
		{Cell: "A1", Value: "Sales in {{ value: $month }}: {{value: SELECT 42}}"}, {Cell: "B1", Value: "{{ value: SELECT 42 }}"}, {Cell: "C1", Formula: "B1*2"}, {Cell: "B3", Value: "{{ TABLE: may }}"}, {Cell: "E3", Value: "{{sql: SELECT 1, 2}}"},
		{Cell: "H1", Value: "{{ plot: bar SELECT 1, 2 }}"},
	}}}, sheet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out, report := filled(t, ".xlsx", template.Bytes())
	book, err := sheet.Open(bytes.NewReader(out), int64(len(out)))
	if err != nil {
		t.Fatal(err)
	}
	for cell, want := range map[string]any{
		"A1": "Sales in May: 42", "B1": json.Number("42"), "B3": "day", "C3": "sales", "B4": "2024-05-01", "C4": json.Number("3.5"), "C5": nil,
		"E3": json.Number("1"), "F3": json.Number("2"), "H1": nil,
	} {
		got, err := book.ReadCell("May", cell)
		if err != nil || got.Value != want {
			t.Errorf("%s: %+v %v, want %v", cell, got, err, want)
		}
	}
	if c, err := book.ReadCell("May", "B4"); err != nil || c.Format.Number != "yyyy-mm-dd" {
		t.Errorf("the date: %+v %v", c, err)
	}
	if c, err := book.ReadCell("May", "C1"); err != nil || c.Formula != "B1*2" || c.Value != json.Number("84") || c.Stale {
		t.Errorf("the formula: %+v %v", c, err)
	}
	if info, err := book.Info(); err != nil || !info.Sheets[0].Drawings {
		t.Errorf("the plot: %+v %v", info, err)
	}
	if len(report.Filled) != 6 || report.Filled[0].At != "May!A1" || len(report.Caveats) != 0 {
		t.Errorf("the report is %+v", report)
	}
}

func TestPresentation(t *testing.T) {
	empty, err := pptx.Blank()
	if err != nil {
		t.Fatal(err)
	}
	title, body, other := "{{ value: $month }}", "{{ table: may }}", "{{ plot: bar SELECT 1, 2 }}"
	var template bytes.Buffer
	_, err = pptx.Edit(bytes.NewReader(empty), int64(len(empty)), &template, []pptx.Operation{
		{Op: pptx.AddSlide, Title: &title, Text: &body}, {Op: pptx.AddSlide, Title: &title, Text: &other}}, pptx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out, report := filled(t, ".pptx", template.Bytes())
	p, err := pptx.Open(bytes.NewReader(out), int64(len(out)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := p.ReadAll(1 << 20)
	if err != nil || strings.Contains(text, "{{") || strings.Count(text, "May") != 2 || !strings.Contains(text, "2024-05-01") {
		t.Errorf("%v\n%s", err, text)
	}
	if len(report.Filled) != 4 {
		t.Errorf("the report is %+v", report)
	}
}

// TestFaultsHaveTheirPlace holds that each error says where in the template it is.
func TestFaultsHaveTheirPlace(t *testing.T) {
	for text, want := range map[string]string{
		"{{ valeu: SELECT 42 }}":      "Did you mean 'value'?",
		"{{ value }}":                 "is not a placeholder",
		"{{ value: }}":                "has no statement",
		"{{ value: SELECT 1, 2 }}":    "has 1 rows of 2 columns",
		"{{ value: SELECT 43 }}":      "no answer to SELECT 43",
		"{{ plot: pie SELECT 1, 2 }}": "needs a kind",
		"{{ plot: line SELECT 1 }}":   "no plot of SELECT 1",
		"{{ value: SELECT 42":         "does not end with }}",
		"see {{ table: may }}":        "a paragraph of its own",
	} {
		template := blankDocx(t, docx.Operation{Op: docx.AppendParagraph, Text: "first"}, docx.Operation{Op: docx.AppendParagraph, Text: text})
		var out bytes.Buffer
		_, err := Fill(t.Context(), ".docx", bytes.NewReader(template), int64(len(template)), &out, sales, time.Time{})
		var e *api.Error
		if !errors.As(err, &e) || !strings.Contains(e.Message+" "+e.Hint, want) || !strings.HasPrefix(e.Message, "paragraph 2: '{{ ") || e.Details["at"] != "paragraph 2" || out.Len() != 0 {
			t.Errorf("%s: %v", text, err)
		}
	}
	template := blankDocx(t, docx.Operation{Op: docx.AppendParagraph, Text: "no placeholder"})
	if _, err := Fill(t.Context(), ".docx", bytes.NewReader(template), int64(len(template)), &bytes.Buffer{}, sales, time.Time{}); err == nil {
		t.Error("a template without placeholders")
	}
	if found, err := find("{{ value: SELECT ‘x’ }}", "here"); err != nil || found[0].Statement != "SELECT 'x'" {
		t.Errorf("curly quotes: %+v %v", found, err)
	}
}
