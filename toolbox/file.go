package toolbox

import (
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/fit"
	"github.com/agnes-data/da/table"
)

// fileIn names a local file and says how to read it, where it does not say so
// itself.
type fileIn struct {
	Path       string            `json:"path" jsonschema:"CSV or other delimited text, XLSX, JSON, GeoJSON, parquet or Arrow"`
	Sheet      string            `json:"sheet,omitempty" jsonschema:"name or number of a workbook's sheet"`
	Range      string            `json:"range,omitempty" jsonschema:"cells of a sheet, as B2:F100"`
	Delimiter  string            `json:"delimiter,omitempty"`
	Encoding   string            `json:"encoding,omitempty"`
	NoHeader   bool              `json:"no_header,omitempty" jsonschema:"the first row is data"`
	DateFormat string            `json:"date_format,omitempty" jsonschema:"D/M/Y, M/D/Y, Y-M-D or YYYYMMDD"`
	Types      map[string]string `json:"types,omitempty" jsonschema:"types of columns by name"`
}

// source is the file in the terms of package table. Standard input is the
// protocol's and no file.
func (f fileIn) source() (table.Source, error) {
	if f.Path == "-" {
		return table.Source{}, &api.Error{Code: api.CodeValidation, Message: "- is not a file here", Hint: "Give the path of a file."}
	}
	s := table.Source{Path: f.Path}
	s.Sheet, s.Range, s.Delimiter, s.Encoding, s.NoHeader, s.DateFormat, s.Types = f.Sheet, f.Range, f.Delimiter, f.Encoding, f.NoHeader, f.DateFormat, f.Types
	return s, nil
}

// boundedFileIn is a local file, and how long the answer about it may be.
type boundedFileIn struct {
	fileIn
	timeIn
	MaxTokens int `json:"max_tokens,omitempty" jsonschema:"size of the answer; default 4000"`
}

// parts are the source, the time that the call may take, and the bytes of the
// answer.
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

// timeIn is how long a call may take.
type timeIn struct {
	TimeoutSeconds int64 `json:"timeout_seconds,omitempty"`
}

// mostSeconds bounds what a call may ask for.
const mostSeconds = 3600

// timeout is the time that the caller allows; 0: none was given.
func (f timeIn) timeout() (time.Duration, error) {
	if f.TimeoutSeconds < 0 || f.TimeoutSeconds > mostSeconds {
		return 0, badValue("timeout_seconds is out of range", "It is 1 to 3600.")
	}
	return time.Duration(f.TimeoutSeconds) * time.Second, nil
}

// budgetOf is the size of an answer in bytes, of a budget in tokens; 0 is the
// default.
func budgetOf(tokens int) (int, error) {
	if err := (fit.Options{MaxTokens: tokens}).Check(); err != nil {
		return 0, err
	}
	if tokens == 0 {
		tokens = fit.DefaultTokens
	}
	return tokens * fit.BytesPerToken, nil
}

// most returns how many of n items, from the first, an answer may hold: size
// tells its bytes with k of them.
func most(n, budget int, size func(k int) (int, error)) (int, error) {
	low, high := 0, n // low fits, or nothing does
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

// mostOf is the answer with as many of n items, from the first, as the bytes
// hold; part makes it with k of them.
func mostOf[T any](n, budget int, part func(k int) T) (T, error) {
	k, err := most(n, budget, func(k int) (int, error) { return sizeOf(part(k)) })
	return part(k), err
}

// keepFitting returns as many of the items, from the first, as the budget in
// tokens holds beside the rest of an answer; put places some of them there.
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

// sizeOf is how many bytes of JSON a value has.
func sizeOf(v any) (int, error) {
	doc, err := marshal(v)
	return len(doc), err
}
