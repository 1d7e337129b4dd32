package table

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/table/intake"
)

// workbook writes sheets, each from lines of cells with bars between.
func workbook(t testing.TB, path string, sheets ...string) *excelize.File {
	t.Helper()
	f := excelize.NewFile()
	for i, text := range sheets {
		name := "Sheet" + string(rune('1'+i))
		if i > 0 {
			if _, err := f.NewSheet(name); err != nil {
				t.Fatal(err)
			}
		}
		for r, line := range strings.Split(text, "\n") {
			for c, cell := range strings.Split(line, "|") {
				at, _ := excelize.CoordinatesToCellName(c+1, r+1)
				if cell == "" {
					continue
				}
				if err := f.SetCellStr(name, at, cell); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := f.SaveAs(path); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestRowsOfOneCellAreRows keeps the last rows of a sheet that fill only its
// first column; only an empty row sets a remark off.
// TestTwoRowsThatCanBeTheHeader of a sheet: the warning names the row that decides.
func TestTwoRowsThatCanBeTheHeader(t *testing.T) {
	ts, dir := newTables(t)
	f := excelize.NewFile()
	for i, row := range [][]any{{"Made by the ministry"}, {"Ministry", "Finance", "Draft"}, {"id", "name", "qty"}, {1, "Ann", 5}, {2, "Bob", 6}, {3, "Cyd", 7}} {
		if err := f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+2), &row); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.SaveAs(filepath.Join(dir, "two.xlsx")); err != nil {
		t.Fatal(err)
	}
	src := Source{Path: "two.xlsx"}
	m, err := ts.Map(context.Background(), MapRequest{Source: src})
	if err != nil {
		t.Fatal(err)
	}
	const want = "line 4 could name the columns as well as line 3, which was taken [header_line]"
	if got := warningsOf(m); !slices.Contains(got, want) {
		t.Errorf("%q", got)
	}
	src.HeaderLine = 4
	if m, err = ts.Map(context.Background(), MapRequest{Source: src}); err != nil {
		t.Fatal(err)
	}
	if m.Columns[0].Name != "id" || m.Columns[2].InferredType != "integer" || m.RowCount != 3 {
		t.Errorf("%+v", m)
	}
}

func TestRowsOfOneCellAreRows(t *testing.T) {
	ts, dir := newTables(t)
	workbook(t, filepath.Join(dir, "todo.xlsx"), "task|who|done\nBuy milk|Ann|yes\nCall home|Bob|no\nNew York\nPaint it: red\nWrite a letter\nsee to it")
	if got := answer(t, ts, "todo.xlsx", "SELECT count(*), max(task) FROM data"); got != `[integer string] [[6,"see to it"]]` {
		t.Error(got)
	}
	workbook(t, filepath.Join(dir, "note.xlsx"), "task|who|done\nBuy milk|Ann|yes\nCall home|Bob|no\n\nThis is a remark below")
	if got := answer(t, ts, "note.xlsx", "SELECT count(*) FROM data"); got != `[integer] [[2]]` {
		t.Error(got)
	}
	m, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: "todo.xlsx", Strict: true}})
	if err != nil || len(m.Problems) > 0 || len(m.Footer) > 0 {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestMapNamesAllSheets(t *testing.T) {
	ts, dir := newTables(t)
	f := workbook(t, filepath.Join(dir, "b.xlsx"), "a\n1", "b\n2", "c\n3")
	if err := f.SetSheetVisible("Sheet2", false); err != nil {
		t.Fatal(err)
	}
	if err := f.Save(); err != nil {
		t.Fatal(err)
	}
	m, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: "b.xlsx"}})
	if err != nil || strings.Join(m.Sheets, " ") != "Sheet1 Sheet2 Sheet3" || strings.Join(m.HiddenSheets, " ") != "Sheet2" {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestAnEmptySheetLeadsToHiddenOnes, which are all that there is.
func TestAnEmptySheetLeadsToHiddenOnes(t *testing.T) {
	ts, dir := newTables(t)
	f := workbook(t, filepath.Join(dir, "b.xlsx"), "", "b\n2")
	if err := f.SetSheetVisible("Sheet2", false); err != nil {
		t.Fatal(err)
	}
	if err := f.Save(); err != nil {
		t.Fatal(err)
	}
	m, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: "b.xlsx"}})
	if err != nil || !slices.ContainsFunc(m.Caveats, func(c api.Caveat) bool { return strings.Contains(c.Text, "Sheet2") && c.Kind == api.CaveatHidden }) {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestAWorkbookThatFillsMemoryIsRefused before it has done so.
func TestAWorkbookThatFillsMemoryIsRefused(t *testing.T) {
	ts, dir := newTables(t)
	f := workbook(t, filepath.Join(dir, "plain.xlsx"), "a\nx")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	from, err := zip.OpenReader(filepath.Join(dir, "plain.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	var b bytes.Buffer
	to := zip.NewWriter(&b)
	for _, part := range from.File {
		if part.Name != "xl/sharedStrings.xml" {
			if err := to.Copy(part); err != nil {
				t.Fatal(err)
			}
			continue
		}
		w, err := to.Create(part.Name)
		if err != nil {
			t.Fatal(err)
		}
		text := `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` + strings.Repeat("<si><t>"+strings.Repeat("x", 30_000)+"</t></si>", 5_000) + "</sst>"
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "bomb.xlsx", b.String())
	if err := second(ts.Map(context.Background(), MapRequest{Source: Source{Path: "bomb.xlsx"}})); !api.CodeBudget.Is(err) {
		t.Errorf("%d bytes: %v", b.Len(), err)
	}
}

// TestFormulasWithoutValuesAreSaid has what libraries write that do not calculate.
func TestFormulasWithoutValuesAreSaid(t *testing.T) {
	ts, dir := newTables(t)
	f := workbook(t, filepath.Join(dir, "a.xlsx"), "name|n|twice\na|1|\nb|2|\nc|3|")
	for _, row := range []string{"2", "3", "4"} {
		if err := f.SetCellFormula("Sheet1", "C"+row, "B"+row+"*2"); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Save(); err != nil {
		t.Fatal(err)
	}
	for rng, want := range map[string]string{"": "3 formulas were not calculated", "A1:C2": "1 formula was not calculated", "A1:B4": ""} {
		m, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: "a.xlsx", Options: intake.Options{Range: rng}}})
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, w := range m.Caveats {
			said += w.Text
		}
		if want == "" && said != "" || !strings.Contains(said, want) {
			t.Errorf("%q: %q", rng, said)
		}
	}
}

// TestARangeOfATable has the names of the columns that the table has, if its
// header is in the range; else a warning says where the header is.
func TestARangeOfATable(t *testing.T) {
	ts, dir := newTables(t)
	workbook(t, filepath.Join(dir, "a.xlsx"), "Report of sales\n\nregion|2024||2025|\n|Q1|Q2|Q1|Q2\nnorth|1|2|3|4\nsouth|5|6|7|8\nwest|9|10|11|12\n\n\nid|name|qty\n1|Ann|2\n2|Bob|3")
	const above = "the range begins below row 3, where the header of its table begins: names above the range were not read; begin it there to have them"
	for _, c := range []struct{ rng, names, said string }{
		{"A1:E7", "region,2024 Q1,2024 Q2,2025 Q1,2025 Q2", ""},
		{"A3:C7", "region,2024 Q1,2024 Q2", ""},
		{"A3:E5", "region,2024 Q1,2024 Q2,2025 Q1,2025 Q2", ""},
		{"A:C", "region,2024 Q1,2024 Q2", ""},
		{"C3:E7", "2024 Q2,2025 Q1,2025 Q2", ""},
		{"C3:C7", "2024 Q2", ""},
		{"A4:E7", "column_1,Q1,Q2,Q1_1,Q2_1", above},
		{"A6:E7", "column_1,column_2,column_3,column_4,column_5", above},
		{"A3:E3", "column_1,column_2,column_3,column_4", ""}, // a part of the header
		{"A10:C12", "id,name,qty", ""},
		{"A11:C12", "column_1,column_2,column_3", ""}, // which header it has is not known
	} {
		m, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: "a.xlsx", Options: intake.Options{Range: c.rng}}})
		if err != nil {
			t.Fatalf("%s: %v", c.rng, err)
		}
		var names []string
		for _, col := range m.Columns {
			names = append(names, col.Name)
		}
		said := ""
		for _, w := range m.Caveats {
			if strings.HasPrefix(w.Text, "the range") {
				said = w.Text
			}
		}
		if got := strings.Join(names, ","); got != c.names || said != c.said {
			t.Errorf("%s: %s, %q", c.rng, got, said)
		}
	}
	m, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: "a.xlsx", Options: intake.Options{Range: "A5:E7", NoHeader: true}}})
	if err != nil || len(warningsOf(m)) > 0 {
		t.Errorf("no header wanted: %v %q", err, warningsOf(m))
	}
}

// TestHeadersOfValuesInWorkbooks: dates and parts of 1 over other numbers name
// the columns.
func TestHeadersOfValuesInWorkbooks(t *testing.T) {
	ts, dir := newTables(t)
	for file, want := range map[string]string{
		"header_of_date_cells.xlsx":    "name:string 2023-01-01:integer 2023-02-01:integer 2023-03-01:integer",
		"header_of_percent_cells.xlsx": "tier:string 0.1:integer 0.2:integer 0.5:integer",
	} {
		copySheet(t, dir, file)
		m, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: file}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range m.Columns {
			got = append(got, c.Name+":"+c.InferredType)
		}
		if strings.Join(got, " ") != want || m.RowCount != 3 {
			t.Errorf("%s: %q, %d rows", file, got, m.RowCount)
		}
	}
}
