package reports

import (
	"fmt"
	"io"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/figures"
	"github.com/agnes-data/da/document/pptx"
)

// presentation is a template of slides.
type presentation struct {
	r        io.ReaderAt
	size     int64
	ops      []pptx.Operation
	slides   []int // of each placeholder
	notes    []bool
	pictures pictures
}

func (t *presentation) placeholders() ([]Placeholder, error) {
	p, err := pptx.Open(t.r, t.size)
	if err != nil {
		return nil, err
	}
	paragraphs, err := p.Paragraphs()
	if err != nil {
		return nil, err
	}
	var all []Placeholder
	for _, p := range paragraphs {
		at := fmt.Sprintf("slide %d", p.Slide+1)
		if p.Notes {
			at = "notes of " + at
		}
		found, err := find(p.Text, at)
		if err != nil {
			return nil, err
		}
		for _, one := range found {
			all = append(all, one)
			t.slides, t.notes = append(t.slides, p.Slide), append(t.notes, p.Notes)
		}
	}
	return all, nil
}

func (t *presentation) put(i int, p Placeholder, rows *Rows, picture []byte) error {
	slide := t.slides[i]
	if p.Kind == Value || p.Kind == SQL {
		for j, op := range t.ops { // it was replaced with the first of its slide
			if j < len(t.ops) && op.Op == pptx.ReplaceText && op.Search == p.Raw && *op.Index == slide {
				return nil
			}
		}
		t.ops = append(t.ops, pptx.Operation{Op: pptx.ReplaceText, Index: &slide, Search: p.Raw, Replace: rows.lines()})
		return nil
	}
	if !p.alone || t.notes[i] {
		return p.bad(api.KindNotAlone, "Put it into a text of its own on the slide.",
			"is a table or plot, which cannot be within a line or in notes")
	}
	put := pptx.Operation{Op: pptx.AddTable, Index: &slide}
	if p.Kind == Plot {
		put.Op, put.Picture, put.Alt = pptx.AddPicture, t.pictures.add(i, picture), p.Statement
	} else {
		put.Rows = rows.Table()
	}
	t.ops = append(t.ops, pptx.Operation{Op: pptx.ReplaceText, Index: &slide, Search: p.Raw}, put)
	return nil
}

func (t *presentation) write(w io.Writer, receipts []figures.Receipt) ([]api.Caveat, error) {
	receipt, err := figures.Encode(receipts)
	if err != nil {
		return nil, err
	}
	report, err := pptx.Edit(t.r, t.size, w, t.ops, pptx.Options{Picture: t.pictures.of, Receipt: receipt})
	if err != nil {
		return nil, err
	}
	return report.Caveats, nil
}
