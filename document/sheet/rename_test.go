package sheet_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/sheet"
)

// office is a workbook of three sheets whose parts refer to each other.
func office(t *testing.T) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	check := func(errs ...error) {
		t.Helper()
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range []string{"Data", "Q 1", "Sum"} {
		_, err := f.NewSheet(name)
		check(err)
	}
	check(f.DeleteSheet("Sheet1"))
	for i, row := range [][]any{{"name", "n"}, {"a", 1}, {"b", 2}, {"c", 3}} {
		cell, _ := excelize.CoordinatesToCellName(1, i+1)
		check(f.SetSheetRow("Data", cell, &row))
	}
	check(f.SetCellValue("Q 1", "A1", 5), f.AddTable("Data", &excelize.Table{Range: "A1:B4", Name: "People"}))
	for cell, formula := range map[string]string{
		"A1": "Data!B2+data!B3", "A2": "SUM('Q 1'!A1:A2)", "A3": `INDIRECT("Data!B2")`, "A4": "SUM(Data:Sum!C9)", "A5": "SUM(People[n])", "A6": `"Data!"&Data!$A$1`, "A7": "Database+Data2!B1",
	} {
		check(f.SetCellFormula("Sum", cell, formula))
	}
	check(f.SetCellFormula("Data", "D1", "Data!B2*2+B3"), f.SetCellFormula("Data", "D2", "SUM(People[n])"))
	check(f.SetDefinedName(&excelize.DefinedName{Name: "All", RefersTo: "Data!$A$1:$B$4"}), f.SetDefinedName(&excelize.DefinedName{Name: "_xlnm.Print_Area", RefersTo: "Data!$A$1:$B$4", Scope: "Data"}))
	rule := excelize.NewDataValidation(true)
	rule.Sqref = "B1"
	rule.SetSqrefDropList("Data!$A$2:$A$4")
	check(f.AddDataValidation("Sum", rule), f.SetCellHyperLink("Sum", "C1", "Data!A1", "Location"))
	check(f.AddChart("Sum", "E1", &excelize.Chart{Type: excelize.Col, Series: []excelize.ChartSeries{{Name: "Data!$B$1", Categories: "Data!$A$2:$A$4", Values: "Data!$B$2:$B$4"}}}))
	check(f.AddChart("Data", "F1", &excelize.Chart{Type: excelize.Col, Series: []excelize.ChartSeries{{Values: "Data!$B$2:$B$4"}}}), f.AddComment("Data", excelize.Comment{Cell: "A2", Author: "x", Text: "see"}))
	var out bytes.Buffer
	check(f.Write(&out))
	return out.Bytes()
}

