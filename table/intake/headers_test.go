package intake

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// TestWorkbookHeaders reads a sheet whose header has two rows: groups, merged
// over their columns, and names below them.
func TestWorkbookHeaders(t *testing.T) {
	f := excelize.NewFile()
	for i, row := range [][]any{
		{"Sales of the year"}, {},
		{"region", "2023", nil, "2024", nil}, {nil, "Q1", "Q2", "Q1", "Q2"},
		{"north", 1, 2, 3, 4}, {"south", 5, 6, 7, 8}, {"west", 9, 10, 11, 12},
	} {
		cell, err := excelize.CoordinatesToCellName(1, i+1)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.SetSheetRow("Sheet1", cell, &row); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range [][2]string{{"B3", "C3"}, {"D3", "E3"}} {
		if err := f.MergeCell("Sheet1", m[0], m[1]); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "b.xlsx")
	if err := f.SaveAs(path); err != nil {
		t.Fatal(err)
	}
	p, got := read(t, path, Options{})
	if want := "region:string|2023 Q1:integer|2023 Q2:integer|2024 Q1:integer|2024 Q2:integer\nnorth|1|2|3|4\nsouth|5|6|7|8\nwest|9|10|11|12\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if p.HeaderRows != 2 || strings.Join(p.Preamble, "") != "Sales of the year" {
		t.Errorf("%d rows of header, preamble %q", p.HeaderRows, p.Preamble)
	}
	if p, got := read(t, path, Options{NoHeader: true}); p.HeaderRows != 0 || !strings.HasPrefix(got, "column_1:string|") {
		t.Errorf("without a header: %d\n%s", p.HeaderRows, got)
	}
}
