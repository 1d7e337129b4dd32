package sheet_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/sheet"
)

// TestFieldsOfAnotherOperationAreRefused, for what they say would not be done.
func TestFieldsOfAnotherOperationAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"op":"set_range","range":"C5","values":[[99]]}`:             `set_range has no field "range"`,
		`{"op":"insert_rows","range":"A5"}`:                           `insert_rows has no field "range"`,
		`{"op":"add_sheet","sheet":"S","values":[[1]]}`:               `add_sheet has no field "values"`,
		`{"op":"set_cells","cells":"A1"}`:                             `an operation's field cells cannot be a JSON string`,
		`{"op":"set_range","sheet":"S","start":"C5","values":[[99]]}`: "",
	} {
		var o sheet.Operation
		err := json.Unmarshal([]byte(text), &o)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if got := sheet.Described(); !slices.Contains(got, "set_range: sheet, start, values") {
		t.Errorf("%q", got)
	}
}

// TestRangeNeedsAStartWhereRowsAre: it would write over the first of them.
func TestRangeNeedsAStartWhereRowsAre(t *testing.T) {
	data, _ := edit(t, blank(t), `[{"op":"set_range","values":[[1]]}]`)
	for _, ops := range []string{`[{"op":"set_range","values":[[2]]}]`, `[{"op":"ensure_sheet","sheet":"S"},{"op":"set_range","sheet":"S","values":[[1]]},{"op":"set_range","sheet":"S","values":[[2]]}]`} {
		if _, _, err := tryEdit(t, data, ops); err == nil || !strings.Contains(err.Error(), "set_range needs start") {
			t.Errorf("%s: %v", ops, err)
		}
	}
}

// TestFloatsStayNumbers with all their digits, which a spreadsheet keeps as they are.
func TestFloatsStayNumbers(t *testing.T) {
	for text, number := range map[string]bool{
		"7.919673469387755": true, "-0.3333333333333333": true, "3.141592653589793": true, "1.7976931348623157e308": true,
		"12345678901234567": false, "0.12345678901234567890": false, "1234567890123456.78901": false,
	} {
		data, report := edit(t, blank(t), `[{"op":"set_range","values":[[`+text+`]]}]`)
		part := string(partOf(t, data, "xl/worksheets/sheet1.xml"))
		if strings.Contains(part, "<v>"+text+"</v>") != number || (len(report.Caveats) == 0) != number {
			t.Errorf("%s: %s, %q", text, part, api.Texts(report.Caveats))
		}
	}
}
