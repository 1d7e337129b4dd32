package output

import (
	"path/filepath"
	"strings"
)

// Format is a way to write rows.
type Format string

// The formats, as users name them.
const (
	Table    Format = "table"
	JSON     Format = "json"
	NDJSON   Format = "ndjson"
	CSV      Format = "csv"
	TSV      Format = "tsv"
	Markdown Format = "markdown"
	Parquet  Format = "parquet"
	Arrow    Format = "arrow"
	XLSX     Format = "xlsx"
)

// Formats lists every format, in the order in which help shows them.
var Formats = []Format{Table, JSON, NDJSON, CSV, TSV, Markdown, Parquet, Arrow, XLSX}

// Binary reports whether the format must not be written to a terminal.
func (f Format) Binary() bool { return f == Parquet || f == Arrow || f == XLSX }

// FormatOf derives the format of a file from its extension.
func FormatOf(path string) (f Format, ok bool) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json":
		return JSON, true
	case ".ndjson", ".jsonl":
		return NDJSON, true
	case ".csv":
		return CSV, true
	case ".tsv", ".tab":
		return TSV, true
	case ".md", ".markdown":
		return Markdown, true
	case ".parquet", ".pq":
		return Parquet, true
	case ".arrow", ".arrows":
		return Arrow, true
	case ".xlsx":
		return XLSX, true
	}
	return "", false
}
