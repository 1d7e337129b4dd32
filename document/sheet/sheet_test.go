package sheet_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/internal/testing/doctest"
)

func tryEdit(t testing.TB, data []byte, ops string) ([]byte, *sheet.Report, error) {
	t.Helper()
	var all []sheet.Operation
	if err := json.Unmarshal([]byte(ops), &all); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	report, err := sheet.Edit(bytes.NewReader(data), int64(len(data)), &out, all, sheet.Options{})
	return out.Bytes(), report, err
}

func edit(t testing.TB, data []byte, ops string) ([]byte, *sheet.Report) {
	t.Helper()
	out, report, err := tryEdit(t, data, ops)
	if err != nil {
		t.Fatal(err)
	}
	return out, report
}

func open(t testing.TB, data []byte) *sheet.Book {
	t.Helper()
	b, err := sheet.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// values reads a range as JSON.
func values(t testing.TB, data []byte, name, ref string) string {
	t.Helper()
	v, err := open(t, data).ReadRange(name, ref, 0)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(v.Values)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// foreign opens a workbook with another program's library.
func foreign(t testing.TB, data []byte) *excelize.File {
	t.Helper()
	f, err := excelize.OpenReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func blank(t testing.TB) []byte {
	t.Helper()
	data, err := sheet.Blank("")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestAWorkbookIsWrittenAndRead(t *testing.T) {
	data, report := edit(t, blank(t), `[
		{"op": "set_range", "values": [["carrier", "flights", "share"], ["AA", 12, 0.25], [null, true, "=1+1"], ["-x", 12345678901234567890, "a\nb _x000A_"]]},
		{"op": "ensure_sheet", "sheet": "Größe & x's"},
		{"op": "ensure_sheet", "sheet": "GRÖßE & X'S"},
		{"op": "set_cells", "sheet": "größe & x's", "cells": [{"cell": "B2", "value": "2024-03-01", "date": true}, {"cell": "C3", "formula": "SUM(Sheet1!B2,0.5)"}, {"cell": "C4", "formula": "=XLOOKUP(1,A1:A2,B1:B2)"}]},
		{"op": "set_format", "range": "A1:C1", "format": {"bold": true, "fill": "#ddeeff", "column_width": 20}},
		{"op": "set_format", "range": "C:C", "format": {"number_format": "0.0%"}},
		{"op": "auto_filter", "range": "A1:C4"}
	]`)
	if got, want := values(t, data, "", ""), `[["carrier","flights","share"],["AA",12,0.25],[null,true,"=1+1"],["-x","12345678901234567890","a\nb _x000A_"]]`; got != want {
		t.Errorf("read %s", got)
	}
	if report.Stale || report.Calculated != 2 || len(report.Caveats) != 1 || !report.Results[1].Made || report.Results[0].Range != "A1:C4" {
		t.Errorf("%+v", report)
	}
	f := foreign(t, data)
	for ref, want := range map[string]string{"A2": "AA", "C3": "=1+1", "C4": "a\nb _x000A_", "C2": "25.0%"} {
		if got, err := f.GetCellValue("Sheet1", ref); err != nil || got != want {
			t.Errorf("%s is %q, %v", ref, got, err)
		}
	}
	if formula, err := f.GetCellFormula("Sheet1", "C3"); err != nil || formula != "" {
		t.Errorf("a text has become the formula %q, %v", formula, err)
	}
	second := f.GetSheetList()[1]
	if got, _ := f.GetCellValue(second, "B2"); got != "2024-03-01" {
		t.Errorf("the date is %q", got)
	}
	if got, _ := f.GetCellFormula(second, "C4"); got != "_xlfn.XLOOKUP(1,A1:A2,B1:B2)" {
		t.Errorf("the formula is %q", got)
	}
	c, err := open(t, data).ReadCell("Sheet1", "A1")
	if err != nil || c.Value != "carrier" || c.Format.Bold == nil || c.Format.Fill != "#DDEEFF" {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err = open(t, data).ReadCell(second, "C3"); err != nil || c.Formula != "SUM(Sheet1!B2,0.5)" || c.Stale || c.Value != json.Number("12.5") {
		t.Errorf("%+v, %v", c, err)
	}
	shown := doctest.Convert(t, map[string][]byte{"made.xlsx": data}, "csv")
	if got := string(shown["made.xlsx"]); !strings.HasPrefix(got, "carrier,flights,share\nAA,12,25%\n,TRUE,=1+1\n-x,12345678901234567890,\"a\nb _x000A_\"") {
		t.Errorf("LibreOffice shows %q", got)
	}
}

// rich is a workbook with what an edit elsewhere must leave alone.
func rich(t testing.TB) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for r := 1; r <= 20; r++ {
		must(f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", r), &[]any{fmt.Sprint("name ", r), r, r * r}))
	}
	must(f.SetCellFormula("Sheet1", "D1", "SUM(B1:B20)"))
	must(f.SetCellFormula("Sheet1", "D2", "B2*$C$2+SUM(B5:B10)"))
	must(f.MergeCell("Sheet1", "F1", "G2"))
	must(f.AddChart("Sheet1", "H2", &excelize.Chart{Type: excelize.Col, Series: []excelize.ChartSeries{{Categories: "Sheet1!$A$5:$A$10", Values: "Sheet1!$B$5:$B$10"}}}))
	must(f.SetConditionalFormat("Sheet1", "B5:B10", []excelize.ConditionalFormatOptions{{Type: "cell", Criteria: ">", Value: "6"}}))
	must(f.SetDefinedName(&excelize.DefinedName{Name: "numbers", RefersTo: "Sheet1!$B$5:$B$10"}))
	must(f.AddComment("Sheet1", excelize.Comment{Cell: "A6", Author: "Ann", Text: "look"}))
	must(f.SetCellHyperLink("Sheet1", "A7", "https://example.com/", "External"))
	validation := excelize.NewDataValidation(true)
	validation.SetSqref("C5:C10")
	must(validation.SetDropList([]string{"a", "b"}))
	must(f.AddDataValidation("Sheet1", validation))
	_, err := f.NewSheet("Other")
	must(err)
	must(f.SetSheetRow("Other", "A1", &[]any{"key", "value"}))
	must(f.SetSheetRow("Other", "A2", &[]any{"k", 1}))
	must(f.SetCellFormula("Other", "D5", "Sheet1!B6+SUM(Sheet1!B5:B10)+B2"))
	must(f.AddTable("Other", &excelize.Table{Range: "A1:B4", Name: "pairs"}))
	var b bytes.Buffer
	must(f.Write(&b))
	return b.Bytes()
}

// TestWhatIsNotTouchedStays edits one cell of a rich workbook.
func TestWhatIsNotTouchedStays(t *testing.T) {
	before := rich(t)
	after, report := edit(t, before, `[{"op": "set_cells", "sheet": "Sheet1", "cells": [{"cell": "B3", "value": 100}, {"cell": "G1", "value": "hidden"}]}]`)
	for _, part := range doctest.Differing(t, before, after) {
		if part != "xl/worksheets/sheet1.xml" {
			t.Errorf("the change touched %s", part)
		}
	}
	if len(report.Caveats) != 1 || !strings.Contains(report.Caveats[0].Text, "merged range F1:G2") || report.Stale || report.Calculated != 1 {
		t.Errorf("%+v", report)
	}
	c, err := open(t, after).ReadCell("Sheet1", "D1")
	if err != nil || c.Formula != "SUM(B1:B20)" || c.Stale || c.Value != json.Number("307") {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestSheetsAreAddedInTheFilesOwnPrefix: the rows of a sheet are found again, also where
// the workbook's elements have a prefix, as the libraries of .NET write it.
func TestSheetsAreAddedInTheFilesOwnPrefix(t *testing.T) {
	book := string(partOf(t, blank(t), "xl/workbook.xml"))
	for _, prefix := range []string{"", "x:", "main:"} {
		text := strings.NewReplacer("</", "</"+prefix, "<", "<"+prefix, "xmlns=", strings.TrimSuffix("xmlns:"+prefix, ":")+"=").Replace(book[strings.Index(book, "<workbook"):])
		out, _ := edit(t, replacePart(t, blank(t), "xl/workbook.xml", text), `[{"op": "add_sheet", "sheet": "New"}, {"op": "set_range", "sheet": "New", "values": [["a", 1]]}, {"op": "set_cells", "sheet": "New", "cells": [{"cell": "A2", "formula": "IMAGE(B1)"}]}]`)
		if got := values(t, out, "New", "A1:B1"); got != `[["a",1]]` {
			t.Errorf("%q: %s", prefix, got)
		}
		if written := string(partOf(t, out, "xl/workbook.xml")); !strings.Contains(written, "<"+prefix+`sheet name="New"`) || !strings.Contains(written, "<"+prefix+"calcPr ") {
			t.Errorf("%q: %s", prefix, written)
		}
		foreign(t, out)
	}
}

// TestTablesKeepTheirHeader: the header of a table is said in two places.
func TestTablesKeepTheirHeader(t *testing.T) {
	after, _ := edit(t, rich(t), `[{"op": "set_cells", "sheet": "Other", "cells": [{"cell": "B1", "value": "figure"}]}]`)
	tables, err := foreign(t, after).GetTables("Other")
	if err != nil || len(tables) != 1 {
		t.Fatal(tables, err)
	}
	if part := string(partOf(t, after, "xl/tables/table1.xml")); !strings.Contains(part, `name="figure"`) {
		t.Errorf("the table says %s", part)
	}
	if _, _, err := tryEdit(t, rich(t), `[{"op": "set_cells", "sheet": "Other", "cells": [{"cell": "B1", "value": "KEY"}]}]`); err == nil {
		t.Error("two columns of a table may have one name")
	}
}

// TestDeletedSheetsTakeAlongWhatIsTheirs: names and parts go, formulas are said.
func TestDeletedSheetsTakeAlongWhatIsTheirs(t *testing.T) {
	after, report := edit(t, rich(t), `[{"op": "delete_sheet", "sheet": "Sheet1"}]`)
	if got := foreign(t, after).GetSheetList(); len(got) != 1 || got[0] != "Other" {
		t.Errorf("%v", got)
	}
	for _, gone := range []string{"charts/chart1.xml", "comments1.xml", "worksheets/sheet1.xml"} {
		if bytes.Contains(after, []byte(gone)) {
			t.Errorf("%s is still there", gone)
		}
	}
	if all := strings.Join(api.Texts(report.Caveats), "; "); !strings.Contains(all, `1 formula of the sheet "Other", the first in D5`) || !strings.Contains(all, "the name numbers") {
		t.Errorf("warnings: %s", all)
	}
	if _, _, err := tryEdit(t, after, `[{"op": "delete_sheet", "sheet": "Other"}]`); err == nil {
		t.Error("the last sheet goes")
	}
}

// TestMistakesAreNamed: an error says which operation and which cell, and why.
func TestMistakesAreNamed(t *testing.T) {
	for op, want := range map[string]string{
		`{"op": "set_cells", "sheet": "None", "cells": [{"cell": "A1", "value": 1}]}`:         `there is no sheet "None"`,
		`{"op": "set_cells", "cells": [{"cell": "A0", "value": 1}]}`:                          `cell A0: "A0" is not a cell`,
		`{"op": "set_cells", "cells": [{"cell": "XFE1", "value": 1}]}`:                        `cell XFE1: "XFE1" is not a cell`,
		`{"op": "set_cells", "cells": [{"cell": "A1", "value": [1]}]}`:                        "cell A1: a cell holds a text, a number, true, false or null, not []interface {}",
		`{"op": "set_cells", "cells": [{"cell": "A1", "formula": "cmd|'/c calc'!A1"}]}`:       "cell A1: the formula has a | outside of quotes, which starts another program",
		`{"op": "set_cells", "cells": [{"cell": "A1", "formula": "1+Call (\"a\",\"b\")"}]}`:   "cell A1: the formula has the function CALL, which starts another program",
		`{"op": "set_cells", "cells": [{"cell": "A1", "formula": "SUM(RTD(\"a\",,\"b\"))"}]}`: "cell A1: the formula has the function RTD, which starts another program",
		`{"op": "set_cells", "cells": [{"cell": "A1", "value": "soon", "date": true}]}`:       `cell A1: "soon" is not a date`,
		`{"op": "set_cells", "cells": [{"cell": "A1", "value": 1e999}]}`:                      "cell A1: 1e999 is too large for a number of a spreadsheet",
		`{"op": "set_range", "start": "A1048576", "values": [[1], [2]]}`:                      "2 rows of 1 values from A1048576 on go beyond a sheet, or beyond 1000000 cells at once",
		`{"op": "add_sheet", "sheet": "SHEET1"}`:                                              `there is a sheet "Sheet1" already`,
		`{"op": "ensure_sheet", "sheet": "a/b"}`:                                              `"a/b" cannot be the name of a sheet`,
		`{"op": "set_format", "range": "A1:B", "format": {"bold": true}}`:                     `"A1:B" is not a range of cells`,
		`{"op": "set_format", "range": "A1", "format": {"color": "red"}}`:                     `"red" is not a colour`,
		`{"op": "set_format", "range": "A1:Z1000000", "format": {"bold": true}}`:              "A1:Z1000000 has more than 1000000 cells",
	} {
		out, _, err := tryEdit(t, blank(t), `[`+op+`]`)
		if e, ok := err.(*api.Error); !ok || !strings.HasSuffix(e.Message, "): "+want) || e.Code != api.CodeValidation || len(out) > 0 {
			t.Errorf("%s: %v", op, err)
		}
	}
}

// TestHarmlessFormulas checks that texts, and names of sheets and cells, are not
// taken for a call of another program.
func TestHarmlessFormulas(t *testing.T) {
	for _, formula := range []string{"\"CALL(1)\"&\"a|b\"", "'CALL(1)'!A1", "RTD+1", "RECALL(1)", "'a|b'!A1", "CALL1+DDE!A1"} {
		if _, _, err := tryEdit(t, blank(t), fmt.Sprintf(`[{"op": "set_cells", "cells": [{"cell": "B2", "formula": %q}]}]`, formula)); err != nil && !strings.Contains(err.Error(), "which is not there") {
			t.Errorf("%s: %v", formula, err)
		}
	}
}

// TestFormulasThatReachOutAreWritten with a warning that names the cell and what it is.
func TestFormulasThatReachOutAreWritten(t *testing.T) {
	for formula, want := range map[string]string{
		`SUM(1,WebService ("https://example.com/x"))`: "Sheet1!B2 has the function WEBSERVICE",
		`_xlfn.IMAGE(A1)`:                                         "Sheet1!B2 has the function IMAGE",
		`IMPORTXML("https://example.com","//a")`:                  "Sheet1!B2 has the function IMPORTXML",
		`IMPORTDATA(A1)+IMPORTDATA(A2)`:                           "Sheet1!B2 has the function IMPORTDATA",
		`CUBEVALUE("c","m")`:                                      "Sheet1!B2 has the function CUBEVALUE",
		`hyperlink("https://example.com/?q="&A1,"more")`:          "Sheet1!B2 has the function HYPERLINK",
		`HYPERLINK(A1)`:                                           "Sheet1!B2 has the function HYPERLINK",
		`HYPERLINK("mailto:a@example.com")`:                       "Sheet1!B2 has the function HYPERLINK",
		`HYPERLINK("\\server\share\x.exe","x")`:                   "Sheet1!B2 has the function HYPERLINK",
		`'https://example.com/[b.xlsx]S'!A1`:                      "Sheet1!B2 has a reference to a file elsewhere",
		`[https://example.com/b.xlsx]S!A1`:                        "Sheet1!B2 has a reference to a file elsewhere",
		`HYPERLINK("#Sheet1!A1","up")`:                            "",
		`HYPERLINK("notes.txt")`:                                  "",
		`"WEBSERVICE(1) https://example.com"&A1`:                  "",
		`IMAGE+1`:                                                 "",
		`Table1[[#This Row],[a]]+'Sheet1'!A1+SUM('Sheet1'!A1:B2)`: "",
	} {
		out, report, err := tryEdit(t, blank(t), fmt.Sprintf(`[{"op": "set_cells", "cells": [{"cell": "B2", "formula": %s}]}]`, quoted(formula)))
		if err != nil {
			t.Errorf("%s: %v", formula, err)
			continue
		}
		others := slices.DeleteFunc(api.Texts(report.Caveats), func(text string) bool { return strings.Contains(text, "not calculated") })
		if all := strings.Join(others, "; "); want == "" && all != "" || strings.Count(all, "has ") != strings.Count(want, "has ") || !strings.Contains(all, want) {
			t.Errorf("%s: warnings %q, not %q", formula, all, want)
		}
		if c, err := open(t, out).ReadCell("Sheet1", "B2"); err != nil || c.Formula == "" {
			t.Errorf("%s is not written: %+v, %v", formula, c, err)
		}
	}
}

// TestManyCellsThatReachOut have one warning.
func TestManyCellsThatReachOut(t *testing.T) {
	_, report, err := tryEdit(t, blank(t), `[{"op": "set_cells", "cells": [{"cell": "B2", "formula": "IMAGE(A1)"}, {"cell": "B3", "formula": "IMAGE(A2)"}]}]`)
	if err != nil || len(report.Caveats) != 2 || !strings.Contains(report.Caveats[0].Text, "Sheet1!B2 and 1 other cells have the function IMAGE") {
		t.Errorf("%+v, %v", report, err)
	}
}

func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // of a text
	}
	return string(b)
}

// TestForeignWorkbooks reads and changes what other programs made.
func TestForeignWorkbooks(t *testing.T) {
	results := map[string][]byte{}
	for i, path := range doctest.Foreign(t, ".xlsx", ".xlsm") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b, err := sheet.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			if e, ok := err.(*api.Error); !ok || e.Code != api.CodeReadFailed {
				t.Errorf("%s: %v", path, err)
			}
			t.Logf("%s: %v", path, err)
			continue
		}
		info, err := b.Info()
		if err != nil {
			t.Logf("%s: %v", path, err)
			continue
		}
		name := ""
		for _, s := range info.Sheets {
			if !s.Chart && name == "" {
				name = s.Name
			}
		}
		if name == "" {
			continue // charts alone
		}
		before := values(t, data, name, "")
		out, _, err := tryEdit(t, data, fmt.Sprintf(`[{"op": "set_cells", "sheet": %q, "cells": [{"cell": "AX997", "value": "added", "format": {"bold": true}}]}, {"op": "ensure_sheet", "sheet": "Added"}]`, name))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if after := values(t, out, name, ""); !strings.Contains(after, `"added"`) || len(after) < len(before) {
			t.Errorf("%s: before and after the change:\n%.200s\n%.200s", path, before, after)
		}
		for _, part := range doctest.Touched(t, data, out, "calcChain", "styles", "worksheet") {
			t.Errorf("%s: the change touched %s", path, part)
		}
		results[fmt.Sprintf("%03d.xlsx", i)] = out
	}
	for name, text := range doctest.Convert(t, results, "csv") {
		if len(text) == 0 {
			t.Errorf("%s: LibreOffice does not open it", name)
		}
	}
}
