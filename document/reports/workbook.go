package reports

import (
	"io"
	"strings"

	"github.com/agnes-data/da/api"
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
}

// place is a cell of a sheet.
type place struct{ sheet, cell string }

func (b *workbook) placeholders() ([]Placeholder, error) {
	book, err := sheet.Open(b.r, b.size)
	if err != nil {
		return nil, err
	}
	b.texts = map[place]string{}
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
			b.texts[place{name, cell}] = text
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
		return b.rows(at, p.Kind == Table, rows)
	case p.Kind == Table || p.Kind == Plot:
		return p.bad(api.KindNotAlone, "Put it into a cell of its own.", "is a table or plot, which needs the whole cell")
	}
	b.texts[at] = strings.Replace(b.texts[at], p.Raw, rows.lines(), 1)
	b.ops = append(b.ops, sheet.Operation{Op: sheet.SetCells, Sheet: at.sheet, Cells: []sheet.SetCell{{Cell: at.cell, Value: b.texts[at]}}})
	return nil
}

// rows writes rows from a cell on, with dates as dates, and names in bold above
// them.
func (b *workbook) rows(at place, header bool, rows *Rows) error {
	dated := &Rows{Columns: rows.Columns, Values: rows.Dated()}
	values := dated.Values
	if header {
		values = dated.Table()
	}
	if len(values) == 0 {
		values = [][]any{{nil}}
	}
	b.ops = append(b.ops, sheet.Operation{Op: sheet.SetRange, Sheet: at.sheet, Start: at.cell, Values: values})
	if !header {
		return nil
	}
	last, err := sheet.Shifted(at.cell, 0, len(rows.Columns)-1)
	bold := true
	b.ops = append(b.ops, sheet.Operation{Op: sheet.SetFormat, Sheet: at.sheet, Range: at.cell + ":" + last, Format: &sheet.Format{Bold: &bold}})
	return err
}

func (b *workbook) write(w io.Writer) ([]api.Caveat, error) {
	report, err := sheet.Edit(b.r, b.size, w, b.ops, sheet.Options{Picture: b.pictures.of})
	if err != nil {
		return nil, err
	}
	return report.Caveats, nil
}
