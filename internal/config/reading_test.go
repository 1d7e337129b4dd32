package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

const readingSources = `
sources:
  files: { type: lake, root: ./data }
  crm: { type: postgres, dsn: x }
tables:
`

// TestReading reads the keys that say how a table's text is read.
func TestReading(t *testing.T) {
	inst, err := parseInstance(t, readingSources+`
  - { id: a, source: files, path: a.csv, delimiter: "\t", encoding: utf-8, no_header: true, date_format: D/M/Y, types: { day: date, "2": string } }
  - { id: b, source: files, path: a.csv, no_header: false }
  - { id: c, source: files, path: a.csv }
  - { id: d, source: files, path: a.csv, header_line: 3 }
`)
	if err != nil {
		t.Fatal(err)
	}
	want := []*Reading{
		{Delimiter: "\t", Encoding: "utf-8", NoHeader: true, DateFormat: "D/M/Y", Types: map[string]string{"day": "date", "2": "string"}},
		{}, nil, {HeaderLine: 3},
	}
	for i, table := range inst.Tables {
		if !reflect.DeepEqual(table.Reading, want[i]) {
			t.Errorf("%s: %+v", table.ID, table.Reading)
		}
	}
}

// TestReadingFaults says where what stands wrong, and what would be right.
func TestReadingFaults(t *testing.T) {
	_, err := parseInstance(t, strings.TrimPrefix(readingSources, "\n")+`  - { id: a, source: files, path: a.csv, delimiter: "", encoding: latin, no_header: yes, date_format: 3, types: [a] }
  - { id: b, source: files, path: a.csv, types: { x: nothing, y: 3, x: string }, delimeter: x }
  - { id: c, source: files, path: a.parquet, encoding: utf-8, types: { x: string } }
  - { id: d, source: crm, relation: r, delimiter: ";", types: {} }
  - { id: e, source: file, path: a.csv, encoding: latin }
`)
	want := []string{
		`5:53 must not be empty`,
		`5:67 latin is not known`,
		`5:85 must be true or false, and is text`,
		`5:103 must be text; put it in quotes: "3"`,
		`5:113 types is a list; it must be a mapping of keys to values, as in 'key: value'`,
		`6:54 nothing is not known`,
		`6:66 must be text; put it in quotes: "3"`,
		`6:69 key "x" is there twice; the first is in line 6`,
		`6:82 unknown key "delimeter"; did you mean "delimiter"?`,
		`7:56 a.parquet is no text`,
		`8:51 a table of a postgres source has no delimiter, which is for files of text`,
		`8:63 a table of a postgres source has no types, which is for files of text`,
		`9:22 unknown source "file"; did you mean "files"?`,
	}
	if got := faultsOf(t, err); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
