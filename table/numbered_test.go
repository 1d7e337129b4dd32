package table

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/table/intake"
)

// TestTablesBelowEachOther: each can be asked for by its number.
func TestTablesBelowEachOther(t *testing.T) {
	ts, dir := newTables(t)
	write(t, dir, "three.csv", "a,b,c\n1,2,3\n3,4,5\n5,6,7\n\nname,city,zip\nx,Rome,1\ny,Oslo,2\nz,Bern,3\n\nk,l,m\n1,2,3\n4,5,6\n7,8,9\n")
	at := func(o intake.Options) string {
		m, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: "three.csv", Options: o}})
		if err != nil {
			return err.Error()
		}
		var names []string
		for _, c := range m.Columns {
			names = append(names, c.Name)
		}
		return strings.Join(names, ",")
	}
	for _, c := range []struct {
		o    intake.Options
		want string
	}{
		{intake.Options{Table: 1}, "a,b,c"}, {intake.Options{Table: 2}, "name,city,zip"}, {intake.Options{Table: 3}, "k,l,m"},
		{intake.Options{Table: 4}, "there is no table 4: 3 tables were found"},
		{intake.Options{Table: -1}, "the table's number is less than 1"}, {intake.Options{Table: 2, HeaderLine: 6}, "given beside a range or a header line"},
	} {
		if got := at(c.o); !strings.Contains(got, c.want) {
			t.Errorf("%+v: %s", c.o, got)
		}
	}
}

// TestTheSecondTableOfASheet has names of two rows, as the first.
func TestTheSecondTableOfASheet(t *testing.T) {
	ts, dir := newTables(t)
	one := "\n|2023||2024|\n|Q1|Q2|Q1|Q2\nNorth|1|2|3|4\nSouth|5|6|7|8\n"
	workbook(t, filepath.Join(dir, "two.xlsx"), "Sales"+one+"\n\nReturns"+one)
	for n := 1; n <= 2; n++ {
		m, err := ts.Map(t.Context(), MapRequest{Source: Source{Path: filepath.Join(dir, "two.xlsx"), Options: intake.Options{Table: n}}})
		if err != nil || m.RowCount != 2 || m.ColumnCount != 5 || m.Columns[1].Name != "2023 Q1" || m.Columns[4].Name != "2024 Q2" {
			t.Errorf("table %d: %+v, %v", n, m, err)
		}
	}
}
