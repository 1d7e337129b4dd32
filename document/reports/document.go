package reports

import (
	"fmt"
	"io"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/document/figures"
)

// document is a template of Word's.
type document struct {
	r        io.ReaderAt
	size     int64
	ops      []docx.Operation
	body     map[string]bool // places at which tables and pictures can be
	pictures pictures
}

// pictures are drawn plots by the names that operations have for them.
type pictures map[string][]byte

func (p *pictures) add(i int, data []byte) string {
	if *p == nil {
		*p = pictures{}
	}
	name := fmt.Sprintf("plot %d", i+1)
	(*p)[name] = data
	return name
}

func (p pictures) of(name string) ([]byte, error) { return p[name], nil }

func (d *document) placeholders() ([]Placeholder, error) {
	doc, err := docx.Open(d.r, d.size)
	if err != nil {
		return nil, err
	}
	paragraphs, err := doc.Paragraphs()
	if err != nil {
		return nil, err
	}
	d.body = map[string]bool{}
	var all []Placeholder
	for _, p := range paragraphs {
		at := fmt.Sprintf("paragraph %d", p.Number)
		if !p.Body {
			at += " of " + p.Part
		}
		d.body[at] = p.Body
		found, err := find(p.Text, at)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func (d *document) put(i int, p Placeholder, rows *Rows, picture []byte) error {
	replace := func(search, by string) {
		d.ops = append(d.ops, docx.Operation{Op: docx.ReplaceText, Search: search, Replace: by, First: true})
	}
	if p.Kind == Value || p.Kind == SQL {
		replace(p.Raw, rows.lines())
		return nil
	}
	if !p.alone || !d.body[p.At] {
		return p.bad(api.KindNotAlone, "Put it into a paragraph of its own in the body of the document.",
			"is a table or plot, which cannot be within a line, a header or a note")
	}
	mark := fmt.Sprintf("\ue000report %d\ue000", i) // as in no document
	replace(p.Raw, mark)
	put := docx.Operation{Op: docx.InsertTable, After: mark}
	if p.Kind == Plot {
		put.Op, put.Picture, put.Alt = docx.InsertPicture, d.pictures.add(i, picture), p.Statement
	} else {
		put.Rows = rows.Table()
	}
	d.ops = append(d.ops, put)
	replace(mark, "")
	return nil
}

func (d *document) write(w io.Writer, receipts []figures.Receipt) ([]api.Caveat, error) {
	receipt, err := figures.Encode(receipts)
	if err != nil {
		return nil, err
	}
	report, err := docx.Edit(d.r, d.size, w, d.ops, docx.Options{Picture: d.pictures.of, Receipt: receipt})
	if err != nil {
		return nil, err
	}
	return report.Caveats, nil
}
