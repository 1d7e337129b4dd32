package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/figures"
	"github.com/agnes-data/da/document/sheet"
)

// workbook is a template of sheets.
type workbook struct {
	r        io.ReaderAt
	size     int64
	ops      []sheet.Operation
	cells    []place          // of each placeholder
	texts    map[place]string // the partly filled text of cells with text around their placeholders
	pictures pictures
	marked   map[place]string // texts, with marks around their values
	areas    map[int]area     // of the rows for placeholders
}

// area is where rows stand.
type area struct {
	place
	rows, columns int
}

// place is a cell of a sheet.
type place struct{ sheet, cell string }

func (b *workbook) placeholders() ([]Placeholder, error) {
	book, err := sheet.Open(b.r, b.size)
	if err != nil {
		return nil, err
	}
	b.texts, b.marked, b.areas = map[place]string{}, map[place]string{}, map[int]area{}
	var all []Placeholder
	var fault error
	err = book.EachText(func(name, cell, text string) {
		if fault != nil || !strings.Contains(text, "{{") {
			return
		}
		var found []Placeholder
		found, fault = find(text, name+"!"+cell)
		for _, p := range found {
			all, b.cells = append(all, p), append(b.cells, place{name, cell})
			b.texts[place{name, cell}], b.marked[place{name, cell}] = text, text
		}
	})
	if err == nil {
		err = fault
	}
	return all, err
}

func (b *workbook) put(i int, p Placeholder, rows *Rows, picture []byte) error {
	at := b.cells[i]
	switch {
	case p.alone && p.Kind == Plot:
		b.ops = append(b.ops, sheet.Operation{Op: sheet.SetCells, Sheet: at.sheet, Cells: []sheet.SetCell{{Cell: at.cell}}},
			sheet.Operation{Op: sheet.AddPicture, Sheet: at.sheet, Start: at.cell, Picture: b.pictures.add(i, picture), Alt: p.Statement})
		return nil
	case p.alone:
		return b.rows(i, p.Kind == Table, rows)
	case p.Kind == Table || p.Kind == Plot:
		return p.bad(api.KindNotAlone, "Put it into a cell of its own.", "is a table or plot, which needs the whole cell")
	}
	b.texts[at] = strings.Replace(b.texts[at], p.Raw, rows.lines(), 1)
	b.marked[at] = strings.Replace(b.marked[at], p.Raw, rows.Marked(i).lines(), 1)
	b.ops = append(b.ops, sheet.Operation{Op: sheet.SetCells, Sheet: at.sheet, Cells: []sheet.SetCell{{Cell: at.cell, Value: b.texts[at]}}})
	return nil
}

// rows writes rows from a cell on, with dates as dates, and names in bold above
// them.
func (b *workbook) rows(i int, header bool, rows *Rows) error {
	at := b.cells[i]
	dated := &Rows{Columns: rows.Columns, Values: rows.Dated()}
	values := dated.Values
	if header {
		values = dated.Table()
	}
	if len(values) == 0 {
		values = [][]any{{nil}}
	}
	first, err := sheet.Shifted(at.cell, len(values)-len(rows.Values), 0)
	if err != nil {
		return err
	}
	b.areas[i] = area{place{at.sheet, first}, len(rows.Values), len(rows.Columns)}
	b.ops = append(b.ops, sheet.Operation{Op: sheet.SetRange, Sheet: at.sheet, Start: at.cell, Values: values})
	if !header {
		return nil
	}
	last, err := sheet.Shifted(at.cell, 0, len(rows.Columns)-1)
	bold := true
	b.ops = append(b.ops, sheet.Operation{Op: sheet.SetFormat, Sheet: at.sheet, Range: at.cell + ":" + last,
		Format: &sheet.Format{Bold: &bold}})
	return err
}

// locate says in a receipt where its answers stand, and returns names that move with
// them. number is the receipt's in the file, from 1.
func (b *workbook) locate(r *figures.Receipt, number int) (map[string]string, error) {
	names := map[string]string{}
	for i := range r.Answers {
		at, whole := b.areas[i]
		if !whole {
			at = area{b.cells[i], 1, 1}
		}
		to := &figures.Area{Name: fmt.Sprintf("_da.%d.%d", number, i+1), Sheet: at.sheet, Range: at.cell}
		if at.rows*at.columns == 0 {
			continue
		}
		last, err := sheet.Shifted(at.cell, at.rows-1, at.columns-1)
		if err != nil {
			return nil, err
		}
		if last != at.cell {
			to.Range += ":" + last
		}
		if text := b.marked[at.place]; !whole && r.Answers[i].Values != nil {
			to.Words = figures.Where([]figures.Block{{Text: text}}).Only(i)
		}
		if names[to.Name], err = sheet.Located(at.sheet, to.Range); err != nil {
			return nil, err
		}
		r.Answers[i].Area = to
	}
	return names, nil
}

func (b *workbook) write(w io.Writer, receipts []figures.Receipt) ([]api.Caveat, error) {
	options := sheet.Options{Picture: b.pictures.of}
	var err error
	if n := len(receipts); n > 0 {
		if options.Names, err = b.locate(&receipts[n-1], n); err != nil {
			return nil, err
		}
	}
	if options.Receipt, err = figures.Encode(receipts); err != nil {
		return nil, err
	}
	report, err := sheet.Edit(b.r, b.size, w, b.ops, options)
	if err != nil {
		return nil, err
	}
	return report.Caveats, nil
}
