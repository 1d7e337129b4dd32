package reports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/figures"
	"github.com/agnes-data/da/plot"
)

// Source answers the statements of a template.
type Source interface {
	// Rows runs a statement and returns its rows; more than most are an error.
	Rows(ctx context.Context, sql string, most int) (*Rows, error)
	// Plot draws the rows of a statement.
	Plot(ctx context.Context, kind plot.Kind, sql string) (*Drawing, error)
}

// Filled describes a placeholder that was replaced.
type Filled struct {
	At          string `json:"at"` // such as Sheet1!B3, paragraph 4, slide 2
	Placeholder string `json:"placeholder"`
	Kind        string `json:"kind"`
	Rows        int    `json:"rows"`
}

// Report describes a filled template.
type Report struct {
	Filled []Filled `json:"filled"`
	// Caveats are those of the rows and drawings, and of the change; never null.
	Caveats []api.Caveat `json:"caveats"`
}

// template is a format of templates.
type template interface {
	// placeholders are in the order in which they are read.
	placeholders() ([]Placeholder, error)
	// put records what to do with the result for placeholder i.
	put(i int, p Placeholder, rows *Rows, picture []byte) error
	// write makes all changes, and stores receipts unless they are nil.
	write(w io.Writer, receipts []figures.Receipt) ([]api.Caveat, error)
}

// Formats are the extensions of templates.
func Formats() []string { return []string{".xlsx", ".docx", ".pptx", ".html"} }

// Most is how many rows files of a format take in one place.
func Most(format string) int {
	return map[string]int{".xlsx": 500_000, ".docx": 4_999, ".pptx": 199, ".html": 50_000}[format]
}

// open reads a template. format is one of Formats.
func open(format string, r io.ReaderAt, size int64) (template, []Placeholder, error) {
	t := map[string]func() template{
		".xlsx": func() template { return &workbook{r: r, size: size} },
		".docx": func() template { return &document{r: r, size: size} },
		".html": func() template { return &page{r: r, size: size} },
		".pptx": func() template { return &presentation{r: r, size: size} },
	}[format]()
	all, err := t.placeholders()
	if err == nil && len(all) == 0 {
		err = &api.Error{Code: api.CodeValidation, Kind: api.KindNoPlaceholder, Message: "the template has no placeholder",
			Hint: "One is written {{ value: SELECT … }}, {{ sql: … }}, {{ table: … }} or {{ plot: bar SELECT … }}."}
	}
	return t, all, err
}

// Read lists the placeholders of a template. format is one of Formats.
func Read(format string, r io.ReaderAt, size int64) ([]Placeholder, error) {
	_, all, err := open(format, r, size)
	return all, err
}

// Fill writes a template with its placeholders filled. format is one of Formats.
// After an error, the output in w must not be used. at is the time, for the receipt
// that the output has; without it there is none.
func Fill(ctx context.Context, format string, r io.ReaderAt, size int64, w io.Writer, from Source, at time.Time) (*Report, error) {
	t, all, err := open(format, r, size)
	if err != nil {
		return nil, err
	}
	var receipts *receipt
	if !at.IsZero() {
		receipts, err = newReceipt(ctx, format, r, size, at)
	}
	if err != nil {
		return nil, err
	}
	out := &Report{Filled: []Filled{}}
	for i, p := range all {
		f := Filled{At: p.At, Placeholder: p.Raw, Kind: p.Kind}
		rows, drawing, err := ask(ctx, p, from, Most(format))
		if err == nil {
			err = t.put(i, p, rows, drawing.png())
			out.Caveats = append(out.Caveats, told(rows, drawing)...)
		}
		if err == nil && receipts != nil {
			err = receipts.note(i, p, rows, drawing)
		}
		if err != nil {
			return nil, p.about(err)
		}
		if rows != nil {
			f.Rows = len(rows.Values)
		}
		out.Filled = append(out.Filled, f)
	}
	var stored []figures.Receipt
	if receipts != nil {
		if stored, err = receipts.finish(ctx); err != nil {
			return nil, err
		}
	}
	changed, err := t.write(w, stored)
	out.Caveats = api.Arranged(append(out.Caveats, changed...))
	return out, err
}

// ask runs the statement of a placeholder.
func ask(ctx context.Context, p Placeholder, from Source, most int) (*Rows, *Drawing, error) {
	if p.Kind == Plot {
		drawing, err := from.Plot(ctx, p.Plot, p.Statement)
		return nil, drawing, err
	}
	rows, err := from.Rows(ctx, p.Statement, most)
	if err != nil {
		return nil, nil, err
	}
	if p.Kind != Value {
		return rows, nil, nil
	}
	if len(rows.Values) != 1 || len(rows.Columns) != 1 {
		return nil, nil, p.bad(api.KindNotOneValue, "Give a statement with one row of one column, or use sql or table.",
			"has %d rows of %d columns, not one value", len(rows.Values), len(rows.Columns))
	}
	return rows, nil, nil
}

// about says which placeholder an error is about.
func (p Placeholder) about(err error) error {
	var e *api.Error
	if !errors.As(err, &e) || e.Details["at"] == p.At {
		return err
	}
	said := *e
	said.Message = fmt.Sprintf("%s: '%s': %s", p.At, api.Clip(p.Raw, 80), e.Message)
	said.Details = map[string]any{"at": p.At, "placeholder": p.Raw}
	for k, v := range e.Details {
		said.Details[k] = v
	}
	return &said
}
