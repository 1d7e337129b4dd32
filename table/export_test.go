package table

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/table/intake"
)

// everything has a column of every type that text can hold, with values at
// the edges.
const everything = "i,big,dec,f,b,s,d,t,ts,tz,j\n" +
	"1,170141183460469231731687303715884105,1.10,0.12345678,true,plain,2024-02-29,23:59:59.5,2024-02-29 12:00:00.25,2024-02-29T12:00:00Z,\"{\"\"a\"\":1}\"\n" +
	"-9223372036854775808,5,-99999999.99,1.5e-7,false,\"quoted, \"\"text\"\"\nand more\",1900-03-01,00:00:00,1999-12-31 23:59:59,1999-12-31T23:59:59+02:00,[1]\n" +
	",,,,,\"\",,,,,\n" +
	"7,8,9.00,2.5e10,true,\" é😀 \\N x\\ty\",9999-12-31,12:30:00,2024-01-01 00:00:00,2024-01-01T00:00:00Z,{}\n"

// TestRoundTrips writes a table in every format, reads the file back and
// expects the same rows, but for what the format cannot hold.
func TestRoundTrips(t *testing.T) {
	ts, dir := newTables(t)
	ctx := context.Background()
	write(t, dir, "all.csv", everything)
	read := func(path string) *Rows {
		t.Helper()
		r, err := ts.Rows(ctx, RowsRequest{Source: Source{Path: path}, RowStart: 1, RowCount: 10})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		r.Caveats = nil
		return r
	}
	want := read("all.csv")
	if got := fmt.Sprint(want.ColumnTypes); got != "[integer integer decimal float boolean string date time timestamp timestamptz json]" {
		t.Fatalf("types %s", got)
	}
	for _, format := range format.Exported() {
		for i, query := range []string{"", "SELECT * FROM data ORDER BY rowid"} {
			if i == 1 {
				query = "SELECT * FROM data"
			}
			name := fmt.Sprintf("out%d.%s", i, format)
			e, err := ts.Export(ctx, ExportRequest{Source: Source{Path: "all.csv"}, TargetPath: name, Query: query, Format: format})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if e.RowCount != 4 || e.ColumnCount != 11 {
				t.Errorf("%s: %+v", name, e)
			}
			got := read(name)
			for row := range want.Rows {
				for col, c := range want.Columns {
					w, g := string(want.Rows[row][col]), string(got.Rows[row][col])
					if w != g && !lost(format, c, row) {
						t.Errorf("%s: row %d, column %s: %s, want %s", name, row+1, c, g, w)
					}
				}
			}
		}
	}
}

// lost tells what a format cannot hold.
func lost(format, column string, row int) bool {
	switch format {
	case "xlsx": // zones, and times of day on day zero that have none
		return column == "tz" || column == "s" && row == 2 || column == "f" && row == 3
	case "jsonl": // a zone is part of the text there
		return column == "tz"
	}
	return false
}

func TestExportPolicies(t *testing.T) {
	ts, dir := newTables(t)
	ctx := context.Background()
	write(t, dir, "x.csv", "a,b\n=1+1,2\nok,3\n")
	src := Source{Path: "x.csv"}
	e, err := ts.Export(ctx, ExportRequest{Source: src, TargetPath: "y.csv", BOM: true})
	if err != nil || len(e.Caveats) != 1 || !strings.Contains(e.Caveats[0].Text, "formula") {
		t.Errorf("%+v, %v", e, err)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "y.csv")); string(data) != "\ufeffa,b\n=1+1,2\nok,3\n" {
		t.Errorf("%q", data)
	}
	_, err = ts.Export(ctx, ExportRequest{Source: src, TargetPath: "y.csv"})
	if !api.CodeTargetExists.Is(err) {
		t.Errorf("existing target: %v", err)
	}
	if _, err = ts.Export(ctx, ExportRequest{Source: src, TargetPath: "y.csv", Force: true, EscapeFormulas: true}); err != nil {
		t.Error(err)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "y.csv")); string(data) != "a,b\n'=1+1,2\nok,3\n" {
		t.Errorf("%q", data)
	}
	for path, code := range map[string]api.Code{
		"z.docx": api.CodeValidation, "none/z.csv": api.CodeWriteFailed, "": api.CodeValidation, ".": api.CodeValidation,
	} {
		if _, err := ts.Export(ctx, ExportRequest{Source: src, TargetPath: path}); !code.Is(err) {
			t.Errorf("%q: %v", path, err)
		}
	}
	if _, err := ts.Export(ctx, ExportRequest{Source: src, TargetPath: "q.csv", Query: "SELECT nope FROM data"}); !api.CodeValidation.Is(err) {
		t.Errorf("bad query: %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, ".*")); len(files) > 0 {
		t.Errorf("leftovers: %q", files)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "q.*")); len(files) > 0 {
		t.Errorf("a failed export left %q", files)
	}
}

