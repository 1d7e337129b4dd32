package format

import "testing"

// TestNamesTellFormats holds names that differ in case, packing and ending.
func TestNamesTellFormats(t *testing.T) {
	for name, want := range map[string]string{
		"a.csv": "csv", "A.CSV.GZ": "csv", "a.tab.zst": "tsv", "a.ndjson": "jsonl", "x/y.geojson.gz": "geojson", "a.parquet": "parquet",
		"a.parquet.gz": "", "a.xlsm": "xlsx", "a.gz": "", "csv": "", "a.txt": "", "a.db": "database",
	} {
		if got := Of(name).Name; got != want {
			t.Errorf("%s: %q, not %q", name, got, want)
		}
	}
}

// TestFilesBeginAsTheirKind holds beginnings, whole and cut.
func TestFilesBeginAsTheirKind(t *testing.T) {
	for head, want := range map[string]Kind{
		"PAR1\x15\x04": Parquet, "PAR": "", "SQLite format 3\x00": SQLite, "SQLite format 3": "", "\x01\x02\x03\x04\x05\x06\x07\x08DUCK\x40\x00\x00\x00": DuckDB,
		"ARROW1\x00\x00\xff\xff\xff\xff": Arrow, "\xff\xff\xff\xff\x10\x01\x00\x00more": Arrow, "\xff\xff\xff\xff\x00\x00\x00\x00": "", "\xff\xff\xff\xffabcd": "", "": "", "a,b\n": "",
	} {
		if got := Begins([]byte(head)); got != want {
			t.Errorf("%q: %q, not %q", head, got, want)
		}
	}
}
