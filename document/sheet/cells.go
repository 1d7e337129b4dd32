package sheet

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/table/xlsx"
)

// block is a range of cells that charts and pivot tables read.
type block struct {
	sheet *sheetPart
	area
	table string // its name, if it is one of the workbook's tables
	rows  [][]any
	seen  formulas
}

// blocks finds the ranges that an operation names, of the sheet s unless they say
// otherwise: A1:B9, Data!A1:B9,Data!D1:D9, or the name of a table. They end at the last
// used cell of their sheet.
func (e *editor) blocks(s *sheetPart, text string) (found []block, err error) {
	for _, one := range splitRanges(text) {
		b := block{sheet: s}
		ref := one
		if t, owner, err := e.tableNamed(one); err != nil {
			return nil, err
		} else if t != nil {
			b.sheet, b.table, ref = owner, t.root.Attr("displayName"), t.root.Attr("ref")
		} else if i := strings.LastIndexByte(one, '!'); i > 0 {
			name := strings.Trim(one[:i], "'")
			if b.sheet, err = e.sheet(strings.ReplaceAll(name, "''", "'")); err != nil {
				return nil, err
			}
			ref = one[i+1:]
		}
		var ok bool
		if b.area, ok = parseArea(ref); !ok {
			return nil, ooxml.Invalid("Give cells, such as A1:C9 or Data!A1:C9, or the name of a table.",
				"%q is neither a range of cells nor a table", one)
		}
		l, err := e.readLayout(b.sheet)
		if err != nil {
			return nil, err
		}
		b.to.row, b.to.col = min(b.to.row, l.used.to.row), min(b.to.col, l.used.to.col)
		if b.to.row < b.from.row || b.to.col < b.from.col {
			return nil, ooxml.Invalid("Give a range that has cells.", "the range %s of the sheet %q is empty", ref, b.sheet.name)
		}
		found = append(found, b)
	}
	return found, nil
}

// splitRanges divides a list at its commas, but for those in the names of sheets.
func splitRanges(text string) (all []string) {
	quoted, from := false, 0
	for i, r := range text + "," {
		switch {
		case r == '\'':
			quoted = !quoted
		case r == ',' && (!quoted || i == len(text)):
			all = append(all, strings.TrimPrefix(strings.TrimSpace(text[from:i]), "="))
			from = i + 1
		}
	}
	return all
}

// tableNamed finds a table of the workbook; nil if there is none of that name.
func (e *editor) tableNamed(name string) (*tablePart, *sheetPart, error) {
	for _, s := range e.sheets {
		if s.chart {
			continue
		}
		if _, err := e.readLayout(s); err != nil {
			return nil, nil, err
		}
		tables, err := e.tables(s)
		if err != nil {
			return nil, nil, err
		}
		for _, t := range tables {
			if strings.EqualFold(t.root.Attr("displayName"), name) {
				return &t, s, nil
			}
		}
	}
	return nil, nil, nil
}

// in is the range as formulas have it.
func (b *block) in(a area) string {
	text := quoteSheet(b.sheet.name) + "!$" + letters(a.from.col) + "$" + strconv.Itoa(a.from.row)
	if a.from != a.to {
		text += ":$" + letters(a.to.col) + "$" + strconv.Itoa(a.to.row)
	}
	return text
}

// read fills rows with what the cells hold: texts, json.Number, booleans, Date, failure
// or nil, and tells of values that are missing or may be old.
func (e *editor) read(b *block) error {
	if b.area.rows()*b.columns() > maxCells {
		return ooxml.Invalid("Give a smaller range.", "%s has more than %d cells", b.area, maxCells)
	}
	b.rows = make([][]any, b.area.rows())
	for i := range b.rows {
		b.rows[i] = make([]any, b.columns())
	}
	err := e.eachRead(b.sheet, func(row *xlsx.Row) bool {
		if row.Number < b.from.row {
			return true
		}
		if row.Number > b.to.row {
			return false
		}
		for _, c := range row.Cells {
			if b.contains(cell{row.Number, c.Column}) {
				b.rows[row.Number-b.from.row][c.Column-b.from.col] = typed(row.Bytes(c), c.Text)
			}
		}
		b.seen.add(row.Formulas, b.area)
		return true
	})
	for _, c := range b.seen.caveats(b.sheet.name, e.stale()) {
		e.report.Tell(c)
	}
	return err
}

// isNumber reports whether a value is a number.
func isNumber(v any) bool {
	_, ok := v.(json.Number)
	return ok
}

// column is one column of the block, without its first row.
func (b *block) column(c int) (values []any) {
	for _, row := range b.rows[1:] {
		values = append(values, row[c])
	}
	return values
}

// number gives dates the number that spreadsheets count them with; format is theirs.
func (b *Book) number(values []any) (out []any, format string) {
	out = slices.Clone(values)
	for i, v := range values {
		if d, ok := v.(Date); ok {
			if f, err := b.serial(*asTime(string(d))); err == nil {
				out[i], format = json.Number(strconv.FormatFloat(f, 'f', -1, 64)), "yyyy-mm-dd"
			}
		}
	}
	return out, format
}

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

// asTime reads a date or time; nil if the text is something else.
func asTime(s string) *time.Time {
	for _, layout := range layouts() {
		if t, err := time.Parse(layout, s); err == nil {
			return &t
		}
	}
	return nil
}

// EachText calls f with each cell that contains a text, sheet by sheet and row by
// row.
func (b *Book) EachText(f func(sheet, cell, text string)) error {
	for _, s := range b.sheets {
		if s.chart {
			continue
		}
		err := b.eachFilledRow(s, func(number int, values []any, _ []xlsx.Formula) bool {
			for i, v := range values {
				if text, ok := v.(string); ok && text != "" {
					f(s.name, cellAt(number, i+1), text)
				}
			}
			return true
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func cellAt(row, col int) string { return cell{row, col}.String() }

// Shifted is the name of the cell so many rows below and columns right of one.
func Shifted(ref string, rows, columns int) (string, error) {
	c, err := cellOf(ref)
	return cellAt(c.row+rows, c.col+columns), err
}

// IsDate reports whether a text can be written as a date or time.
func IsDate(text string) bool {
	t := asTime(text)
	return t != nil && (t.Year() == 0 || t.Year() >= 1904 && t.Year() <= 9999)
}
