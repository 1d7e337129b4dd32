package intake

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
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
	for _, c := range []struct {
		within, want   string
		filled, ranges int64
	}{
		{"", "[[group item budget] [a x 10] [a y ] [b z 20] [b w 5] [c v 1]]", 2, 1},
		// The ranges stand behind the rows, also behind those that are not read.
		{"A1:C3", "[[group item budget] [a x 10] [a y ]]", 1, 1}, {"A1:C4", "[[group item budget] [a x 10] [a y ] [b z 20]]", 1, 1},
		{"A5:C7", "[[ w 5] [c v 1]]", 0, 1},
	} {
		p, err := file.Profile(t.Context(), Options{Range: c.within})
		if err != nil || p.Filled != c.filled || p.Merged != c.ranges {
			t.Errorf("%s: %d filled, %d merged, %v", c.within, p.Filled, p.Merged, err)
			continue
		}
		rows, done, err := file.rows(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		var all [][]string
		if err := errors.Join(eachBatch(t.Context(), rows, func(b *delimited.Batch) error {
			for i := range b.Len() {
				all = append(all, b.Strings(i))
			}
			return nil
		}), done()); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(all); got != c.want {
			t.Errorf("%s: %s, want %s", c.within, got, c.want)
		}
	}
}

// TestMergedNames: what is written over several columns names all of them, and what is
// merged over rows of the header names its column once. A title over the table does not.
func TestMergedNames(t *testing.T) {
	for _, c := range []struct {
		name   string
		rows   [][]any
		merged [][2]string
		want   string
	}{
		{"one row", [][]any{{"id", "value", nil, "note"}, {1, 2, 3, "a"}, {2, 4, 5, "b"}}, [][2]string{{"B1", "C1"}}, "id value value_1 note"},
		{"a group", [][]any{{"id", "2023", nil, "note"}, {nil, "plan", "actual"}, {1, 2, 3, "x"}, {2, 4, 5, "y"}, {3, 4, 6, "z"}}, [][2]string{{"B1", "C1"}}, "id 2023 plan 2023 actual note"},
		{"groups", [][]any{{"id", "2023", nil, "2024"}, {nil, "plan", "actual", "forecast", "target"}, {1, 2, 3, 4, 5}, {2, 4, 5, 6, 7}}, [][2]string{{"A1", "A2"}, {"B1", "C1"}, {"D1", "E1"}}, "id 2023 plan 2023 actual 2024 forecast 2024 target"},
		{"three rows", [][]any{{"id", "Europe"}, {nil, "2023", nil, "2024"}, {nil, "plan", "actual", "forecast", "target"}, {1, 2, 3, 4, 5}, {2, 4, 5, 6, 7}}, [][2]string{{"A1", "A3"}, {"B1", "E1"}, {"B2", "C2"}, {"D2", "E2"}}, "id Europe 2023 plan Europe 2023 actual Europe 2024 forecast Europe 2024 target"},
		{"over rows only", [][]any{{"Region", "Share", "Change"}, {nil, nil, "by quarter", "by year"}, {nil, "(%)"}, {"A", "B", "C", "D"}}, [][2]string{{"A1", "A3"}, {"B1", "B2"}, {"C1", "D1"}, {"C2", "C3"}, {"D2", "D3"}}, "Region Share (%) Change by quarter Change by year"},
		{"a title", [][]any{{"Sales of the year"}, {"id", "value", "note"}, {1, 2, "a"}, {2, 4, "b"}}, [][2]string{{"A1", "C1"}}, "id value note"},
		{"a column on the left", [][]any{{nil, "id", "value"}, {nil, 1, 2, 3}, {nil, 2, 4, 5}, {"x", 3, 4, 6}}, [][2]string{{"C1", "D1"}}, "column_1 id value value_1"},
	} {
		f := excelize.NewFile()
		for i, row := range c.rows {
			if err := f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row); err != nil {
				t.Fatal(err)
			}
		}
		for _, m := range c.merged {
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
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, column := range p.Columns {
			names = append(names, column.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: columns %q, want %q", c.name, got, c.want)
		}
	}
}
