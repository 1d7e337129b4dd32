package sheet

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// formulaTable has one formula a line and its value by LibreOffice; "-" is a formula
// that is not calculated, since programs or the library differ.
//
//go:embed testdata/formulas.txt
var formulaTable string

// book is a workbook with the formulas of the table in column A of the sheet Formulas.
func formulaBook(t *testing.T, is1904 bool) []byte {
	t.Helper()
	ops := []Operation{
		{Op: EnsureSheet, Sheet: "Data"}, {Op: AddSheet, Sheet: "Feb"}, {Op: AddSheet, Sheet: "Mar"},
		{Op: SetRange, Sheet: "Data", Start: "A1", Values: [][]any{
			{"key", "n", "text", "day", "neg"},
			{"a", 1, "Alpha", Date("2024-01-31"), -1.5}, {"b", 2.5, "beta", Date("2024-02-29"), 2}, {"c", 4, "Gamma ray", Date("2023-12-25"), -3.25},
			{"a", 8, " d  e ", Date("2021-07-04"), 4}, {"b", 16, "Alpha", Date("1999-12-31"), -5}, {nil, nil, nil, nil, nil}, {"Z", 0.1, "12", Date("2030-10-10"), 1e10},
		}},
		{Op: SetRange, Sheet: "Feb", Start: "A1", Values: [][]any{{10, 20}, {30, 40}}},
		{Op: SetRange, Sheet: "Mar", Start: "A1", Values: [][]any{{100, 200}, {300, 400}}},
		{Op: AddTable, Sheet: "Data", Start: "H1", Name: "Sales", Values: [][]any{{"item", "net", "Tax rate"}, {"x", 100, .19}, {"y", 50, .07}, {"z", 10, .19}}},
		{Op: AddSheet, Sheet: "Formulas"},
	}
	set := Operation{Op: SetCells, Sheet: "Formulas"}
	for i, line := range formulaLines() {
		set.Cells = append(set.Cells, SetCell{Cell: fmt.Sprintf("A%d", i+1), Formula: line[0]})
	}
	blank, err := Blank("Data")
	if err != nil {
		t.Fatal(err)
	}
	names := `<definedNames><definedName name="amounts">Data!$B$2:$B$8</definedName><definedName name="rate">0.25</definedName><definedName name="first">Data!$B$2</definedName></definedNames>`
	part := string(rawPart(t, blank, "xl/workbook.xml"))
	part = strings.Replace(part, "</sheets>", "</sheets>"+names, 1)
	if is1904 {
		part = strings.Replace(part, "<sheets>", `<workbookPr date1904="1"/><sheets>`, 1)
		part = strings.Replace(part, "<bookViews>", "", 1)
		part = strings.Replace(part, "<workbookView/></bookViews>", "", 1)
	}
	return edited(t, withPart(t, blank, "xl/workbook.xml", part), append(ops, set)...)
}

func formulaLines() (out [][2]string) {
	for _, line := range strings.Split(strings.TrimSpace(formulaTable), "\n") {
		formula, value, _ := strings.Cut(line, " => ")
		out = append(out, [2]string{formula, value})
	}
	return out
}

