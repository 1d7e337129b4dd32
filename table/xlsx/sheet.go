package xlsx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/agnes-data/da/internal/words/humanize"
)

// Cell is one cell with contents.
type Cell struct {
	Column int  // from 1
	Text   bool // the cell is text, not a number, date or boolean
	Never  bool // it is formatted as a date or time, but its number is not a valid one
	start  int
	end    int
}

// Row is one row of a sheet. Its memory is used again for the next.
type Row struct {
	Number   int  // from 1
	Hidden   bool // by a filter, or by hand
	Cells    []Cell
	Formulas []Formula
	buf      []byte
}

// Formula says that a cell has one.
type Formula struct {
	Column int
	// Valued says that the cell has a value, too: the one that a program has
	// calculated last.
	Valued bool
	// Subtotal says that it sums rows that stand above it.
	Subtotal bool
}

// Merged is a range of merged cells. The first cell has its value.
type Merged struct{ FromCol, FromRow, ToCol, ToRow int }

// Bytes returns what a cell shows: numbers in plain digits, dates and times in
// ISO 8601, true and false, errors such as #N/A.
func (r *Row) Bytes(c Cell) []byte { return r.buf[c.start:c.end:c.end] }

// Fill adds a text to a column in which the row has nothing, and reports whether it did.
func (r *Row) Fill(column int, text []byte) bool {
	at, there := slices.BinarySearchFunc(r.Cells, column, func(c Cell, column int) int { return c.Column - column })
	if there && r.Cells[at].end > r.Cells[at].start {
		return false
	}
	start := len(r.buf)
	r.buf = append(r.buf, text...)
	c := Cell{Column: column, Text: true, start: start, end: len(r.buf)}
	if there {
		r.Cells[at] = c
	} else {
		r.Cells = slices.Insert(r.Cells, at, c)
	}
	return true
}

// Unvalued is the warning about n formulas without values.
func Unvalued(n int64) string {
	return humanize.Plural(n, "formula was not calculated by any program yet, so its cell is null",
		"formulas were not calculated by any program yet, so their cells are null") +
		"; open the workbook in one that does, and save it"
}

// Stale is the warning about n formulas of a workbook that is Stale. where names
// their columns; it can be empty.
func Stale(n int64, where string) string {
	return humanize.Plural(n, "formula"+where+" has a value", "formulas"+where+" have values") +
		" that may be wrong: no program that calculates has saved the workbook since it was last written; open it in one, and save it"
}

// Sheet reads the rows of one sheet in order.
type Sheet struct {
	w     *Workbook
	r     io.Closer
	s     *scanner
	last  int  // number of the last row
	whole bool // the end of the rows was read
	raw   []byte
	// OnMerged, if set, takes the merged ranges at the end of the rows: a sheet lists
	// them behind these.
	OnMerged func(Merged)
}

// Sheet starts reading a sheet, by its index in Sheets. The caller closes it.
func (w *Workbook) Sheet(i int) (*Sheet, error) {
	if err := w.loadStrings(); err != nil {
		return nil, &PartError{w.parts[w.where].Name, err}
	}
	r, err := w.part(w.Sheets[i].part, maxSheetBytes)
	if err != nil {
		return nil, err
	}
	ahead := readAhead(r)
	return &Sheet{w: w, r: ahead, s: newScanner(ahead)}, nil
}

// Close ends the reading.
func (s *Sheet) Close() error { return s.r.Close() }

// Next reads the next row that exists in the file; it can have no cells. It
// returns io.EOF after the last row.
func (s *Sheet) Next(row *Row) error {
	row.Cells, row.Formulas, row.buf = row.Cells[:0], row.Formulas[:0], row.buf[:0]
	for {
		if err := s.s.next(); errors.Is(err, io.EOF) && s.last > 0 && !s.whole {
			return fmt.Errorf("the sheet breaks off after row %d", s.last)
		} else if err != nil {
			return err
		}
		switch {
		case s.s.is(tokenEnd, "sheetData"):
			s.whole = true
			s.readMerged()
			return io.EOF
		case s.s.is(tokenStart, "row"):
			return s.row(row)
		}
	}
}

// End passes over the rows that are left, and takes the merged ranges behind them. What is
// damaged there does not matter to the rows before.
func (s *Sheet) End() {
	for s.OnMerged != nil && s.s.next() == nil {
		if s.s.is(tokenEnd, "sheetData") {
			s.readMerged()
			return
		}
	}
}

// readMerged reads what follows the rows. They are whole, so damage here is none of
// theirs.
func (s *Sheet) readMerged() {
	for s.OnMerged != nil && s.s.next() == nil && !s.s.is(tokenEnd, "mergeCells") {
		if !s.s.is(tokenStart, "mergeCell") {
			continue
		}
		from, to, _ := bytes.Cut(s.s.attr("ref"), []byte(":"))
		var m Merged
		var err1, err2 error
		m.FromCol, m.FromRow, err1 = cellRef(from)
		m.ToCol, m.ToRow, err2 = cellRef(to)
		if err1 == nil && err2 == nil {
			s.OnMerged(m)
		}
	}
}

