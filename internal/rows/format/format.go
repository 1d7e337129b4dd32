// Package format has the one list of the formats in which files hold tables: what they
// are called, how they are recognised, and who reads and writes them. It opens no file.
package format

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
)

// Kind is how a file has to be read.
type Kind string

// The kinds of files.
const (
	Text    Kind = "text" // delimited text
	Sheet   Kind = "xlsx"
	Parquet Kind = "parquet"
	JSON    Kind = "json"
	Arrow   Kind = "arrow" // an IPC stream or file
	DuckDB  Kind = "duckdb"
	SQLite  Kind = "sqlite"
)

// kinds are what a sentence calls the kinds, and how files of them begin. Text and JSON
// are told apart by their content, and a workbook from other archives by its parts.
var kinds = map[Kind]struct {
	label  string
	begins func(head []byte) bool
}{
	Text:    {"delimited text", nil},
	Sheet:   {"a workbook", nil},
	JSON:    {"JSON", nil},
	Parquet: {"parquet", at(0, "PAR1")},
	Arrow:   {"Arrow", isArrow},
	DuckDB:  {"a database of DuckDB", at(8, "DUCK")},
	SQLite:  {"a database of SQLite", at(0, "SQLite format 3\x00")},
}

// Label returns what a sentence calls the kind, such as "a workbook".
func (k Kind) Label() string { return kinds[k].label }

// HeadSize is the number of bytes by which Begins knows a file.
const HeadSize = 16

// Begins returns the kind of a file that begins with these bytes, "" if they tell none.
func Begins(head []byte) Kind {
	for kind, k := range kinds {
		if k.begins != nil && k.begins(head) {
			return kind
		}
	}
	return ""
}

func at(offset int, magic string) func([]byte) bool {
	return func(head []byte) bool {
		return len(head) >= offset && bytes.HasPrefix(head[offset:], []byte(magic))
	}
}

// ArrowMagic is the start of an Arrow file; a stream follows it.
const ArrowMagic = "ARROW1\x00\x00"

// isArrow reports whether a file starts like one of Arrow's IPC formats. A stream
// starts with a mark and the length of its schema, which is taken to be less than
// 16 MB: no text has the zero byte of such a length.
func isArrow(head []byte) bool {
	length, marked := bytes.CutPrefix(head, []byte("\xff\xff\xff\xff"))
	return bytes.HasPrefix(head, []byte(ArrowMagic)) ||
		marked && len(length) >= 4 && length[3] == 0 && string(length[:4]) != "\x00\x00\x00\x00"
}

// Format is how the rows of a file are written.
type Format struct {
	Name      string // as answers and options have it
	Kind      Kind
	Endings   []string // of names, in lower case
	Delimiter string   // of delimited text
	Packed    bool     // files may be compressed whole, as in x.csv.gz
	InLakes   bool     // a lake reads the file where it lies
	Exported  bool     // a table can be exported to it
}

// All is the list.
var All = []Format{
	{Name: "csv", Kind: Text, Endings: []string{".csv"}, Delimiter: ",", Packed: true, InLakes: true, Exported: true},
	{Name: "tsv", Kind: Text, Endings: []string{".tsv", ".tab"}, Delimiter: "\t", Packed: true, InLakes: true, Exported: true},
	{Name: "psv", Kind: Text, Endings: []string{".psv"}, Delimiter: "|", Packed: true},
	{Name: "jsonl", Kind: JSON, Endings: []string{".jsonl", ".ndjson"}, Packed: true, InLakes: true, Exported: true},
	{Name: "json", Kind: JSON, Endings: []string{".json"}, Packed: true, InLakes: true},
	{Name: "geojson", Kind: JSON, Endings: []string{".geojson"}, Packed: true, InLakes: true},
	{Name: "parquet", Kind: Parquet, Endings: []string{".parquet", ".pq"}, InLakes: true, Exported: true},
	{Name: "xlsx", Kind: Sheet, Endings: []string{".xlsx", ".xlsm"}, Exported: true},
	{Name: "arrow", Kind: Arrow, Endings: []string{".arrow", ".arrows", ".feather"}},
	{Name: "duckdb", Kind: DuckDB, Endings: []string{".duckdb", ".ddb"}},
	{Name: "sqlite", Kind: SQLite, Endings: []string{".sqlite", ".sqlite3", ".db3"}},
	{Name: "database", Endings: []string{".db"}}, // of either program
}

// Readable says in a sentence what tables are read from.
const Readable = "CSV and other delimited text, XLSX, JSON, parquet, Arrow, and databases of DuckDB and SQLite"

// Of returns the format that a file's name tells; its name is "" if it tells none.
func Of(path string) Format {
	packing := Packing(path)
	for _, f := range All {
		if slices.Contains(f.Endings, Ending(path)) && (f.Packed || packing == "") {
			return f
		}
	}
	return Format{}
}

// Delimited returns the format of text with a delimiter; its name is "" if it has none
// of its own.
func Delimited(delimiter string) Format {
	for _, f := range All {
		if f.Delimiter == delimiter && delimiter != "" {
			return f
		}
	}
	return Format{}
}

// Ending returns the last extension of a name that is not one of a compression, in
// lower case.
func Ending(path string) string {
	return strings.ToLower(filepath.Ext(strings.TrimSuffix(path, Packing(path))))
}

// Packing returns the extension of a compression that a name ends in, "" if none.
func Packing(path string) string {
	switch ext := filepath.Ext(path); strings.ToLower(ext) {
	case ".gz", ".zst", ".zstd":
		return ext
	}
	return ""
}

// Exported lists the names of the formats to which tables are exported.
func Exported() (names []string) {
	for _, f := range All {
		if f.Exported {
			names = append(names, f.Name)
		}
	}
	return names
}
