package intake

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/agnes-data/da/table/delimited"
)

// TestMergedCells: texts and dates are read in each row of their range, numbers in the
// first, and a row without anything of its own stays away.
func TestMergedCells(t *testing.T) {
	f := excelize.NewFile()
	defer f.Close()
	for i, row := range [][]any{{"group", "item", "budget"}, {"a", "x", 10}, {nil, "y"}, {"b", "z", 20}, {nil, nil, nil}, {nil, "w", 5}, {"c", "v", 1}} {
		if err := f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range [][2]string{{"A2", "A3"}, {"C2", "C3"}, {"A4", "A6"}} {
		if err := f.MergeCell("Sheet1", m[0], m[1]); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "merged.xlsx")
	if err := f.SaveAs(path); err != nil {
		t.Fatal(err)
	}
	file, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p, err := file.Profile(t.Context(), Options{})
	if err != nil || p.Filled != 2 || p.Merged != 1 || p.Rows != 5 {
		t.Fatalf("%+v, %v", p, err)
	}
	rows, done, err := file.rows(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = done() }()
	var all [][]string
	if err := eachBatch(t.Context(), rows, func(b *delimited.Batch) error {
		for i := range b.Len() {
			all = append(all, b.Strings(i))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(all), "[[group item budget] [a x 10] [a y ] [b z 20] [b w 5] [c v 1]]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