// reopened is what excelize reads of the result of operations.
func reopened(t *testing.T, data []byte, ops ...sheet.Operation) (*excelize.File, []byte, *sheet.Report) {
	t.Helper()
	var out bytes.Buffer
	report, err := sheet.Edit(bytes.NewReader(data), int64(len(data)), &out, ops, sheet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, out.Bytes(), report
}

func formulas(t *testing.T, f *excelize.File, name string, cells ...string) (all []string) {
	t.Helper()
	for _, c := range cells {
		text, err := f.GetCellFormula(name, c)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	return all
}

// TestReferencesFollowARenamedSheet renames a sheet: formulas, names, rules, links,
// charts and tables follow, texts stay and are told.
func TestReferencesFollowARenamedSheet(t *testing.T) {
	t.Parallel()
	f, data, report := reopened(t, office(t), sheet.Operation{Op: sheet.RenameSheet, Sheet: "Data", NewName: "Raw 'x' y"}, sheet.Operation{Op: sheet.RenameSheet, Sheet: "q 1", NewName: "Q1x"},
		sheet.Operation{Op: sheet.InsertRows, Sheet: "Raw 'x' y", After: 1})
	if got := f.GetSheetList(); !slices.Equal(got, []string{"Raw 'x' y", "Q1x", "Sum"}) {
		t.Errorf("sheets %q", got)
	}
	want := []string{"'Raw ''x'' y'!B3+'Raw ''x'' y'!B4", "SUM(Q1x!A1:A2)", `INDIRECT("Data!B2")`, "SUM('Raw ''x'' y:Sum'!C9)", "SUM(People[n])", `"Data!"&'Raw ''x'' y'!$A$1`, "Database+Data2!B1"}
	if got := formulas(t, f, "Sum", "A1", "A2", "A3", "A4", "A5", "A6", "A7"); !slices.Equal(got, want) {
		t.Errorf("formulas\n got %q\nwant %q", got, want)
	}
	names := ""
	for _, n := range f.GetDefinedName() {
		names += n.Name + "=" + n.RefersTo + " "
	}
	if !strings.Contains(names, "All='Raw ''x'' y'!$A$1:$B$5") || strings.Contains(names, "=Data!") {
		t.Errorf("names %s", names)
	}
	rules, _ := f.GetDataValidations("Sum")
	if _, link, _ := f.GetCellHyperLink("Sum", "C1"); len(rules) != 1 || !strings.Contains(rules[0].Formula1, "'Raw ''x'' y'!$A$3:$A$5") || link != "'Raw ''x'' y'!A1" {
		t.Errorf("rules %+v, link %s", rules[0], link)
	}
	if chart := string(partOf(t, data, "xl/charts/chart1.xml")); !strings.Contains(chart, "'Raw ''x'' y'!$B$3:$B$5") || strings.Contains(chart, ">Data!") {
		t.Errorf("chart %s", chart)
	}
	if !slices.ContainsFunc(api.Texts(report.Caveats), func(w string) bool {
		return strings.Contains(w, `2 formulas of the sheet "Sum" have the name "Data" in texts`)
	}) {
		t.Errorf("caveats %q", api.Texts(report.Caveats))
	}
	for _, bad := range []sheet.Operation{{Op: sheet.RenameSheet, Sheet: "Data", NewName: "SUM"}, {Op: sheet.RenameSheet, Sheet: "Data", NewName: "a/b"}, {Op: sheet.RenameSheet, Sheet: "Data"}, {Op: sheet.RenameSheet, Sheet: "None", NewName: "x"},
		{Op: sheet.MoveSheet, Sheet: "Data", Position: 4}, {Op: sheet.MoveSheet, Sheet: "Data"}, {Op: sheet.CopySheet, Sheet: "Data", NewName: "sum"}} {
		data := office(t)
		if _, err := sheet.Edit(bytes.NewReader(data), int64(len(data)), &bytes.Buffer{}, []sheet.Operation{bad}, sheet.Options{}); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// TestSheetsMoveAndHide has names that belong to one sheet go with it, and never hides
// the last or leaves a hidden sheet selected.
func TestSheetsMoveAndHide(t *testing.T) {
	t.Parallel()
	f, data, report := reopened(t, office(t), sheet.Operation{Op: sheet.MoveSheet, Sheet: "Data", Position: 3}, sheet.Operation{Op: sheet.MoveSheet, Sheet: "Sum", Position: 1}, sheet.Operation{Op: sheet.HideSheet, Sheet: "Data"})
	if got := f.GetSheetList(); !slices.Equal(got, []string{"Sum", "Q 1", "Data"}) {
		t.Errorf("sheets %q", got)
	}
	if visible, _ := f.GetSheetVisible("Data"); visible || f.GetSheetName(f.GetActiveSheetIndex()) == "Data" {
		t.Errorf("Data is visible %v, active %d", visible, f.GetActiveSheetIndex())
	}
	for _, n := range f.GetDefinedName() {
		if strings.Contains(n.Name, "Print_Area") && n.Scope != "Data" {
			t.Errorf("the area to print is of %s", n.Scope)
		}
	}
	if !slices.ContainsFunc(api.Texts(report.Caveats), func(w string) bool { return strings.Contains(w, "1 formulas read all sheets from one to another") }) {
		t.Errorf("caveats %q", api.Texts(report.Caveats))
	}
	if f, _, _ := reopened(t, data, sheet.Operation{Op: sheet.ShowSheet, Sheet: "Data"}, sheet.Operation{Op: sheet.HideSheet, Sheet: "Sum"}, sheet.Operation{Op: sheet.HideSheet, Sheet: "Q 1"}); f.GetSheetName(f.GetActiveSheetIndex()) != "Data" {
		t.Errorf("active is %d", f.GetActiveSheetIndex())
	}
	all := []sheet.Operation{{Op: sheet.HideSheet, Sheet: "Data"}, {Op: sheet.HideSheet, Sheet: "Sum"}, {Op: sheet.HideSheet, Sheet: "Q 1"}}
	if _, err := sheet.Edit(bytes.NewReader(data), int64(len(data)), &bytes.Buffer{}, all, sheet.Options{}); err == nil {
		t.Error("every sheet is hidden")
	}
}

// TestACopyRefersToItself copies a sheet with its table, chart, comment and names.
func TestACopyRefersToItself(t *testing.T) {
	t.Parallel()
	f, data, report := reopened(t, office(t), sheet.Operation{Op: sheet.SetCells, Sheet: "Data", Cells: []sheet.SetCell{{Cell: "B2", Value: 40}}},
		sheet.Operation{Op: sheet.CopySheet, Sheet: "Data", NewName: "Data (2)"}, sheet.Operation{Op: sheet.SetCells, Sheet: "Data (2)", Cells: []sheet.SetCell{{Cell: "B3", Value: 7}}})
	if got := formulas(t, f, "Data (2)", "D1", "D2"); !slices.Equal(got, []string{"'Data (2)'!B2*2+B3", "SUM(Table1[n])"}) {
		t.Errorf("formulas %q", got)
	}
	if got := formulas(t, f, "Data", "D1", "D2"); !slices.Equal(got, []string{"Data!B2*2+B3", "SUM(People[n])"}) {
		t.Errorf("formulas of the sheet %q", got)
	}
	values := func(name string) (all string) {
		for _, c := range []string{"A1", "B2", "B3"} {
			v, _ := f.GetCellValue(name, c)
			all += v + " "
		}
		return all
	}
	if values("Data") != "name 40 2 " || values("Data (2)") != "name 40 7 " {
		t.Errorf("values %s and %s", values("Data"), values("Data (2)"))
	}
	tables, _ := f.GetTables("Data (2)")
	comments, _ := f.GetComments("Data (2)")
	if len(tables) != 1 || tables[0].Name != "Table1" || len(comments) != 1 || comments[0].Cell != "A2" {
		t.Errorf("tables %+v, comments %+v", tables, comments)
	}
	if chart := string(partOf(t, data, "xl/charts/chart3.xml")); !strings.Contains(chart, "'Data (2)'!$B$2:$B$4") {
		t.Errorf("chart %s", chart)
	}
	areas := ""
	for _, n := range f.GetDefinedName() {
		if strings.Contains(n.Name, "Print_Area") {
			areas += n.Scope + "=" + n.RefersTo + " "
		}
	}
	if areas != "Data=Data!$A$1:$B$4 Data (2)='Data (2)'!$A$1:$B$4 " {
		t.Errorf("areas to print: %s", areas)
	}
	if !slices.ContainsFunc(api.Texts(report.Caveats), func(w string) bool { return strings.Contains(w, "the table People is named Table1 in the copy") }) {
		t.Errorf("caveats %q", api.Texts(report.Caveats))
	}
}

// TestWhatASheetHasIsListed names where formulas, merged cells and number formats are.
func TestWhatASheetHasIsListed(t *testing.T) {
	t.Parallel()
	data, _ := edit(t, office(t), `[{"op": "set_format", "sheet": "Data", "range": "B2:B4", "format": {"number_format": "0.00%"}}, {"op": "set_cells", "sheet": "Data", "cells": [{"cell": "A3", "value": "2024-03-01", "date": true}]}]`)
	info, err := open(t, data).Info()
	if err != nil {
		t.Fatal(err)
	}
	got := info.Sheets[0]
	if got.Formulas != 2 || got.FormulasIn != "D1:D2" || len(got.Formats) != 2 || got.Formats[0] != (sheet.NumberFormat{Format: "0.00%", Cells: 3, Range: "B2:B4"}) || got.Formats[1].Range != "A3" {
		t.Errorf("sheet %+v", got)
	}
}

// TestADeletedSheetIsMissed counts formulas over its tables, and names it had before.
func TestADeletedSheetIsMissed(t *testing.T) {
	t.Parallel()
	_, report := edit(t, office(t), `[{"op": "rename_sheet", "sheet": "Data", "new_name": "Raw"}, {"op": "delete_sheet", "sheet": "Raw"}]`)
	if !slices.ContainsFunc(api.Texts(report.Caveats), func(w string) bool {
		return strings.Contains(w, `the deleted sheet "Raw" or its tables are read by 4 formulas of the sheet "Sum", the first in A1`)
	}) {
		t.Errorf("caveats %q", api.Texts(report.Caveats))
	}
}
