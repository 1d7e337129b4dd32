package toolbox

import (
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/toolbox/fit"
)

// fileIn names a local file and says how to read it where the file itself does
// not.
type fileIn struct {
	Path   string `json:"path" jsonschema:"CSV or other delimited text, XLSX, JSON, GeoJSON, parquet or Arrow"`
	Sheet  string `json:"sheet,omitempty" jsonschema:"name or number of a workbook's sheet"`
	ReadAs readAs `json:"read_as,omitempty"`
}

// readAs has the options of reading a file. They are one argument, as most calls give
// none; respelled takes them beside it as well.
type readAs struct {
	Range      string            `json:"range,omitempty" jsonschema:"cells of a sheet, as B2:F100"`
	Delimiter  string            `json:"delimiter,omitempty"`
	Encoding   string            `json:"encoding,omitempty"`
	NoHeader   bool              `json:"no_header,omitempty" jsonschema:"the first row is data"`
	HeaderLine int               `json:"header_line,omitempty" jsonschema:"line, or row of a sheet, that names the columns"`
	DateFormat string            `json:"date_format,omitempty" jsonschema:"D/M/Y, M/D/Y, Y-M-D or YYYYMMDD"`
	Types      map[string]string `json:"types,omitempty" jsonschema:"types of columns by name"`
}

// source converts the file for package table. Standard input belongs to the
// protocol, so it is not accepted.
func (f fileIn) source() (table.Source, error) {
	if f.Path == "-" {
		return table.Source{}, &api.Error{Code: api.CodeValidation, Message: "- is not a file here", Hint: "Give the path of a file."}
	}
	s := table.Source{Path: f.Path}
	as := f.ReadAs
	s.Sheet, s.Range, s.Delimiter, s.Encoding, s.NoHeader, s.HeaderLine, s.DateFormat, s.Types = f.Sheet, as.Range, as.Delimiter, as.Encoding, as.NoHeader, as.HeaderLine, as.DateFormat, as.Types
	return s, nil
}

// boundedFileIn is a local file and the maximum size of the answer.
type boundedFileIn struct {
	fileIn
	timeIn
	MaxTokens int `json:"max_tokens,omitempty" jsonschema:"size of the answer; default 4000"`
}

// parts returns the source, the time limit of the call (0: none given), and the
// size limit of the answer in bytes.
func (f boundedFileIn) parts() (src table.Source, limit time.Duration, budget int, err error) {
	if src, err = f.source(); err != nil {
		return src, 0, 0, err
	}
	if limit, err = f.timeout(); err != nil {
		return src, 0, 0, err
	}
	budget, err = budgetOf(f.MaxTokens)
	return src, limit, budget, err
}

// timeIn is the time limit of a call.
type timeIn struct {
	TimeoutSeconds int64 `json:"timeout_seconds,omitempty"`
}

// mostSeconds is the longest time limit that a call can ask for.
const mostSeconds = 3600

// timeout returns the caller's time limit; 0 if none was given.
func (f timeIn) timeout() (time.Duration, error) {
	if f.TimeoutSeconds < 0 || f.TimeoutSeconds > mostSeconds {
		return 0, badValue("timeout_seconds is out of range", "It is 1 to 3600.")
	}
	return time.Duration(f.TimeoutSeconds) * time.Second, nil
}

// budgetOf converts a budget in tokens to bytes; 0 is the default.
func budgetOf(tokens int) (int, error) {
	if err := (fit.Options{MaxTokens: tokens}).Check(); err != nil {
		return 0, err
	}
	if tokens == 0 {
		tokens = fit.DefaultTokens
	}
	return tokens * fit.BytesPerToken, nil
}

// most returns how many of the first n items fit into an answer. size returns the
// answer's bytes with the first k items.
func most(n, budget int, size func(k int) (int, error)) (int, error) {
	low, high := 0, n // low fits, unless nothing does
	if all, err := size(n); err != nil || all <= budget {
		return n, err
	}
	for low < high-1 {
		middle := (low + high) / 2
		bytes, err := size(middle)
		if err != nil {
			return 0, err
		}
		if bytes <= budget {
			low = middle
		} else {
			high = middle
		}
	}
	return low, nil
}

// mostOf returns the answer with as many of the first n items as fit into budget
// bytes. part makes the answer with the first k items.
func mostOf[T any](n, budget int, part func(k int) T) (T, error) {
	k, err := most(n, budget, func(k int) (int, error) { return sizeOf(part(k)) })
	return part(k), err
}

// keepFitting keeps as many of the first items as the budget in tokens allows,
// together with the rest of the answer. put sets them in the answer.
func keepFitting[T any](items []T, maxTokens int, answer any, put func([]T)) error {
	budget, err := budgetOf(maxTokens)
	if err != nil {
		return err
	}
	k, err := most(len(items), budget-envelopeBytes, func(k int) (int, error) {
		put(items[:k])
		return sizeOf(answer)
	})
	put(items[:k])
	return err
}

// sizeOf returns the JSON size of a value in bytes.
func sizeOf(v any) (int, error) {
	doc, err := marshal(v)
	return len(doc), err
}
