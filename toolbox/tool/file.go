package tool

import (
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/table"
)

// FileIn names a local file and says how to read it where the file itself does
// not.
type FileIn struct {
	Path   string `json:"path" jsonschema:"CSV or other delimited text, XLSX, JSON, GeoJSON, parquet, Arrow, or a database of SQLite or DuckDB"`
	Sheet  string `json:"sheet,omitempty" jsonschema:"name or number of a workbook's sheet, or name of a database's table"`
	ReadAs readAs `json:"read_as,omitempty"`
}

// readAs has the options of reading a file. They are one argument, as most calls give
// none; calls that give them beside it are taken as well.
type readAs struct {
	Range      string            `json:"range,omitempty" jsonschema:"cells of a sheet, as B2:F100"`
	Delimiter  string            `json:"delimiter,omitempty"`
	Encoding   string            `json:"encoding,omitempty"`
	NoHeader   bool              `json:"no_header,omitempty" jsonschema:"the first row is data"`
	HeaderLine int               `json:"header_line,omitempty" jsonschema:"line, or row of a sheet, that names the columns"`
	DateFormat string            `json:"date_format,omitempty" jsonschema:"D/M/Y, M/D/Y, Y-M-D or YYYYMMDD"`
	Table      int               `json:"table,omitempty" jsonschema:"which of several, from 1"`
	Page       int               `json:"page,omitempty" jsonschema:"of a PDF: a table of this page"`
	Types      map[string]string `json:"types,omitempty" jsonschema:"types of columns by name"`
}

// Source converts the file for package table. Standard input belongs to the
// protocol, so it is not accepted.
func (f FileIn) Source() (table.Source, error) {
	if f.Path == "-" {
		return table.Source{}, &api.Error{Code: api.CodeValidation, Message: "- is not a file here", Hint: "Give the path of a file."}
	}
	s := table.Source{Path: f.Path}
	as := f.ReadAs
	s.Sheet, s.Range, s.Delimiter, s.Encoding, s.NoHeader, s.HeaderLine, s.DateFormat, s.Types = f.Sheet, as.Range, as.Delimiter, as.Encoding,
		as.NoHeader, as.HeaderLine, as.DateFormat, as.Types
	s.Table, s.Page = as.Table, as.Page
	return s, nil
}

// TimeIn is the time limit of a call.
type TimeIn struct {
	TimeoutSeconds int64 `json:"timeout_seconds,omitempty"`
}

// mostSeconds is the longest time limit that a call can ask for.
const mostSeconds = 3600

// Timeout returns the caller's time limit; 0 if none was given.
func (f TimeIn) Timeout() (time.Duration, error) {
	if f.TimeoutSeconds < 0 || f.TimeoutSeconds > mostSeconds {
		return 0, BadValue("timeout_seconds is out of range", "It is 1 to 3600.")
	}
	return time.Duration(f.TimeoutSeconds) * time.Second, nil
}
