package sheet_test

import (
	"strings"
	"testing"
)

const pivotData = `{"op": "add_table", "name": "Sold", "values": [["region","month","kind","sales","n"], ["north","Jan","a",10.5,1], ["south","Jan","b",4,2], ["North","Feb","a",3,3], ["west","Feb",null,null,4], ["south","Feb",true,1.25,5]]},
	{"op": "set_cells", "cells": [{"cell": "D5", "formula": "D2-D4-0.5"}, {"cell": "C3", "value": "2024-03-01", "date": true}]},
	{"op": "ensure_sheet", "sheet": "P"}`

func TestPivotTablesSumUp(t *testing.T) {
	data, report := edit(t, blank(t), `[`+pivotData+`,
		{"op": "add_pivot", "sheet": "P", "start": "A3", "range": "Sheet1!A:E", "rows": ["Region"], "measures": [{"column": "sales"}, {"column": "n", "function": "average"}]},
		{"op": "add_pivot", "sheet": "P", "start": "F3", "range": "sold", "rows": ["kind"], "columns": ["month"], "measures": [{"column": "region", "function": "count"}], "name": "Kinds"},
		{"op": "add_chart", "sheet": "P", "range": "A3:B6", "type": "bar"},
		{"op": "insert_rows", "sheet": "P", "after_row": 1}]`)
	if got, want := values(t, data, "P", "A4:C8"), `[["region","Sum of sales","Average of n"],["north",13.5,2],["south",5.25,3.5],["west",7,4],["Grand Total",25.75,3]]`; got != want {
		t.Errorf("%s", got)
	}
	if got, want := values(t, data, "P", "F4:I10"), `[["Count of region","month",null,null],["kind","Feb","Jan","Grand Total"],["2024-03-01",null,1,1],["a",1,1,2],[true,1,null,1],["(blank)",1,null,1],["Grand Total",3,2,5]]`; got != want {
		t.Errorf("%s", got)
	}
	info, err := open(t, data).Info()
	if err != nil || len(info.Sheets[1].Pivots) != 2 || info.Sheets[1].Pivots[1].Name != "Kinds" || info.Sheets[1].Pivots[1].Range != "F4:I10" {
		t.Errorf("%+v, %v", info, err)
	}
	if r := report.Results[3]; r.Range != "A3:C7" || r.Table != "PivotTable1" || len(report.Caveats) != 0 {
		t.Errorf("%+v", report)
	}
	found, err := foreign(t, data).GetPivotTables("P")
	if err != nil || len(found) != 2 || found[0].DataRange != "Sheet1!A1:E6" || found[0].Data[1].Name != "Average of n" || found[1].Columns[0].Data != "month" {
		t.Errorf("%+v, %v", found, err)
	}
	cache := string(partOf(t, data, "xl/pivotCache/pivotCacheDefinition2.xml"))
	if want := `<sharedItems containsNonDate="1" `; !strings.Contains(cache, `<worksheetSource name="Sold"/>`) || !strings.Contains(cache, `<d v="2024-03-01T00:00:00"/><s v="a"/><b v="1"/><m/>`) || strings.Contains(cache, want) {
		t.Errorf("%s", cache)
	}
	if text := refused(data, `[{"op": "delete_rows", "sheet": "P", "start_row": 6}]`); !strings.Contains(text, "within the pivot table PivotTable1 at A4:C8") {
		t.Error(text)
	}
}

// TestPivotTablesAreFiltered lets some rows of the source count, and says above the
// table which.
func TestPivotTablesAreFiltered(t *testing.T) {
	data, report := edit(t, blank(t), `[`+pivotData+`,
		{"op": "add_pivot", "sheet": "P", "start": "A1", "range": "Sold", "rows": ["region"], "measures": [{"column": "n"}], "filters": [{"column": "month", "values": ["feb"]}, {"column": "kind", "values": ["a", null]}]},
		{"op": "add_pivot", "sheet": "P", "start": "E1", "range": "Sold", "rows": ["region"], "measures": [{"column": "n"}], "filters": [{"column": "month"}]}]`)
	if got, want := values(t, data, "P", "A1:F7"), `[["month","Feb",null,null,"month","(All)"],["kind","(Multiple Items)",null,null,null,null],[null,null,null,null,"region","Sum of n"],["region","Sum of n",null,null,"north",4],["north",3,null,null,"south",7],["west",4,null,null,"west",4],["Grand Total",7,null,null,"Grand Total",15]]`; got != want {
		t.Errorf("%s", got)
	}
	if r := report.Results[3]; r.Range != "A4:B7" {
		t.Errorf("%+v", r)
	}
	table := string(partOf(t, data, "xl/pivotTables/pivotTable1.xml"))
	for _, want := range []string{`rowPageCount="2" colPageCount="1"/>`, `<pageFields count="2"><pageField fld="1" item="0" hier="-1"/><pageField fld="2" hier="-1"/></pageFields><dataFields`,
		`axis="axisPage" multipleItemSelectionAllowed="1"`, `<item x="1"/><item h="1" x="2"/><item x="3"/>`} {
		if !strings.Contains(table, want) {
			t.Errorf("no %s in %s", want, table)
		}
	}
	if found, err := foreign(t, data).GetPivotTables("P"); err != nil || len(found) != 2 || len(found[0].Filter) != 2 {
		t.Errorf("%+v, %v", found, err)
	}
	for filters, want := range map[string]string{
		`[{"column": "month", "values": ["May"]}]`: `the column "month" has no value "May" / Its values are "Feb", "Jan"`,
		`[{"column": "region"}]`:                   `"region" stands twice`,
		`[{"column": "mont"}]`:                     `Did you mean "month"?`,
	} {
		if text := refused(data, `[{"op": "add_pivot", "sheet": "P", "start": "J1", "range": "Sold", "rows": ["region"], "measures": [{"column": "n"}], "filters": `+filters+`}]`); !strings.Contains(text, want) {
			t.Errorf("%s: %s", filters, text)
		}
	}
}