func (s *Sheet) row(row *Row) error {
	n := s.last + 1
	if r := s.s.attr("r"); r != nil {
		var err error
		if n, err = strconv.Atoi(string(r)); err != nil {
			return fmt.Errorf("row %q has no number", clip(r))
		}
	}
	if n > MaxRows {
		return fmt.Errorf("row %d is beyond the last row that a sheet can have", n)
	}
	if n <= s.last {
		return fmt.Errorf("row %d follows row %d", n, s.last)
	}
	s.last, row.Number = n, n
	hidden := string(s.s.attr("hidden"))
	row.Hidden = hidden == "1" || hidden == "true"
	if s.s.selfClose {
		return nil
	}
	col := 0
	for {
		if err := s.s.next(); err != nil {
			return unexpected(err)
		}
		switch {
		case s.s.is(tokenEnd, "row"):
			return nil
		case s.s.is(tokenStart, "c"):
			var err error
			if col, err = s.cell(row, col+1); err != nil {
				return fmt.Errorf("row %d: %w", n, err)
			}
		}
	}
}

// cellType is the attribute t of a cell.
type cellType uint8

const (
	cellNumber cellType = iota
	cellShared
	cellInline
	cellString
	cellBool
	cellError
	cellDate
)

func typeOf(t []byte) cellType {
	switch string(t) {
	case "s":
		return cellShared
	case "inlineStr":
		return cellInline
	case "str":
		return cellString
	case "b":
		return cellBool
	case "e":
		return cellError
	case "d":
		return cellDate
	}
	return cellNumber
}

// cell reads the cell whose start tag the scanner is on and returns its
// column; col is where it is if it does not say.
func (s *Sheet) cell(row *Row, col int) (int, error) {
	ref, styleAttr, typeAttr := s.s.cellAttrs()
	if ref != nil {
		c, _, err := cellRef(ref)
		if err != nil {
			return 0, err
		}
		if c > 0 {
			col = c
		}
	}
	if col > MaxColumns {
		return 0, fmt.Errorf("column %d lies outside of a sheet", col)
	}
	if n := len(row.Cells); n > 0 && row.Cells[n-1].Column >= col {
		return 0, fmt.Errorf("column %d follows column %d", col, row.Cells[n-1].Column)
	}
	st := plain
	if i, ok := smallInt(styleAttr); ok && i < len(s.w.styles) {
		st = s.w.styles[i]
	}
	t := typeOf(typeAttr)
	if s.s.selfClose {
		return col, nil
	}
	return col, s.content(row, col, t, st)
}

// smallInt reads a number that is not negative.
func smallInt(b []byte) (n int, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' || n > 1<<30 {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, len(b) > 0
}

// content reads a cell up to its end tag. Of a cell with both, an inline one has the
// text of <is> and any other the value of <v>.
func (s *Sheet) content(row *Row, col int, t cellType, st style) error {
	s.raw = s.raw[:0]
	start, has := len(row.buf), false
	inValue, inline, inFormula, formula, valued, subtotal := false, false, false, false, false, false
	for {
		if err := s.s.next(); err != nil {
			return unexpected(err)
		}
		switch {
		case s.s.is(tokenEnd, "c"):
			if formula {
				// Only a text can be empty.
				row.Formulas = append(row.Formulas, Formula{col, valued && (len(s.raw) > 0 || t == cellString), subtotal})
			}
			if !has {
				return nil
			}
			return s.finish(row, col, start, t, st)
		case s.s.is(tokenStart, "v"):
			inValue, valued = !s.s.selfClose && !(inline && t == cellInline), true
			if inValue {
				s.raw, has = s.raw[:0], true
			}
		case s.s.is(tokenEnd, "v"):
			inValue = false
		case s.s.is(tokenStart, "is") && (t == cellInline || !valued):
			var err error
			if s.raw, err = appendRich(s.raw[:0], s.s, "is"); err != nil {
				return err
			}
			inline, has = true, true
		case s.s.is(tokenStart, "f"):
			formula, inFormula = true, !s.s.selfClose
		case s.s.is(tokenEnd, "f"):
			inFormula = false
		case s.s.kind == tokenText && inFormula:
			text := bytes.TrimLeft(s.s.appendText(nil), " ")
			subtotal = subtotal || bytes.HasPrefix(text, []byte("SUBTOTAL(9,")) || bytes.HasPrefix(text, []byte("SUBTOTAL(109,"))
		case s.s.kind == tokenStart:
			if s.s.selfClose {
				continue
			}
			if err := s.s.skip(); err != nil { // an extension
				return err
			}
		case s.s.kind == tokenText && inValue:
			s.raw = s.s.appendText(s.raw)
			if len(s.raw) > maxToken {
				return errToken
			}
		}
	}
}

// finish turns the raw content into the cell's text.
func (s *Sheet) finish(row *Row, col, start int, t cellType, st style) error {
	if len(s.raw) == 0 && t != cellInline && t != cellString {
		return nil // whatever its type says, the cell has no value
	}
	c := Cell{Column: col, start: start}
	switch t {
	case cellShared:
		i, isInt := smallInt(s.raw)
		text, ok := s.w.strings.at(i)
		if !isInt || !ok {
			return fmt.Errorf("column %d: there is no shared string %q", col, clip(s.raw))
		}
		c.Text = true
		row.buf = append(row.buf, text...)
	case cellInline, cellString:
		c.Text = true
		row.buf = append(row.buf, decodeHex(s.raw)...)
	case cellBool:
		if string(s.raw) == "0" || string(s.raw) == "false" {
			row.buf = append(row.buf, "false"...)
		} else {
			row.buf = append(row.buf, "true"...)
		}
	case cellDate:
		row.buf, c.Never = appendISO(row.buf, s.raw), isNever(s.raw)
	case cellError:
		row.buf = append(row.buf, s.raw...)
	default:
		row.buf, c.Never = s.w.appendNumber(row.buf, s.raw, st)
	}
	if c.end = len(row.buf); c.end > maxRowBytes {
		return ErrLongRow
	}
	row.Cells = append(row.Cells, c)
	return nil
}
