package lake

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/source"
	tabular "github.com/agnes-data/da/table"
)

// TestReadingAsGiven reads a file of a lake as the instance file says, beside
// `da table` with the flags of the same names.
func TestReadingAsGiven(t *testing.T) {
	f := newFolder(t)
	tables, err := tabular.New(tabular.Config{Dir: t.TempDir(), WorkDir: f.dir})
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	for i, c := range []struct {
		text string
		read source.Reading
	}{
		{"a,b;c\n1,5;2\n2,5;3\n", source.Reading{Delimiter: ";"}},
		{"a b\tc\n1 x\t2\n", source.Reading{Delimiter: `\t`}},
		{"name\nZ\xfc\n", source.Reading{Encoding: "iso-8859-2"}},
		{"name,city\nAnna,Prague\nBob,Brno\n", source.Reading{NoHeader: true}},
		{"Report of May,second\nname,city\nAnna,Prague\nBob,Brno\n", source.Reading{HeaderLine: 2}},
		{"day\n01/02/2024\n03/04/2024\n", source.Reading{DateFormat: "M/D/Y"}},
		{"day\n01/02/2024\n03/04/2024\n", source.Reading{DateFormat: "D/M/Y"}},
		{"n,d\n1,2\n3,4\n", source.Reading{Types: map[string]string{"n": "string", "D": "decimal(6,2)"}}},
	} {
		name := fmt.Sprintf("r%d.csv", i)
		f.write(t, name, c.text)
		stream, err := tables.Stream(t.Context(), tabular.Source{Path: filepath.Join(f.dir, name), Options: options(&c.read)})
		if err != nil {
			t.Fatal(err)
		}
		stream.Batches.Retain()
		want, err := enginetest.Rows(stream.Batches)
		if err != nil {
			t.Fatal(err)
		}
		rel := source.Relation{Name: name, Reading: &c.read}
		schema, err := f.lake.Schema(t.Context(), rel)
		if err != nil {
			t.Fatal(err)
		}
		var own, theirs []string
		for _, c := range schema.Columns {
			own = append(own, c.Name)
		}
		for _, c := range stream.Batches.Schema().Fields() {
			theirs = append(theirs, c.Name)
		}
		if fmt.Sprint(own) != fmt.Sprint(theirs) {
			t.Errorf("%s: columns %q, and %q", name, own, theirs)
		}
		same(t, f.rows(t, source.Scan{Relation: rel, Select: own}), want...)
		stream.Close()
	}
}

// TestReadingsApart keeps two readings of one file apart, whatever was asked
// first.
func TestReadingsApart(t *testing.T) {
	f := newFolder(t)
	f.write(t, "d.csv", "day\n01/02/2024\n")
	seen := map[string]bool{}
	for range 2 {
		for _, order := range []string{"D/M/Y", "M/D/Y"} {
			rel := source.Relation{Name: "d.csv", Reading: &source.Reading{DateFormat: order}}
			version, err := f.lake.Version(t.Context(), rel)
			if err != nil {
				t.Fatal(err)
			}
			seen[version] = true
			r, err := f.lake.Scan(t.Context(), source.Scan{Relation: rel, Select: []string{"day"}})
			if err != nil {
				t.Fatal(err)
			}
			rows, err := enginetest.Rows(r)
			month := map[string]string{"D/M/Y": "2024-02-01", "M/D/Y": "2024-01-02"}[order]
			if err != nil || !strings.Contains(fmt.Sprint(rows), month) {
				t.Errorf("%s: %v, %v", order, rows, err)
			}
		}
	}
	if len(seen) != 2 {
		t.Errorf("%d versions", len(seen))
	}
}

// TestReadingRefused says what of a reading is wrong, without the files or with
// them.
func TestReadingRefused(t *testing.T) {
	for _, c := range []struct{ path, key, value, says string }{
		{"a.csv", "encoding", "latin", `encoding "latin" is not known. Use a name such as utf-8`},
		{"a.csv", "types", "nothing", `type "nothing" is not known. Types are integer`},
		{"a.csv", "date_format", "soon", `date format "soon" is not understood. Give the order`},
		{"a.csv", "delimiter", "123456789", "too long"},
		{"a/*.parquet", "no_header", "true", "for CSV and TSV files"},
		{"a.jsonl", "types", "string", "for CSV and TSV files"},
		{"a/*", "encoding", "windows-1252", ""},
		{"a.TSV.gz", "types", "decimal(12,2)", ""},
	} {
		if got := CheckReading(c.path, c.key, c.value); (c.says == "") != (got == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s of %s: %q", c.key, c.path, got)
		}
	}
	f := newFolder(t)
	f.write(t, "a.csv", "day,n\n1,2\n")
	f.write(t, "a.jsonl", "{}\n")
	for name, rel := range map[string]source.Relation{
		"names": {Name: "a.csv", Reading: &source.Reading{Types: map[string]string{"dax": "date"}}},
		"lines": {Name: "a.json*", Reading: &source.Reading{NoHeader: true}},
	} {
		_, err := f.lake.Schema(t.Context(), rel)
		var e *api.Error
		if !errors.As(err, &e) || e.Code != api.CodeConfig {
			t.Errorf("%s: %v", name, err)
		}
	}
	rel := source.Relation{Name: "a.csv", Reading: &source.Reading{Types: map[string]string{"n": "date"}}}
	r, err := f.lake.Scan(t.Context(), source.Scan{Relation: rel, Select: []string{"n"}})
	if err == nil {
		_, err = enginetest.Rows(r)
	}
	if err == nil || !strings.Contains(err.Error(), `a.csv line 2`) {
		t.Errorf("a cell without a value of its type: %v", err)
	}
}
