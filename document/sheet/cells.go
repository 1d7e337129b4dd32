package sheet

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/table/xlsx"
)

// eachFilledRow calls f with the rows of a sheet that have values or formulas until f
// returns false.
func (b *Book) eachFilledRow(s *sheetPart, f func(number int, values []any, formulas []xlsx.Formula) bool) error {
	return b.eachRead(s, func(row *xlsx.Row) bool {
		var values []any
		if n := len(row.Cells); n > 0 {
			values = make([]any, row.Cells[n-1].Column)
		}
		for _, c := range row.Cells {
			values[c.Column-1] = valueOf(row.Bytes(c), c.Text)
		}
		return f(row.Number, values, row.Formulas)
	})
}

// eachRead calls f with the rows of a sheet that have values or formulas, as they are in
// the archive, until f returns false. A row is valid until f returns.
func (b *Book) eachRead(s *sheetPart, f func(row *xlsx.Row) bool) error {
	w, err := b.reader()
	if err != nil {
		return fault(s, err)
	}
	for i, info := range w.Sheets {
		if info.Name != s.name {
			continue
		}
		r, err := w.Sheet(i)
		if err != nil {
			return fault(s, err)
		}
		defer r.Close()
		for row := (xlsx.Row{}); ; {
			if err := r.Next(&row); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return fault(s, err)
			}
			if len(row.Cells)+len(row.Formulas) > 0 && !f(&row) {
				return nil
			}
		}
	}
	return ooxml.Damaged(s.part, "the sheet %q cannot be found again", s.name)
}

// fault converts an error of the row reader to an error of this package.
func fault(s *sheetPart, err error) error {
	var e *api.Error
	if errors.As(err, &e) {
		return e
	}
	part, cause := s.part, err
	var other *xlsx.PartError
	if errors.As(err, &other) {
		part, cause = other.Part, other.Err
	}
	if errors.Is(err, xlsx.ErrTooBig) {
		return ooxml.TooLarge(part, "the part unpacks to more than it may")
	}
	return ooxml.Damaged(part, "%v", cause)
}

// valueOf returns a cell as a JSON value. Numbers keep their digits.
func valueOf(b []byte, text bool) any {
	s := string(b)
	if text {
		return s
	}
	switch s {
	case "true":
		return true
	case "false":
		return false
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil && json.Valid(b) {
		return json.Number(s)
	}
	return s
}

// failure is an error that a formula has instead of a value, such as #N/A.
type failure string

// typed is the value of a cell, with dates and errors apart from texts.
func typed(b []byte, text bool) any {
	v := valueOf(b, text)
	s, ok := v.(string)
	switch {
	case !ok || text:
		return v
	case asTime(s) != nil:
		return Date(s)
	}
	return failure(s)
}

// asTime reads a date or time; nil if it is none.
func asTime(s string) *time.Time {
	for _, layout := range layouts() {
		if t, err := time.Parse(layout, s); err == nil {
			return &t
		}
	}
	return nil
}
