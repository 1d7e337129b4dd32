package table

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// copySheet copies a workbook of the tests.
func copySheet(t *testing.T, dir, name string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "sheets", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestNotesOfSheets pins what is said of workbooks whose cells are not all that a
// reader sees, or not yet right.
func TestNotesOfSheets(t *testing.T) {
	const wrong = " that may be wrong: no program that calculates has saved the workbook since it was last written; open it in one, and save it"
	const never = "formatted as dates or times, but their values are not valid ones, for instance 1900-02-29, Excel's day 60: read as stored"
	for name, want := range map[string]struct {
		rows  int64
		notes []string
	}{
		"stale_formulas_table_door.xlsx":     {2, []string{`2 formulas in column "gross" have values` + wrong}},
		"xlsxwriter.xlsx":                    {5, []string{`5 formulas in column "total" have values` + wrong}},
		"filtered_rows.xlsx":                 {10, []string{"5 rows that the sheet hides are read like the others"}},
		"number_cells_called_ambiguous.xlsx": {3, nil},
		"days_that_never_were.xlsx":          {3, []string{"3 cells are " + never}},
		"days_that_never_were_1904.xlsx":     {2, nil},
		"days_that_never_were_strict.xlsx":   {3, []string{"2 cells are " + never}},
		"very_hidden_sheet_first.xlsx":       {1, nil},
		"table_with_totals_row.xlsx":         {3, []string{"1 row of totals was left out, which a table of the sheet declares"}},
		"merged_group_cells.xlsx":            {4, []string{"2 merged ranges go over several rows: the text of the first was read in each of them"}},
	} {
		ts, dir := newTables(t)
		copySheet(t, dir, name)
		m, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: name}})
		if err != nil {
			t.Fatal(err)
		}
		if got := warningsOf(m); m.RowCount != want.rows || !slices.Equal(got, want.notes) {
			t.Errorf("%s: %d rows, %q", name, m.RowCount, got)
		}
	}
}

// TestStaleFormulasAreSaidAtEveryDoor of this package: each reads the same profile.
func TestStaleFormulasAreSaidAtEveryDoor(t *testing.T) {
	ctx, src := context.Background(), Source{Path: "xlsxwriter.xlsx"}
	ts, dir := newTables(t)
	copySheet(t, dir, src.Path)
	check := func(door string, notes []api.Caveat, err error) {
		t.Helper()
		if err != nil || !slices.ContainsFunc(notes, func(n api.Caveat) bool { return strings.Contains(n.Text, `5 formulas in column "total"`) }) {
			t.Errorf("%s: %v, %v", door, notes, err)
		}
	}
	for range 2 { // the second time with what is kept of the first
		m, err := ts.Map(ctx, MapRequest{Source: src})
		check("map", m.Caveats, err)
		q, err := ts.Query(ctx, QueryRequest{Source: src, Query: "SELECT sum(total) FROM data"})
		check("query", q.Caveats, err)
		rows, err := ts.Rows(ctx, RowsRequest{Source: src, RowStart: 1, RowCount: 2})
		check("rows", rows.Caveats, err)
		stats, err := ts.Stats(ctx, StatsRequest{Source: src})
		check("stats", stats.Caveats, err)
		described, err := ts.Describe(ctx, DescribeRequest{Source: src})
		check("describe", described.Caveats, err)
		e, err := ts.Export(ctx, ExportRequest{Source: src, TargetPath: filepath.Join(dir, "out.csv"), Force: true})
		check("export", e.Caveats, err)
		s, err := ts.Stream(ctx, src)
		check("stream", s.Caveats, err)
		if err == nil {
			s.Close()
		}
	}
}

// TestOtherSheetsWithContent are named if nobody has chosen one.
func TestOtherSheetsWithContent(t *testing.T) {
	ts, dir := newTables(t)
	f := workbook(t, filepath.Join(dir, "three.xlsx"), "a|b\nx|1", "", "c|d\nz|2")
	defer f.Close()
	for sheet, want := range map[string]string{
		"":       `sheet "Sheet1" was read, the first that is shown; 1 other sheet has content, too: Sheet3 [sheet]`,
		"Sheet1": "",
	} {
		src := Source{Path: "three.xlsx"}
		src.Sheet = sheet
		m, err := ts.Map(context.Background(), MapRequest{Source: src})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(warningsOf(m), "\n"); got != want {
			t.Errorf("%q: %q", sheet, got)
		}
	}
}

// TestRowsOfOddSheets reads workbooks of other programs, and sheets with more than a table.
func TestRowsOfOddSheets(t *testing.T) {
	for name, want := range map[string]string{
		"strict_date_cells.xlsx":     `[["a" "2024-03-01T11:00:00"] ["b" "2024-03-02T12:30:00"] ["c" "2024-03-04T00:00:00"]]`,
		"parts_in_utf16.xlsx":        `[["Mon" 3.8] ["Tue" 0.7]]`,
		"narrow_numbers_first.xlsx":  "[[4 null] [8 null] [15 null] [16 null] [23 null] [66 66]]",
		"merged_group_cells.xlsx":    `[["North" "A" 1] ["North" "B" 2] ["South" "C" 4] ["South" "D" 5]]`,
		"table_with_totals_row.xlsx": `[["a" 1] ["b" 2] ["c" 4]]`,
		"two_stacked_tables.xlsx":    `[["North" 1 2 3 4] ["South" 5 6 7 8]]`,
	} {
		ts, dir := newTables(t)
		copySheet(t, dir, name)
		m, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: name}})
		if err != nil {
			t.Fatal(err)
		}
		if name == "two_stacked_tables.xlsx" && !slices.Contains(warningsOf(m), `another table begins behind this one and was not read: "Returns" [header_line]`) {
			t.Errorf("%s: %q", name, warningsOf(m))
		}
		rows, err := ts.Rows(context.Background(), RowsRequest{Source: Source{Path: name}, RowStart: 1, RowCount: 9})
		if got := fmt.Sprintf("%s", rows.Rows); err != nil || got != want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

// TestDurationsOfSheets: those over a day are text, whose seconds add up as the docs say.
func TestDurationsOfSheets(t *testing.T) {
	ts, dir := newTables(t)
	const name = "durations_over_24h.xlsx"
	copySheet(t, dir, name)
	got, err := ts.Query(context.Background(), QueryRequest{Source: Source{Path: name}, Query: "SELECT sum(epoch(dur::INTERVAL)) / 3600 FROM data"})
	if err != nil || string(got.Rows[0][0]) != "1542.0" {
		t.Errorf("%s, %v", got.Rows, err)
	}
}

// TestEmptyRowsOfOneColumnAreTold: a sheet's are left out, and may be rows without a value.
func TestEmptyRowsOfOneColumnAreTold(t *testing.T) {
	for text, want := range map[string]string{
		"v\n1\n\n2\n\n\n3":     "3 empty rows among the rows: left out, though a row of one column may lack its value",
		"v\nx\n\n2":            "1 empty row among the rows: left out, though a row of one column may lack its value",
		"v\n1\n2\n3\n\n":       "",
		"v|w\n1|2\n\n3|4\n5|6": "",
	} {
		ts, dir := newTables(t)
		workbook(t, filepath.Join(dir, "a.xlsx"), text)
		m, err := ts.Map(t.Context(), MapRequest{Source: Source{Path: "a.xlsx"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(warningsOf(m), "; "); got != want {
			t.Errorf("%q: %d rows, %q", text, m.RowCount, got)
		}
	}
}
