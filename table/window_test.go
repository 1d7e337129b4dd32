package table

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/agnes-data/da/table/intake"
)

// TestAWindowAtTheStartIsReadFromTheFile holds that the first rows of a text or
// workbook are read without building a database of the whole file, and that they
// are the same as out of the database.
func TestAWindowAtTheStartIsReadFromTheFile(t *testing.T) {
	var text strings.Builder
	text.WriteString("id,name,amount,long,day,at,zoned,time,ok,ratio,js,empty\n")
	for i := range 24_000 {
		fmt.Fprintf(&text, "%d,\"n, %d\",%d.25,%d000000000000000000000,2024-01-%02d,2024-01-02 03:04:%02d,2024-01-02T03:04:%02d+02:00,10:11:%02d,%t,%g,\"{\"\"a\"\":%d}\",\n",
			i, i, i, i+1, i%28+1, i%60, i%60, i%60, i%3 == 0, float64(i)/7, i)
	}
	exporter, files := newTables(t)
	write(t, files, "big.csv", text.String())
	if _, err := exporter.Export(t.Context(), ExportRequest{Source: Source{Path: "big.csv"}, TargetPath: "big.xlsx"}); err != nil {
		t.Fatal(err)
	}
	forced := map[string]string{"name": "integer", "id": "string"}
	for _, c := range []struct {
		name    string
		options intake.Options
	}{
		{"big.csv", intake.Options{}}, {"big.csv", intake.Options{Types: forced}}, {"big.csv", intake.Options{NoHeader: true}}, {"big.xlsx", intake.Options{}},
		{"big.xlsx", intake.Options{Range: "B3:D9000"}},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			ts, dir := newTables(t)
			src := Source{Path: filepath.Join(files, c.name), Options: c.options}
			m, err := ts.Map(t.Context(), MapRequest{Source: src})
			if err != nil {
				t.Fatal(err)
			}
			last := m.Columns[len(m.Columns)-1].Name
			requests := []RowsRequest{
				{Source: src, RowStart: 1, RowCount: 20}, {Source: src, RowStart: 7, RowCount: 1500}, {Source: src, RowStart: 1, RowCount: 0},
				{Source: src, RowStart: 3, RowCount: 2, Columns: []string{last, m.Columns[0].Name, last}},
			}
			var near []*Rows
			for _, r := range requests {
				rows, err := ts.Rows(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				near = append(near, rows)
			}
			if n := databases(t, dir); n > 0 {
				t.Fatalf("%d databases were built", n)
			}
			if far, err := ts.Rows(t.Context(), RowsRequest{Source: src, RowStart: m.RowCount, RowCount: 1}); err != nil || far.RowCount != 1 || databases(t, dir) == 0 {
				t.Fatalf("the last row: %+v, %v", far, err)
			}
			for i, r := range requests {
				rows, err := ts.Rows(t.Context(), r)
				if err != nil || !reflect.DeepEqual(rows, near[i]) {
					t.Errorf("%d rows from %d: the file has %s, the database %s, %v", r.RowCount, r.RowStart, show(t, near[i]), show(t, rows), err)
				}
			}
		})
	}
}
