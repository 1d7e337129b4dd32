package sheet_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/agnes-data/da/document/sheet"
)

// TestRowsMoveWithEverythingThatNamesThem inserts and deletes rows of a workbook in
// which everything refers to cells.
func TestRowsMoveWithEverythingThatNamesThem(t *testing.T) {
	for _, c := range []struct {
		name, op string
		cells    map[string]string // formulas, by sheet and cell
		parts    map[string]string // what a part must hold
	}{
		{"insert before", `{"op": "insert_rows", "sheet": "Sheet1", "after_row": 3, "count": 2}`,
			map[string]string{"Sheet1!D1": "SUM(B1:B22)", "Sheet1!D2": "B2*$C$2+SUM(B7:B12)", "Other!D5": "Sheet1!B8+SUM(Sheet1!B7:B12)+B2"},
			map[string]string{"xl/charts/chart1.xml": "Sheet1!$B$7:$B$12", "xl/workbook.xml": "Sheet1!$B$7:$B$12", "xl/comments1.xml": `ref="A8"`,
				"xl/worksheets/sheet1.xml": `sqref="B7:B12"`, "xl/drawings/drawing1.xml": "<xdr:row>1</xdr:row>"}},
		{"insert within", `{"op": "insert_rows", "sheet": "Sheet1", "after_row": 5}`,
			map[string]string{"Sheet1!D2": "B2*$C$2+SUM(B5:B11)", "Other!D5": "Sheet1!B7+SUM(Sheet1!B5:B11)+B2"},
			map[string]string{"xl/worksheets/sheet1.xml": `ref="A8"`, "xl/charts/chart1.xml": "Sheet1!$A$5:$A$11"}},
		{"insert behind", `{"op": "insert_rows", "sheet": "Sheet1", "after_row": 10}`,
			map[string]string{"Sheet1!D1": "SUM(B1:B21)", "Sheet1!D2": "B2*$C$2+SUM(B5:B10)"}, nil},
		{"delete within", `{"op": "delete_rows", "sheet": "Sheet1", "start_row": 6, "count": 2}`,
			map[string]string{"Sheet1!D1": "SUM(B1:B18)", "Sheet1!D2": "B2*$C$2+SUM(B5:B8)", "Other!D5": "Sheet1!#REF!+SUM(Sheet1!B5:B8)+B2"},
			map[string]string{"xl/charts/chart1.xml": "Sheet1!$B$5:$B$8", "xl/worksheets/sheet1.xml": `sqref="C5:C8"`}},
		{"delete all that is named", `{"op": "delete_rows", "sheet": "Sheet1", "start_row": 4, "count": 8}`,
			map[string]string{"Sheet1!D1": "SUM(B1:B12)", "Sheet1!D2": "B2*$C$2+SUM(#REF!)"}, nil},
		{"in the other sheet", `{"op": "insert_rows", "sheet": "Other", "after_row": 2, "count": 3}`,
			map[string]string{"Other!D8": "Sheet1!B6+SUM(Sheet1!B5:B10)+B2", "Sheet1!D1": "SUM(B1:B20)"},
			map[string]string{"xl/tables/table1.xml": `ref="A1:B7"`}},
	} {
		out, _ := edit(t, rich(t), `[`+c.op+`]`)
		f := foreign(t, out)
		for at, want := range c.cells {
			name, ref, _ := strings.Cut(at, "!")
			if got, err := f.GetCellFormula(name, ref); err != nil || got != want {
				t.Errorf("%s: %s is %q, not %q, %v", c.name, at, got, want, err)
			}
		}
		for part, want := range c.parts {
			if text := partOf(t, out, part); !bytes.Contains(text, []byte(want)) {
				t.Errorf("%s: %s has no %s: %s", c.name, part, want, text)
			}
		}
	}
	for op, want := range map[string]string{
		`{"op": "delete_rows", "sheet": "Other", "start_row": 1}`:                    "the rows hold what the table pairs cannot be without",
		`{"op": "insert_rows", "sheet": "Sheet1", "after_row": 1, "count": 1000000}`: "",
		`{"op": "insert_rows", "sheet": "Sheet1", "after_row": 1, "count": 1000001}`: "1000001 rows are more than 1000000",
	} {
		if _, _, err := tryEdit(t, rich(t), `[`+op+`]`); (err == nil) != (want == "") || err != nil && !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", op, err)
		}
	}
}

