package sheet_test

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestTheLookOfASheet(t *testing.T) {
	data, report := edit(t, blank(t), `[
		{"op": "set_range", "values": [["day", "sales", "kind"], [null, 10, "a"], [null, 4, "b"]]},
		{"op": "ensure_sheet", "sheet": "It's"},
		{"op": "conditional_format", "range": "B2:B9", "rule": {"is": ">", "value": 5}, "format": {"fill": "#FFC7CE", "bold": true, "color": "#9C0006"}},
		{"op": "conditional_format", "range": "A2:A9", "rule": {"is": "between", "value": "2024-03-01", "to": "2024-03-31"}, "format": {"italic": true}},
		{"op": "conditional_format", "range": "B2:B9", "rule": {"is": "scale"}},
		{"op": "conditional_format", "range": "B2:B9", "rule": {"is": "bars"}},
		{"op": "conditional_format", "range": "C2:C9", "rule": {"is": "contains", "value": "a\"<"}, "format": {"fill": "#FFC7CE"}},
		{"op": "conditional_format", "range": "C2:C9", "rule": {"is": "duplicate"}, "format": {"fill": "#FFC7CE"}},
		{"op": "conditional_format", "range": "A2:C9", "rule": {"is": "formula", "value": "=$B2>MAX($B$2:$B$9)/2"}, "format": {"fill": "#FFC7CE"}},
		{"op": "validate", "range": "C2:C9", "rule": {"is": "list", "list": ["a", "b & c"]}, "text": "a or b"},
		{"op": "validate", "range": "B2:B9", "rule": {"is": "between", "value": 0, "to": 100}},
		{"op": "validate", "range": "A2:A9", "rule": {"is": ">=", "value": "2024-01-01"}},
		{"op": "validate", "range": "D2", "rule": {"is": "list", "value": "Sheet1!C2:C3"}},
		{"op": "freeze", "start": "D3"}, {"op": "freeze", "start": "B2"}, {"op": "freeze", "sheet": "It's", "start": "A2"},
		{"op": "page_setup", "page": {"orientation": "landscape", "paper": "A4", "pages_wide": 1, "pages_tall": 0, "area": "A1:C9", "repeat_rows": "1:1", "footer": "Page &P", "header": "&A"}},
		{"op": "add_link", "start": "E1", "link": "https://example.com/a?b=1&c=2", "text": "more"},
		{"op": "add_link", "start": "E2", "link": "'It''s'!A1"},
		{"op": "add_comment", "start": "B2", "text": "<checked>\ntwice", "author": "Kim"},
		{"op": "add_comment", "start": "B3", "text": "da's"}]`)
	if len(report.Caveats) != 0 {
		t.Errorf("%+v", report.Caveats)
	}
	f := foreign(t, data)
	formats, err := f.GetConditionalFormats("Sheet1")
	if err != nil || formats["B2:B9"][0].Value != "5" || formats["A2:A9"][0].MinValue != "45352" || len(formats) != 4 || formats["B2:B9"][1].Type != "2_color_scale" || formats["B2:B9"][2].Type != "data_bar" {
		t.Errorf("%+v, %v", formats, err)
	}
	rules, err := f.GetDataValidations("Sheet1")
	if err != nil || len(rules) != 4 || rules[0].Formula1 != `"a,b & c"` || rules[1].Formula2 != "100" || rules[2].Type != "date" || rules[3].Formula1 != "'Sheet1'!$C$2:$C$3" {
		text, _ := json.Marshal(rules)
		t.Errorf("%s, %v", text, err)
	}
	panes, err := f.GetPanes("Sheet1")
	if err != nil || !panes.Freeze || panes.XSplit != 1 || panes.YSplit != 1 || panes.TopLeftCell != "B2" {
		t.Errorf("%+v, %v", panes, err)
	}
	page, err := f.GetPageLayout("Sheet1")
	if err != nil || *page.Orientation != "landscape" || *page.Size != 9 || *page.FitToWidth != 1 {
		t.Errorf("%+v, %v", page, err)
	}
	if _, link, err := f.GetCellHyperLink("Sheet1", "E1"); err != nil || link != "https://example.com/a?b=1&c=2" {
		t.Errorf("%s, %v", link, err)
	}
	comments, err := f.GetComments("Sheet1")
	if err != nil || len(comments) != 2 || comments[0].Author != "Kim" || comments[0].Text != "<checked>\ntwice" || comments[1].Author != "da" {
		t.Errorf("%+v, %v", comments, err)
	}
	data, _ = edit(t, data, `[{"op": "add_comment", "start": "C3", "text": "third", "author": "Kim"}, {"op": "freeze", "start": "A1"}]`)
	if comments, err := foreign(t, data).GetComments("Sheet1"); err != nil || len(comments) != 3 {
		t.Errorf("%+v, %v", comments, err)
	}
	if boxes := string(partOf(t, data, "xl/drawings/vmlDrawing1.vml")); strings.Count(boxes, "<v:shape ") != 3 {
		t.Errorf("%s", boxes)
	}
	if sheet := string(partOf(t, data, "xl/worksheets/sheet1.xml")); strings.Contains(sheet, "<pane") {
		t.Errorf("%s", sheet)
	}
}

