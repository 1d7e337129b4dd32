package figures

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/document/pdf"
	"github.com/agnes-data/da/document/pptx"
	"github.com/agnes-data/da/document/sheet"
)

// Status is what became of a figure since it was written.
type Status string

// The statuses. The last two need a run of the statement.
const (
	Unchanged Status = "unchanged"
	TypedOver Status = "typed_over" // the file has something else in its place
	Missing   Status = "missing"    // its place is gone
	Drifted   Status = "drifted"    // its statement gives something else now
	NotRun    Status = "not_run"    // its statement cannot be run, or was not
	Pictured  Status = "pictured"   // a picture shows it, which is not read
)

// Figure is one value that was written into a file.
type Figure struct {
	Receipt int    `json:"receipt"` // of its answer, from 0
	Answer  int    `json:"answer"`
	Row     int    `json:"row"`
	Column  int    `json:"column"`
	At      string `json:"at,omitempty"` // where it is now
	Written string `json:"written"`
	Found   string `json:"found,omitempty"` // in its place, if that is not what was written
	Status  Status `json:"status"`
}

// Read is what the receipts of a file say, and what became of their figures.
type Read struct {
	Receipts []Receipt `json:"receipts"`
	Figures  []Figure  `json:"figures"`
	// Tolerance is the largest difference at which a check takes two numbers as equal.
	Tolerance float64 `json:"-"`
	// Ignore are columns of results; a check leaves out their figures.
	Ignore []string `json:"-"`
}

// Has reports whether a result of the file has a column.
func (r *Read) Has(column string) bool {
	return slices.ContainsFunc(r.Receipts, func(all Receipt) bool {
		return slices.ContainsFunc(all.Answers, func(a Answer) bool { return slices.Contains(a.Columns, column) })
	})
}

// Of is the answer of a figure.
func (r *Read) Of(f Figure) *Answer { return &r.Receipts[f.Receipt].Answers[f.Answer] }

// Formats are the extensions of files that can hold receipts.
func Formats() []string {
	return []string{".xlsx", ".xlsm", ".docx", ".docm", ".pptx", ".pptm", ".pdf", ".html", ".htm"}
}

// file is one that can hold receipts.
type file interface {
	// receipt is the encoded one; "" if there is none.
	receipt() (string, error)
	// blocks are the text; not called for workbooks.
	blocks() ([]Block, error)
}

// Open reads the receipts of a file and finds their figures in it. format is one of
// Formats. A file without a receipt has none.
func Open(ctx context.Context, format string, r io.ReaderAt, size int64, o pdf.Options) (*Read, error) {
	f, closer, err := open(ctx, format, r, size, o)
	if err != nil {
		return nil, err
	}
	defer closer()
	text, err := f.receipt()
	if err != nil {
		return nil, err
	}
	out := &Read{Figures: []Figure{}}
	if out.Receipts, err = Decode(text); err != nil || len(out.Receipts) == 0 {
		return out, err
	}
	if b, ok := f.(workbook); ok {
		return out, b.compare(out)
	}
	blocks, err := f.blocks()
	if err != nil {
		return nil, err
	}
	for i, r := range out.Receipts {
		if r.Text == nil {
			continue
		}
		for _, found := range r.Text.compare(r.Answers, blocks, format == ".pdf") {
			found.Receipt = i
			out.Figures = append(out.Figures, found)
		}
	}
	return out, nil
}

func open(ctx context.Context, format string, r io.ReaderAt, size int64, o pdf.Options) (file, func(), error) {
	switch format {
	case ".docx", ".docm":
		d, err := docx.Open(r, size)
		return document{d}, func() {}, err
	case ".pptx", ".pptm":
		p, err := pptx.Open(r, size)
		return presentation{p}, func() {}, err
	case ".xlsx", ".xlsm":
		b, err := sheet.Open(r, size)
		return workbook{b}, func() {}, err
	case ".html", ".htm":
		p, err := ReadPage(r, size)
		return p, func() {}, err
	case ".pdf":
		d, err := pdf.Open(ctx, r, size, o)
		if err != nil {
			return nil, nil, err
		}
		return print{d}, d.Close, nil
	}
	return nil, nil, &api.Error{Code: api.CodeValidation, Kind: api.KindWrongKind,
		Message: fmt.Sprintf("a file named '*%s' holds no receipt", api.Clip(format, 20)),
		Hint:    "Receipts are in " + strings.Join(Formats(), ", ") + "."}
}

type document struct{ *docx.Document }

func (d document) receipt() (string, error) { return d.Receipt() }

func (d document) blocks() (out []Block, err error) {
	all, err := d.Paragraphs()
	for _, p := range all {
		at := fmt.Sprintf("paragraph %d", p.Number)
		if !p.Body {
			at += " of " + p.Part
		}
		out = append(out, Block{p.Text, at})
	}
	return out, err
}

type presentation struct{ *pptx.Presentation }

func (p presentation) receipt() (string, error) { return p.Receipt() }

func (p presentation) blocks() (out []Block, err error) {
	all, err := p.Paragraphs()
	for _, one := range all {
		at := fmt.Sprintf("slide %d", one.Slide+1)
		if one.Notes {
			at = "notes of " + at
		}
		out = append(out, Block{one.Text, at})
	}
	return out, err
}

// Receipts reads those of a file. Damaged ones say nothing, and count as none.
func Receipts(ctx context.Context, format string, r io.ReaderAt, size int64) ([]Receipt, error) {
	f, closer, err := open(ctx, format, r, size, pdf.Options{})
	if err != nil {
		return nil, err
	}
	defer closer()
	text, err := f.receipt()
	if err != nil {
		return nil, err
	}
	all, _ := Decode(text) // a damaged receipt is written anew
	return all, nil
}

// Blocks reads the text of a document or presentation.
func Blocks(ctx context.Context, format string, r io.ReaderAt, size int64) ([]Block, error) {
	f, closer, err := open(ctx, format, r, size, pdf.Options{})
	if err != nil {
		return nil, err
	}
	defer closer()
	return f.blocks()
}
