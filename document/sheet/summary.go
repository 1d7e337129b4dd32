package sheet

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/table/xlsx"
)

// Summary gives an overview of a sheet.
type Summary struct {
	Sheet   string `json:"sheet"`
	Rows    int    `json:"rows"`
	Columns int    `json:"columns"`
	// Header is the first non-empty row, which is row HeaderRow.
	Header    []any   `json:"header"`
	HeaderRow int     `json:"header_row,omitempty"`
	First     [][]any `json:"first_rows"` // the rows after the header
	Last      [][]any `json:"last_rows"`
	Hidden    bool    `json:"hidden,omitempty"`
	api.CaveatList
}

// Summary reads a sheet once and keeps the first and last rows: samples of each.
func (b *Book) Summary(sheet string, samples int) (*Summary, error) {
	s, err := b.sheet(sheet)
	if err != nil {
		return nil, err
	}
	about, err := b.about(s)
	if err != nil {
		return nil, err
	}
	out := &Summary{Sheet: s.name, Rows: about.Rows, Columns: about.Columns, Hidden: about.Hidden}
	seen, err := out.sample(b.rowsOf(s), samples)
	out.Caveats = seen.caveats(s.name, b.stale())
	return out, err
}

// sample keeps the first and the last rows.
func (s *Summary) sample(each rowSource, samples int) (seen formulas, err error) {
	s.Header, s.First, s.Last = []any{}, [][]any{}, [][]any{}
	err = each(func(number int, values []any, all []xlsx.Formula) bool {
		seen.add(all, area{cell{1, 1}, cell{xlsx.MaxRows, xlsx.MaxColumns}})
		switch {
		case len(values) == 0:
		case s.HeaderRow == 0:
			s.Header, s.HeaderRow = values, number
		case len(s.First) < samples:
			s.First = append(s.First, values)
		default:
			if s.Last = append(s.Last, values); len(s.Last) > samples {
				s.Last = s.Last[1:]
			}
		}
		return true
	})
	return seen, err
}

// formulas counts those that were read.
type formulas struct{ all, unvalued int64 }

func (f *formulas) add(row []xlsx.Formula, within area) {
	for _, one := range row {
		if one.Column >= within.from.col && one.Column <= within.to.col {
			f.all++
			if !one.Valued {
				f.unvalued++
			}
		}
	}
}

// caveats says which values of formulas are missing or may be old.
func (f *formulas) caveats(sheet string, stale bool) (out []api.Caveat) {
	tell := func(n int64, text string) {
		out = append(out, api.Caveat{Kind: api.CaveatUncalculated, About: api.Subject{Sheet: sheet}, Count: &api.Count{N: n, Of: "cells"},
			Text: text})
	}
	if n := f.all - f.unvalued; stale && n > 0 {
		tell(n, xlsx.Stale(n, ""))
	}
	if f.unvalued > 0 {
		tell(f.unvalued, xlsx.Unvalued(f.unvalued))
	}
	return out
}

// maxShown is the maximum length of each text in an answer with many cells, in
// bytes.
const maxShown = 2000

// textsCut says that the texts of n cells were cut.
func textsCut(sheet string, n int64) api.Caveat {
	return api.Caveat{Kind: api.CaveatCut, About: api.Subject{Sheet: sheet}, Count: &api.Count{N: n, Of: "cells"},
		Text: "texts of more than 2,000 bytes are cut: read one cell to see all of it"}
}

// Fit shortens values to about maxBytes of JSON: first long texts, then rows from
// the end; the first row is always kept. Truncated and the caveats say what was cut.
func (v *Values) Fit(maxBytes int) {
	size := 0
	for i, row := range v.Values {
		if n := shorten(row); n > 0 {
			v.Tell(textsCut(v.Sheet, n))
		}
		if size += sizeOf(row); size > maxBytes && i > 0 {
			a, err := areaOf(v.Range)
			if err != nil { // there are no cells
				return
			}
			a.to.row = a.from.row + i - 1
			v.Values, v.Range, v.Truncated, v.Next = v.Values[:i], a.String(), true, a.to.row+1
			return
		}
	}
}

// Fit shortens a summary to about maxBytes of JSON: first long texts, then the
// last columns.
func (s *Summary) Fit(maxBytes int) {
	rows := slices.Concat([][]any{s.Header}, s.First, s.Last)
	long, size, width := int64(0), 0, 0
	for _, row := range rows {
		long += shorten(row)
		size += sizeOf(row)
		width = max(width, len(row))
	}
	if long > 0 {
		s.Tell(textsCut(s.Sheet, long))
	}
	if size <= maxBytes {
		return
	}
	most := max(width*maxBytes/size, 1)
	s.Tell(api.Caveat{Kind: api.CaveatCut, About: api.Subject{Sheet: s.Sheet}, Count: &api.Count{N: int64(width - most), Of: "columns"},
		Text: "only the first " + humanize.Plural(int64(most), "column is", "columns are") + " shown: read a range to see the others"})
	cut := func(rows [][]any) {
		for i, row := range rows {
			rows[i] = row[:min(len(row), most)]
		}
	}
	s.Header = s.Header[:min(len(s.Header), most)]
	cut(s.First)
	cut(s.Last)
}