// TestSharedFormulas: cells that repeat a formula of another one keep theirs when
// that one goes, and when rows move.
func TestSharedFormulas(t *testing.T) {
	data := withRows(t, `<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f t="shared" ref="B1:B3" si="0">A1*$A$1+SUM(A1:A2)</f><v>4</v></c></row>`+
		`<row r="2"><c r="A2"><v>2</v></c><c r="B2"><f t="shared" si="0"/><v>7</v></c></row><row r="3"><c r="B3"><f t="shared" si="0"/><v>0</v></c></row>`)
	for op, want := range map[string][]string{
		`{"op": "set_cells", "cells": [{"cell": "B1", "value": 5}]}`:       {"", "A2*$A$1+SUM(A2:A3)", "A3*$A$1+SUM(A3:A4)"},
		`{"op": "insert_rows", "after_row": 0}`:                            {"", "A2*$A$2+SUM(A2:A3)", "A3*$A$2+SUM(A3:A4)", "A4*$A$2+SUM(A4:A5)"},
		`{"op": "set_cells", "cells": [{"cell": "B2", "formula": "1+1"}]}`: {"A1*$A$1+SUM(A1:A2)", "1+1", "A3*$A$1+SUM(A3:A4)"},
	} {
		out, _ := edit(t, data, `[`+op+`]`)
		for i, formula := range want {
			c, err := open(t, out).ReadCell("", fmt.Sprintf("B%d", i+1))
			if err != nil || c.Formula != formula {
				t.Errorf("%s: B%d is %q, not %q, %v", op, i+1, c.Formula, formula, err)
			}
		}
	}
}

// withRows is a workbook with these rows.
func withRows(t testing.TB, rows string) []byte {
	t.Helper()
	return replacePart(t, blank(t), "xl/worksheets/sheet1.xml", `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`+rows+`</sheetData></worksheet>`)
}

// TestOddSheets reads and edits sheets that leave out what they may.
func TestOddSheets(t *testing.T) {
	for name, xml := range map[string]string{
		"no places": `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row><c><v>1</v></c><c><v>2</v></c></row></sheetData></worksheet>`,
		"no rows":   `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData/></worksheet>`,
		"a prefix":  `<x:worksheet xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><x:sheetData><x:row r="1"><x:c r="A1"><x:v>1</x:v></x:c></x:row></x:sheetData></x:worksheet>`,
		"comments":  `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><!-- <sheetData> --><sheetData><!-- </row> --><row r="1"><!-- <c> --><c r="A1"><v><![CDATA[1]]></v></c></row></sheetData></worksheet>`,
	} {
		out, _ := edit(t, replacePart(t, blank(t), "xl/worksheets/sheet1.xml", xml), `[{"op": "set_cells", "cells": [{"cell": "C2", "value": "new"}, {"cell": "A4", "formula": "A1"}]}, {"op": "insert_rows", "after_row": 0}, {"op": "set_format", "range": "A:A", "format": {"bold": true}}]`)
		if got := values(t, out, "", "C3"); got != `[["new"]]` {
			t.Errorf("%s: %s", name, got)
		}
		if c, err := open(t, out).ReadCell("", "A5"); err != nil || c.Formula != "A2" {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
		foreign(t, out)
	}
	for name, xml := range map[string]string{
		"cut":       `<worksheet><sheetData><row r="1"><c r="A1">`,
		"no data":   `<worksheet></worksheet>`,
		"backwards": `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="2"/><row r="1"/></sheetData></worksheet>`,
		"far":       `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="ZZZZ1"/></row></sheetData></worksheet>`,
	} {
		var out bytes.Buffer
		data := replacePart(t, blank(t), "xl/worksheets/sheet1.xml", xml)
		ops := []sheet.Operation{{Op: "set_cells", Cells: []sheet.SetCell{{Cell: "A1", Value: "x"}}}}
		if _, err := sheet.Edit(bytes.NewReader(data), int64(len(data)), &out, ops, sheet.Options{}); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