// TestRowsComeBetweenNoFilterAndItsTable: programs expect the filters two rows above it.
func TestRowsComeBetweenNoFilterAndItsTable(t *testing.T) {
	data, _ := edit(t, blank(t), `[`+pivotData+`,
		{"op": "add_pivot", "sheet": "P", "start": "A2", "range": "Sold", "rows": ["region"], "measures": [{"column": "n"}], "filters": [{"column": "month"}]}]`)
	for _, op := range []string{`"insert_rows", "after_row": 2`, `"insert_rows", "after_row": 3`, `"delete_rows", "start_row": 3`, `"delete_rows", "start_row": 2`} {
		if text := refused(data, `[{"op": `+op+`, "sheet": "P"}]`); !strings.Contains(text, "within the pivot table PivotTable1 at A2:B8") {
			t.Errorf("%s: %s", op, text)
		}
	}
	data, _ = edit(t, data, `[{"op": "insert_rows", "sheet": "P", "after_row": 1}, {"op": "insert_rows", "sheet": "P", "after_row": 9}]`)
	if table := string(partOf(t, data, "xl/pivotTables/pivotTable1.xml")); !strings.Contains(table, `<location ref="A5:B9"`) {
		t.Errorf("%s", table)
	}
	if got, want := values(t, data, "P", "A3:B5"), `[["month","(All)"],[null,null],["region","Sum of n"]]`; got != want {
		t.Errorf("%s", got)
	}
}

func TestPivotTablesThatCannotBe(t *testing.T) {
	data, _ := edit(t, blank(t), `[`+pivotData+`, {"op": "set_range", "sheet": "P", "start": "C3", "values": [["x"]]}, {"op": "set_cells", "sheet": "P", "cells": [{"cell": "H1", "value": "a"}, {"cell": "H2", "formula": "1/0"}]}]`)
	for op, want := range map[string]string{
		`"range": "Sold", "measures": [{"column": "n"}]`:                                                                "add_pivot needs rows",
		`"range": "Sold", "rows": ["region"]`:                                                                           "add_pivot needs measures",
		`"range": "Sold", "rows": ["regio"], "measures": [{"column": "n"}]`:                                             `no column "regio" / Did you mean "region"? Its columns are "region", "month"`,
		`"range": "Sold", "rows": ["region"], "columns": ["Region"], "measures": [{"column": "n"}]`:                     `"region" stands twice`,
		`"range": "Sold", "rows": ["region"], "measures": [{"column": "n", "function": "median"}]`:                      `no function "median"`,
		`"range": "Sold", "rows": ["region"], "measures": [{"column": "n"}, {"column": "n", "function": "Sum"}]`:        `"Sum of n" stands twice`,
		`"range": "Sheet1!A1:E1", "rows": ["region"], "measures": [{"column": "n"}]`:                                    "only one row",
		`"range": "Sheet1!A1:A6,Sheet1!E1:E6", "rows": ["region"], "measures": [{"column": "n"}]`:                       "one range, not 2",
		`"range": "Sheet1!A1:F6", "rows": ["region"], "measures": [{"column": "n"}], "start": "D9"`:                     "it was done",
		`"range": "Sheet1!A2:E6", "rows": ["a"], "measures": [{"column": "1"}], "start": "D9"`:                          "it was done",
		`"range": "Sheet1!A5:E6", "rows": ["west"], "measures": [{"column": "4"}], "start": "D9"`:                       "the column C has no name in row 5",
		`"range": "Sold", "rows": ["region"], "measures": [{"column": "n"}, {"column": "sales"}], "start": "B2"`:        `the pivot table takes B2:D6 of the sheet "P", where C3 has content`,
		`"range": "Sold", "rows": ["region"], "measures": [{"column": "n"}], "sheet": "Sheet1", "start": "E6"`:          "overlaps the table Sold",
		`"range": "P!H1:H2", "rows": ["a"], "measures": [{"column": "a"}]`:                                              "'P'!$H$2 has the error #DIV/0!, which has no sum",
		`"range": "Sold", "rows": ["region"], "measures": [{"column": "n"}], "start": "A9", "name": "x\u0001"`:          "control character",
		`"range": "Sold", "rows": ["region"], "measures": [{"column": "n", "of": 1}], "start": "A9", "type": "a chart"`: `add_pivot has no field "type"`,
	} {
		if text := refused(data, `[{"op": "add_pivot", "sheet": "P", `+op+`}]`); !strings.Contains(text, want) {
			t.Errorf("%s: %s", op, text)
		}
	}
}