// shorten cuts the long texts of a row, and counts them.
func shorten(row []any) (cut int64) {
	for i, v := range row {
		if s, ok := v.(string); ok && len(s) > maxShown {
			row[i] = clip(s)
			cut++
		}
	}
	return cut
}

// clip cuts a text at a character boundary.
func clip(s string) string {
	end := 0
	for i := range s {
		if i > maxShown {
			break
		}
		end = i
	}
	return s[:end] + "…"
}

func sizeOf(row []any) int {
	doc, _ := json.Marshal(row) // cannot fail for texts, numbers and booleans
	return len(doc)
}

// Cells can be read by sheets, ranges and cells.
type Cells interface {
	Info() (*Info, error)
	Summary(sheet string, samples int) (*Summary, error)
	ReadRange(sheet, ref string, maxCells int) (*Values, error)
	ReadCell(sheet, ref string) (*Cell, error)
}

// Lines are the rows of a file of delimited text, read as if they were the one sheet
// of a workbook: row 1 has the names of the columns, if there are names.
type Lines struct {
	Name          string
	Rows, Columns int          // the row of names included
	Caveats       []api.Caveat // what to know of how they were read
	// Each hands the rows from one to another to run until it returns false.
	Each func(from, to int, run func(values []any) bool) error
}

func (l *Lines) check(sheet string) error {
	if sheet != "" && !strings.EqualFold(sheet, l.Name) {
		return ooxml.Invalid("It is delimited text, whose one sheet is called "+quoted([]string{l.Name})+".", "there is no sheet %q", sheet)
	}
	return nil
}

// rows is the source of some rows.
func (l *Lines) rows(from, to int) rowSource {
	return func(run func(number int, values []any, all []xlsx.Formula) bool) error {
		number := from - 1
		return l.Each(from, to, func(values []any) bool {
			number++
			return run(number, values, nil)
		})
	}
}

// Info implements Cells.
func (l *Lines) Info() (*Info, error) {
	return &Info{Sheets: []Sheet{{Name: l.Name, Rows: l.Rows, Columns: l.Columns}}}, nil
}

// Summary implements Cells.
func (l *Lines) Summary(sheet string, samples int) (*Summary, error) {
	if err := l.check(sheet); err != nil {
		return nil, err
	}
	out := &Summary{Sheet: l.Name, Rows: l.Rows, Columns: l.Columns}
	_, err := out.sample(func(run func(number int, values []any, all []xlsx.Formula) bool) error {
		err := l.rows(1, samples+1)(run)
		if last := max(l.Rows-samples+1, samples+2); err == nil && last <= l.Rows {
			err = l.rows(last, l.Rows)(run)
		}
		return err
	}, samples)
	out.Caveats = l.told()
	return out, err
}

// ReadRange implements Cells.
func (l *Lines) ReadRange(sheet, ref string, maxCells int) (*Values, error) {
	if err := l.check(sheet); err != nil {
		return nil, err
	}
	wanted, err := wantedArea(ref)
	if err != nil {
		return nil, err
	}
	out, _, err := readArea(l.Name, wanted, maxCells, l.rows(wanted.from.row, wanted.to.row))
	if err == nil {
		out.Caveats = l.told()
	}
	return out, err
}

// ReadCell implements Cells.
func (l *Lines) ReadCell(sheet, ref string) (*Cell, error) {
	c, err := cellOf(ref)
	if err != nil {
		return nil, err
	}
	read, err := l.ReadRange(sheet, c.String(), 0)
	if err != nil {
		return nil, err
	}
	return &Cell{Sheet: l.Name, Cell: c.String(), Value: read.Values[0][0]}, nil
}

// told are the caveats, and that rows beyond those of a sheet have no cells.
func (l *Lines) told() []api.Caveat {
	if l.Rows <= xlsx.MaxRows {
		return l.Caveats
	}
	return append(l.Caveats, api.Caveat{Kind: api.CaveatCut, Count: &api.Count{N: int64(l.Rows - xlsx.MaxRows), Of: "rows"},
		Text: "rows behind row " + humanize.Grouped(xlsx.MaxRows) + " have no cells: they are read by their number"})
}