func TestExportJoinsAndSheets(t *testing.T) {
	ts, dir := newTables(t)
	ctx := context.Background()
	write(t, dir, "a.csv", "k,v\n1,x\n2,y\n")
	write(t, dir, "b.csv", "k,w\n1,10\n2,20\n")
	e, err := ts.Export(ctx, ExportRequest{
		Source: Source{Path: "a.csv"}, Tables: map[string]Source{"b": {Path: "b.csv"}},
		Query: "SELECT v, w FROM data JOIN b USING (k) ORDER BY k", TargetPath: "j.xlsx", TargetSheet: "My/Data",
	})
	if err != nil || *e.Sheet != "My_Data" || e.RowCount != 2 {
		t.Fatalf("%+v, %v", e, err)
	}
	r, err := ts.Rows(ctx, RowsRequest{Source: Source{Path: "j.xlsx", Options: intake.Options{Sheet: "My_Data"}}, RowStart: 1, RowCount: 5})
	if err != nil || show(t, r.Rows) != `[["x",10],["y",20]]` {
		t.Errorf("%v, %v", r, err)
	}
}

// TestExportsAreBounded refuses a file that would be larger than it may be, in each
// format, and leaves nothing of it.
func TestExportsAreBounded(t *testing.T) {
	ts, dir := newTables(t)
	write(t, dir, "x.csv", "a\n1\n2\n")
	for _, format := range format.Exported() {
		r := ExportRequest{Source: Source{Path: "x.csv"}, Query: "SELECT hash(i) AS a, hash(i + 1) AS b FROM range(200000) t(i)", TargetPath: "y." + format, MaxBytes: 100_000}
		if _, err := ts.Export(t.Context(), r); !api.CodeTooLarge.Is(err) {
			t.Errorf("%s: %v", format, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 2 { // and the cache
			t.Errorf("%s: left %v", format, left)
		}
		r.Query = "SELECT 1 AS a"
		if _, err := ts.Export(t.Context(), r); err != nil {
			t.Errorf("%s of one row: %v", format, err)
		}
		if err := os.Remove(filepath.Join(dir, r.TargetPath)); err != nil {
			t.Error(err)
		}
	}
}

// TestAFileWithoutATable has nothing that parquet could hold; the other formats
// write an empty file.
func TestAFileWithoutATable(t *testing.T) {
	ts, dir := newTables(t)
	write(t, dir, "empty.csv", "")
	for _, format := range format.Exported() {
		name := "out." + format
		_, err := ts.Export(t.Context(), ExportRequest{Source: Source{Path: "empty.csv"}, TargetPath: name, Format: format})
		if format != "parquet" {
			if err != nil {
				t.Errorf("%s: %v", format, err)
			}
			continue
		}
		if !api.CodeReadFailed.Is(err) || !strings.Contains(err.Error(), "there is no table in empty.csv") {
			t.Errorf("%s: %v", format, err)
		}
		if _, err := os.Stat(filepath.Join(dir, name)); !os.IsNotExist(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNoMadeUpNames: CSV has the names of the file alone.
func TestNoMadeUpNames(t *testing.T) {
	ts, dir := newTables(t)
	for i, c := range []struct{ file, csv string }{
		{"1,2.5\n2,3.5\n", "1,2.5\n2,3.5\n"},
		{"id,v\n1,2\n3,4,5\n6,7\n8,9\n", "id,v,\"\"\n1,2,\n3,4,5\n6,7,\n8,9,\n"},
		{"id,,id\n1,2,x\n3,4,y\n", "id,\"\",id\n1,2,x\n3,4,y\n"},
		{"column_1,b\n1,2\n", "column_1,b\n1,2\n"},
	} {
		name := fmt.Sprintf("%d.csv", i)
		write(t, dir, name, c.file)
		var out strings.Builder
		r := ExportRequest{Source: Source{Path: name}, TargetPath: "-", Format: "csv", To: &out, NoMadeUpNames: true}
		if _, err := ts.Export(t.Context(), r); err != nil || out.String() != c.csv {
			t.Errorf("%q: %q, %v", c.file, out.String(), err)
		}
		r.Query = "SELECT * FROM data"
		if _, err := ts.Export(t.Context(), r); !api.CodeValidation.Is(err) {
			t.Errorf("with a query: %v", err)
		}
	}
}
