package sheet_test

import (
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestWarningsAboutFormulasAreForThoseRead has a formula without a value, one whose
// value may be old, and cells without formulas in a workbook that wants to be
// calculated, as xlsxwriter marks all of its workbooks.
func TestWarningsAboutFormulasAreForThoseRead(t *testing.T) {
	data, _ := edit(t, blank(t), `[{"op":"set_range","sheet":"Sheet1","values":[[1,2],[3,4],[5,6]]},
		{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"A2","formula":"A1*2"},{"cell":"A3","formula":"A1*3"}]}]`)
	const part = "xl/worksheets/sheet1.xml"
	text := strings.Replace(string(partOf(t, data, part)), "<f>A1*3</f><v>3</v>", "<f>A1*3</f><v>4</v>", 1)
	text = strings.Replace(text, "<f>A1*2</f><v>2</v>", "<f>A1*2</f><v></v>", 1) // as openpyxl writes it
	data = replacePart(t, data, part, text)
	const book = "xl/workbook.xml"
	text = strings.Replace(string(partOf(t, data, book)), "</sheets>", `</sheets><calcPr fullCalcOnLoad="1"/>`, 1)
	b := open(t, replacePart(t, data, book, text))
	for ref, want := range map[string]string{
		"A1:B1": "", "B1:B3": "", "A2:A2": "not calculated", "A3:B3": "may be wrong", "": "may be wrong|1 formula was not calculated",
	} {
		got, err := b.ReadRange("Sheet1", ref, 0)
		if err != nil {
			t.Fatal(err)
		}
		if want == "" && len(got.Caveats) > 0 || want != "" && len(got.Caveats) != len(strings.Split(want, "|")) {
			t.Errorf("%q: %q", ref, api.Texts(got.Caveats))
			continue
		}
		for i, part := range strings.Split(want, "|") {
			if want != "" && !strings.Contains(got.Caveats[i].Text, part) {
				t.Errorf("%q: %q, not %q", ref, got.Caveats[i].Text, part)
			}
		}
	}
	summary, err := b.Summary("Sheet1", 2)
	if err != nil || len(summary.Caveats) != 2 {
		t.Errorf("%+v, %v", summary, err)
	}
}
