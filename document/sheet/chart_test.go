package sheet_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/sheet"
)

const chartData = `{"op": "set_range", "values": [["day", "sales", "plan", "note"], [null, 10, 9, "a"], [null, 4, 5, "b"]]},
	{"op": "set_cells", "cells": [{"cell": "A2", "value": "2024-03-01", "date": true}, {"cell": "A3", "value": "2024-03-02", "date": true}, {"cell": "C3", "formula": "C2*2"}]},
	{"op": "ensure_sheet", "sheet": "It's, here"}`

func TestChartsShowWhatCellsHold(t *testing.T) {
	data, report := edit(t, blank(t), `[`+chartData+`,
		{"op": "add_chart", "sheet": "It's, here", "range": "Sheet1!A:C", "type": "line", "title": "May & June", "y_title": "EUR"},
		{"op": "set_cells", "cells": [{"cell": "C2", "value": 1}]},
		{"op": "add_chart", "range": "D1:D3,C1:C3", "type": "pie", "start": "F2"},
		{"op": "add_table", "sheet": "It's, here", "start": "B30", "name": "Costs", "values": [["a", "b"], ["x", 1]]},
		{"op": "add_chart", "range": "costs", "type": "bar"},
		{"op": "insert_rows", "after_row": 2}]`)
	chart := string(partOf(t, data, "xl/charts/chart1.xml"))
	for _, want := range []string{
		"May &amp; June", "<c:f>'Sheet1'!$B$2:$B$4</c:f>", "<c:f>'Sheet1'!$A$2:$A$4</c:f>", `<c:formatCode>yyyy-mm-dd</c:formatCode><c:ptCount val="2"/><c:pt idx="0"><c:v>45352</c:v>`,
		`<c:pt idx="1"><c:v>18</c:v></c:pt>`, // calculated by the edit that adds the chart
	} {
		if !strings.Contains(chart, want) {
			t.Errorf("no %s in\n%s", want, chart)
		}
	}
	if pie := string(partOf(t, data, "xl/charts/chart2.xml")); !strings.Contains(pie, `<c:pt idx="1"><c:v>2</c:v>`) || !strings.Contains(pie, "<c:f>'Sheet1'!$D$2:$D$4</c:f>") {
		t.Errorf("the pie shows old values: %s", pie)
	}
	info, err := open(t, data).Info()
	if err != nil || len(info.Sheets[0].Charts) != 2 || info.Sheets[1].Charts[0] != `line chart "May & June" of 'Sheet1'!$B$2:$B$4, 'Sheet1'!$C$2:$C$4` {
		t.Errorf("%+v, %v", info, err)
	}
	if report.Calculated == 0 || len(report.Results) != 9 || report.Results[3].Range != "B1" || len(report.Caveats) != 0 {
		t.Errorf("%+v", report)
	}
	foreign(t, data)
}

func TestStackedCharts(t *testing.T) {
	data, _ := edit(t, blank(t), `[`+chartData+`,
		{"op": "add_chart", "range": "A1:C3", "type": "stacked_column"}, {"op": "add_chart", "range": "A1:C3", "type": "stacked_bar"},
		{"op": "add_chart", "range": "A1:C3", "type": "stacked_area"}]`)
	info, err := open(t, data).Info()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"stacked_column", "stacked_bar", "stacked_area"} {
		if got := info.Sheets[0].Charts[i]; !strings.HasPrefix(got, want+" chart of ") {
			t.Errorf("%s, want %s", got, want)
		}
		part := string(partOf(t, data, "xl/charts/chart"+strconv.Itoa(i+1)+".xml"))
		if !strings.Contains(part, `<c:grouping val="stacked"/>`) || strings.Contains(part, `<c:overlap val="100"/>`) == (want == "stacked_area") {
			t.Errorf("%s: %s", want, part)
		}
	}
	foreign(t, data)
}

func TestChartsThatCannotBeDrawn(t *testing.T) {
	data, _ := edit(t, blank(t), `[`+chartData+`]`)
	for op, want := range map[string]string{
		`"range": "A1:C3"`:                                            "add_chart needs type",
		`"type": "line"`:                                              "add_chart needs range",
		`"range": "A1:C3", "type": "donut"`:                           `no chart of the type "donut" / Give one of column, stacked_column`,
		`"range": "Jun!A1:C3", "type": "line"`:                        `there is no sheet "Jun" / The sheets are "Sheet1", "It's, here"`,
		`"range": "A1:B2:C3", "type": "line"`:                         `"A1:B2:C3" is neither`,
		`"range": "A1:A3,Sales", "type": "line"`:                      `"Sales" is neither`,
		`"range": "A1:D3", "type": "line"`:                            `'Sheet1'!$D$2:$D$3 has no numbers`,
		`"range": "A1:C1", "type": "line"`:                            `'Sheet1'!$A$1:$C$1 has only one row`,
		`"range": "G1:H9", "type": "line"`:                            "the range G1:H9 of the sheet \"Sheet1\" is empty",
		`"range": "A1:A3,B1:B2", "type": "line"`:                      `'Sheet1'!$B$1:$B$2 has 2 rows, and 'Sheet1'!$A$1:$A$3 has 3`,
		`"range": "A1:C3", "type": "pie"`:                             "a pie shows one series, not 2",
		`"range": "D1:D3,B1:B3", "type": "scatter"`:                   "has no numbers",
		`"range": "A1:B3", "type": "pie", "x_title": "x"`:             "a pie has no axes",
		`"range": "A1:B3", "type": "line", "start": "1"`:              `"1" is not a cell`,
		`"range": "A1:B3", "type": "line", "title": "\u0001"`:         "control character",
		`"range": "A1:B3", "type": "line", "values": [["a"], ["b"]]`:  `add_chart has no field "values"`,
		`"range": "'It''s, here'!A1:B3", "type": "line", "start": ""`: `the range A1:B3 of the sheet "It's, here" is empty`,
	} {
		if told := refused(data, `[{"op": "ensure_sheet", "sheet": "Sheet1"}, {"op": "add_chart", `+op+`}]`); !strings.Contains(told, want) {
			t.Errorf("%s: %s", op, told)
		}
	}
}

// refused says why operations are: message / hint.
func refused(data []byte, ops string) string {
	var all []sheet.Operation
	err := json.Unmarshal([]byte(ops), &all)
	if err == nil {
		_, err = sheet.Edit(bytes.NewReader(data), int64(len(data)), &bytes.Buffer{}, all, sheet.Options{})
	}
	if e := (*api.Error)(nil); errors.As(err, &e) {
		return e.Message + " / " + e.Hint
	}
	return "it was done"
}