func edited(t *testing.T, data []byte, ops ...Operation) []byte {
	t.Helper()
	text, err := json.Marshal(ops)
	if err != nil {
		t.Fatal(err)
	}
	var again []Operation
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&again); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := Edit(bytes.NewReader(data), int64(len(data)), &out, ops, Options{}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestFormulasHaveTheirValues holds the values that LibreOffice has calculated.
func TestFormulasHaveTheirValues(t *testing.T) {
	m := modelOf(t, formulaBook(t, false))
	s, c := m.sheets[m.find("Formulas")], tally{functions: map[string]int{}, reasons: map[string]int{}}
	for i, line := range formulaLines() {
		f := s.formulas[cell{i + 1, 1}]
		v, err := m.calculate(f)
		got := "-"
		if err == nil {
			got = v.String()
			eachCall(f.expr, func(name string) { c.functions[name]++ })
			if s.values[f.at] != v {
				t.Errorf("=%s is written as %v, not %v", line[0], s.values[f.at], v)
			}
		}
		if got != line[1] {
			t.Errorf("=%s is %s (%v), not %s", line[0], got, err, line[1])
		}
	}
	if len(c.functions) < 100 {
		t.Errorf("%d functions: %q", len(c.functions), slices.Sorted(maps.Keys(c.functions)))
	}
}

// String shows the value as a cell does.
func (v Value) String() string {
	switch v.kind {
	case numberKind:
		return fmt.Sprintf("%.12g", v.number)
	case boolKind:
		return strings.ToUpper(fmt.Sprint(v.number != 0))
	}
	return v.text
}

// TestFormulasLikeLibreOffice compares the same with LibreOffice, in both date systems.
func TestFormulasLikeLibreOffice(t *testing.T) {
	files := map[string][]byte{"1900": formulaBook(t, false), "1904": formulaBook(t, true)}
	c := tally{functions: map[string]int{}, reasons: map[string]int{}}
	others := recalculated(t, files)
	if len(others) != len(files) {
		t.Fatal("LibreOffice does not open the workbooks")
	}
	for name, other := range others {
		c.compareTo(t, name, modelOf(t, files[name]), other)
	}
	t.Logf("%d formulas of %d functions are the same, %d are not calculated: %v", c.same, len(c.functions), c.unsaid, c.reasons)
}

// foreignBook is a workbook that another program has calculated: shared and array
// formulas, and a value that does not follow from its cells.
func foreignBook(t *testing.T) []byte {
	t.Helper()
	blank, err := Blank("S")
	if err != nil {
		t.Fatal(err)
	}
	data := edited(t, blank, Operation{Op: SetRange, Sheet: "S", Start: "A1", Values: [][]any{{1}, {2}, {3}}}, Operation{Op: AddSheet, Sheet: "T"})
	rows := `<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f t="shared" ref="B1:B3" si="0">A1*10</f><v>10</v></c><c r="C1" t="str"><f>IF(A1=1,"one","more")</f><v>one</v></c><c r="D1"><f t="array" ref="D1:D2">A1:A2*2</f><v>2</v></c><c r="E1"><f>D2+1</f><v>5</v></c></row>` +
		`<row r="2"><c r="A2"><v>2</v></c><c r="B2" s="0"><f t="shared" si="0"/><v>20</v></c><c r="C2"><f>SUM(A1:A3)</f><v>999</v></c><c r="D2"><v>4</v></c><c r="E2"><f>A3+B3</f><v>77</v></c></row>` +
		`<row r="3"><c r="A3"><v>3</v></c><c r="B3"><f t="shared" si="0"/><v>30</v></c><c r="C3"><f>SUM(B1:B3)</f><v>60</v></c><c r="D3"><f>OFFSET(A3,-2,0)</f><v>1</v></c></row>`
	const part = "xl/worksheets/sheet1.xml"
	text := string(rawPart(t, data, part))
	from, to := strings.Index(text, "<row "), strings.Index(text, "</sheetData>")
	return withPart(t, data, part, text[:from]+rows+text[to:])
}

// TestWhatDependsOnAChangeIsCalculated holds that all that depends on a change has a new
// value, and nothing else has: not what keeps its own, and not what this program would
// calculate differently from the one that wrote the workbook.
func TestWhatDependsOnAChangeIsCalculated(t *testing.T) {
	data := foreignBook(t)
	var out bytes.Buffer
	ops := []Operation{{Op: SetCells, Sheet: "S", Cells: []SetCell{{Cell: "A1", Value: 5}}}, {Op: SetCells, Sheet: "T", Cells: []SetCell{{Cell: "A1", Formula: "S!C3*2"}, {Cell: "A2", Formula: "S!E1"}}}}
	report, err := Edit(bytes.NewReader(data), int64(len(data)), &out, ops, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !report.Stale || report.Calculated != 4 || len(report.Caveats) != 1 || !strings.HasPrefix(report.Caveats[0].Text, "5 formulas were not calculated") {
		t.Errorf("%+v", report)
	}
	want := map[string]int{"a formula of an array": 1, "cells whose own formulas are not calculated": 2, "the function OFFSET": 1, "another value before the change than its program had calculated": 1}
	for _, u := range report.Uncalculated {
		if want[u.Reason] != u.Formulas {
			t.Errorf("%+v", u)
		}
		delete(want, u.Reason)
	}
	if len(want) > 0 {
		t.Errorf("no word of %v", want)
	}
	before, after := modelOf(t, data), modelOf(t, out.Bytes())
	news := map[string]string{"A1": "5", "B1": "50", "C1": "more", "C3": "100"}
	for at, v := range after.sheets[0].values {
		is, was := v.String(), before.sheets[0].values[at].String()
		if new, ok := news[at.String()]; ok {
			was = new
		}
		if is != was {
			t.Errorf("%s is %s, not %s", at, is, was)
		}
	}
	if v := after.sheets[1].values[cell{1, 1}]; v != numberValue(200) {
		t.Errorf("the new formula is %v", v)
	}
	if text := string(rawPart(t, out.Bytes(), "xl/worksheets/sheet1.xml")); !strings.Contains(text, `<c r="B2" s="0"><f t="shared" si="0"/><v>20</v></c>`) {
		t.Errorf("a cell that is not concerned has changed: %s", text)
	}
	if text := string(rawPart(t, out.Bytes(), "xl/workbook.xml")); !strings.Contains(text, `fullCalcOnLoad="1"`) {
		t.Error("no program is asked to calculate the rest")
	}
}

// TestInsertedRowsKeepValuesRight moves formulas and calculates what lost a row.
func TestInsertedRowsKeepValuesRight(t *testing.T) {
	blank, err := Blank("S")
	if err != nil {
		t.Fatal(err)
	}
	data := edited(t, blank, Operation{Op: SetRange, Sheet: "S", Start: "A1", Values: [][]any{{1}, {2}, {3}}}, Operation{Op: SetCells, Sheet: "S", Cells: []SetCell{{Cell: "A5", Formula: "SUM(A1:A3)"}, {Cell: "B5", Formula: "A5*2"}}})
	after := modelOf(t, edited(t, data, Operation{Op: DeleteRows, Sheet: "S", Row: 2}, Operation{Op: InsertRows, Sheet: "S"})).sheets[0].values
	if after[cell{5, 1}] != numberValue(4) || after[cell{5, 2}] != numberValue(8) {
		t.Errorf("%v", after)
	}
}
