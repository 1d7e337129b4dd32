package sheet_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/agnes-data/da/document/sheet"
)

// TestFormulasThatNoProgramReads are refused at once, and others are not.
func TestFormulasThatNoProgramReads(t *testing.T) {
	t.Parallel()
	data := office(t)
	set := func(formula, more string) error {
		text, _ := json.Marshal(formula)
		_, _, err := tryEdit(t, data, `[{"op": "set_cells", "sheet": "Sum", "cells": [{"cell": "H1", "formula": `+string(text)+`}]}`+more+`]`)
		return err
	}
	for formula, says := range map[string]string{
		"SUM(": "a bracket is not closed", "SUM(A1;B1)": "commas", "SUM(A1))": "not open", `"a`: "a quote is not closed", "A1+": "it ends early", "=": "the formula is empty", "{1,2)": "not open",
		"None!A1": `reads the sheet "None"`, "SUM('No ''x'':Sum'!A1)": `reads the sheet "No 'x'"`, "Data!B2+[x": "a bracket is not closed",
	} {
		if err := set(formula, ""); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", formula, err)
		}
	}
	for _, formula := range []string{"=SUM(A1,B1)", "SUM({1;2})", `"a;b("&A1`, "'Q 1'!A1", "data!A1:B2", "#REF!A1", "[1]Other!A1", "'[x.xlsx]Other'!A1", "People[[#All],[n]]", "SUM(Data:Sum!A1)", "-5%", `IF(A1>="x;",1,)`, "A:A", "1"} {
		if err := set(formula, ""); err != nil {
			t.Errorf("%s: %v", formula, err)
		}
	}
	if err := set("Later!A1", `, {"op": "add_sheet", "sheet": "Later"}`); err != nil {
		t.Error(err)
	}
	if _, err := sheet.Edit(bytes.NewReader(data), int64(len(data)), &bytes.Buffer{}, []sheet.Operation{{Op: sheet.SetCells, Sheet: "Sum", Cells: []sheet.SetCell{{Cell: "H1", Formula: "Data!A1"}}}, {Op: sheet.RenameSheet, Sheet: "Data", NewName: "Raw"}}, sheet.Options{}); err != nil {
		t.Error(err)
	}
}
