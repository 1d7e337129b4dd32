package toolbox

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/agnes-data/da/toolbox/tool"
)

// TestArgumentsInTheSpellingOfJavaScript: what models write who know such APIs is taken
// as the schema has it, numbers with all their digits.
func TestArgumentsInTheSpellingOfJavaScript(t *testing.T) {
	all := tools()
	for _, c := range []struct{ tool, given, want string }{
		{"spreadsheet_write_cell", `{"fileId": "b", "cell": "A1", "value": 12345678901234567890, "options": {"formula": "A2", "format": {"numberFormat": "0.0"}}}`,
			`{"cell":"A1","file_id":"b","options":{"format":{"number_format":"0.0"},"formula":"A2"},"value":12345678901234567890}`},
		{"spreadsheet_write_cell", `{"file_id": "b", "formula": "A2", "format": {"bold": true}}`, `{"file_id":"b","options":{"format":{"bold":true},"formula":"A2"}}`},
		{"spreadsheet_write_cell", `{"file_id": "b", "formula": "A2", "options": {"formula": "A3"}}`, `{"file_id":"b","formula":"A2","options":{"formula":"A3"}}`},
		{"spreadsheet_write_cell", `{"file_id": "b", "fileId": "c", "noSuch": 1}`, `{"fileId":"c","file_id":"b","noSuch":1}`},
		{"spreadsheet_set_format", `{"format": {"columnWidth": 9}}`, `{"format":{"column_width":9}}`},
		{"spreadsheet_write_range", `{"startCell": "E2", "data": [[{"numberFormat": 1}]]}`, `{"data":[[{"numberFormat":1}]],"start_cell":"E2"}`},
		{"image_to_base64", `{"maxWidth": 5}`, `{"options":{"max_width":5}}`},
		{"image_resize", `{"width": 1, "options": {"fit": "cover"}}`, `{"options":{"fit":"cover"},"width":1}`},
		{"pdf_extract_text", `{"pages": [1]}`, `{"options":{"pages":[1]}}`},
		{"pdf_add_page", `{"options": {"size": "A5"}, "orientation": "landscape"}`, `{"options":{"orientation":"landscape","size":"A5"}}`},
		{"table_query", `{"path": "a.csv", "delimiter": ";", "headerLine": 2, "read_as": {"no_header": true}}`, `{"path":"a.csv","read_as":{"delimiter":";","header_line":2,"no_header":true}}`},
		{"pdf_fill_form", `{"fields": {"firstName": "x"}}`, `{"fields":{"firstName":"x"}}`},
		{"xlsx_operations", `{"operations": [{"op": "set_format", "afterRow": 3, "format": {"numberFormat": "0"}}]}`, `{"operations":[{"after_row":3,"format":{"number_format":"0"},"op":"set_format"}]}`},
		{"xlsx_operations", `[1`, `[1`},
	} {
		i := slices.IndexFunc(all, func(known tool.Tool) bool { return known.Name == c.tool })
		if got := string(respelled(json.RawMessage(c.given), all[i].In)); got != c.want {
			t.Errorf("%s %s: %s", c.tool, c.given, got)
		}
	}
}