func TestRulesThatReachOut(t *testing.T) {
	_, report := edit(t, blank(t), `[{"op": "conditional_format", "range": "A1", "rule": {"is": "formula", "value": "WEBSERVICE(\"https://example.com\")=\"1\""}, "format": {"bold": true}}]`)
	if len(report.Caveats) != 1 || !strings.Contains(report.Caveats[0].Text, "a rule has the function WEBSERVICE") {
		t.Errorf("%+v", report)
	}
}

func TestLooksThatCannotBe(t *testing.T) {
	for op, want := range map[string]string{
		`"op": "conditional_format", "range": "A1:A2"`:                                                                    "needs rule",
		`"op": "conditional_format", "range": "A1:A2", "rule": {"is": "near", "value": 1}, "format": {"bold": true}`:      `no condition "near" / Give one of <`,
		`"op": "conditional_format", "range": "A1:A2", "rule": {"is": ">", "value": 1}`:                                   "needs format",
		`"op": "conditional_format", "range": "A1:A2", "rule": {"is": ">"}, "format": {"bold": true}`:                     "nothing to compare with",
		`"op": "conditional_format", "range": "A1:A2", "rule": {"is": ">", "value": 1}, "format": {"wrap": true}`:         "cannot change that",
		`"op": "conditional_format", "range": "A1:A2", "rule": {"is": "formula", "value": "SUM("}, "format": {}`:          "closed",
		`"op": "conditional_format", "range": "A1:A2", "rule": {"is": "formula", "value": "a|b!c"}, "format": {}`:         "starts another program",
		`"op": "validate", "range": "A1:A2", "rule": {"is": "list", "list": ["a,b"]}`:                                     "without commas",
		`"op": "validate", "range": "A1:A2", "rule": {"is": "list"}`:                                                      "a list has texts",
		`"op": "validate", "range": "A1:A2", "rule": {"is": "=", "value": "x"}`:                                           `compared with the text "x"`,
		`"op": "validate", "range": "A1:A2", "rule": {"is": "<", "value": 1}, "text": "` + strings.Repeat("x", 226) + `"`: "226 characters",
		`"op": "freeze"`: "needs start",
		`"op": "page_setup", "page": {"paper": "A9"}`:                                                        `no paper "A9"`,
		`"op": "page_setup", "page": {"pages_wide": -1}`:                                                     "-1 pages",
		`"op": "page_setup", "page": {"area": "x"}`:                                                          `"x" is not a range`,
		`"op": "add_link", "start": "A1", "link": "javascript:alert(1)"`:                                     "a link cannot lead to",
		`"op": "add_link", "start": "A1", "link": "file:///etc/passwd"`:                                      "a link cannot lead to",
		`"op": "add_link", "start": "A1", "link": "Jun!A1"`:                                                  `no sheet "Jun"`,
		`"op": "add_comment", "start": "A1"`:                                                                 "needs text",
		`"op": "add_comment", "start": "A1", "text": "a"}, {"op": "add_comment", "start": "A1", "text": "b"`: "A1 has a comment already",
	} {
		if text := refused(blank(t), `[{`+op+`}]`); !strings.Contains(text, want) {
			t.Errorf("%s: %s", op, text)
		}
	}
}
