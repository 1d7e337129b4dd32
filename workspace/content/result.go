package content

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/document/pptx"
	"github.com/agnes-data/da/document/reports"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/workspace"
)

// Result is the result of a query: its rows, or a chart of them.
type Result struct {
	Caveats []api.Caveat  // of the rows or the drawing
	Rows    *reports.Rows // nil if there is a drawing
	Drawing *reports.Drawing
	SQL     string
	// Plain leaves the receipt out; what the file has of earlier results stays.
	Plain bool
}

// Place says where a result is inserted in a file. The kind of file decides which
// fields are used.
type Place struct {
	// For a workbook: Sheet is created if it does not exist; if it is empty, a
	// new sheet is created. Start is the first cell; by default, it is below the
	// existing content of the sheet.
	Sheet, Start, Table string
	Section             string // of a document; "" appends at the end
	Slide               *int   // of a presentation, from 0; nil adds a new slide
	Title               string // shown above the result: a heading, or the title of a new slide
}

// Added is a file that a result was put into.
type Added struct {
	File workspace.File `json:"file"`
	// At is where: a range of cells, a section, a slide.
	At   string `json:"at"`
	Rows int    `json:"rows"`
	// Caveats are those of the rows or the drawing, and then those of the change.
	Caveats []api.Caveat `json:"caveats"`

	now time.Time
}

// Told are the caveats, for a draft.
func (out *Added) Told(string) []api.Caveat { return out.Caveats }

// MostRows returns the maximum number of rows that the file can take, based on
// its kind or, if it does not exist yet, on its name. A kind that cannot take
// rows is a CodeValidation.
func MostRows(ctx context.Context, w *workspace.Workspace, t Target) (int, error) {
	kind, err := kindFor(ctx, w, t)
	if err != nil {
		return 0, err
	}
	return reports.Most(endings[kind]), nil
}

// kindFor is the kind of a target that takes results.
func kindFor(ctx context.Context, w *workspace.Workspace, t Target) (Kind, error) {
	f, err := w.Info(ctx, t.File)
	kind := KindOf(f)
	if api.CodeUnknownFile.Is(err) && t.Create {
		f.Name, err = t.File, nil
	}
	if err == nil && f.Size == 0 { // it was only named so far
		kind = Other
		for k, ending := range endings {
			if extension(f.Name) == ending {
				kind = k
			}
		}
	}
	if err == nil && kind != Sheet && kind != Doc && kind != Slides {
		err = &api.Error{Code: api.CodeValidation, Kind: api.KindWrongKind,
			Message: fmt.Sprintf("'%s' is not a workbook, document or presentation", f.Name),
			Hint:    cmp.Or(saveAs(f), "Rows and plots go into .xlsx, .docx and .pptx files.")}
	}
	return kind, err
}

type addIn struct {
	Target Target `json:"target"`
	Place  Place  `json:"place"`
	Result Result `json:"result"`
}

// AddResult puts rows or a drawing into a workbook, document or presentation.
func AddResult(ctx context.Context, w *workspace.Workspace, t Target, p Place, r Result) (*Added, error) {
	kind, err := kindFor(ctx, w, t)
	if err != nil {
		return nil, err
	}
	if w.IsApart() {
		return Elsewhere[*Added](ctx, w, jobAdd, addIn{t, p, r})
	}
	out := &Added{now: w.Now().UTC()}
	if r.Rows != nil {
		out.Rows = len(r.Rows.Values)
	}
	done, err := edit(ctx, w, t, kind, func() ([]byte, error) { return blankFor(kind, p) },
		func(old io.ReaderAt, size int64, to io.Writer) (*Added, error) {
			var err error
			switch kind {
			case Sheet:
				err = out.intoSheet(ctx, old, size, to, p, r)
			case Doc:
				err = out.intoDocument(ctx, old, size, to, p, r)
			default:
				err = out.intoSlides(ctx, old, size, to, p, r)
			}
			out.Caveats = api.Arranged(append(r.Caveats, out.Caveats...))
			return out, err
		})
	if err != nil {
		return nil, err
	}
	out.File = done.File
	return out, nil
}

func blankFor(kind Kind, p Place) ([]byte, error) {
	switch kind {
	case Sheet:
		return sheet.Blank(p.sheetName())
	case Doc:
		return docx.Blank()
	}
	return pptx.Blank()
}

func (p Place) sheetName() string { return cmp.Or(p.Sheet, p.Title, "Result") }

// drawn is the name that operations have for the drawing.
const drawn = "plot"

// alt returns the alternative text of the picture, for readers who cannot see it.
func (r Result) alt(p Place) string { return cmp.Or(p.Title, r.SQL) }

func (r Result) picture(string) ([]byte, error) { return r.Drawing.PNG, nil }

func (out *Added) intoSheet(ctx context.Context, old io.ReaderAt, size int64, to io.Writer, p Place, r Result) error {
	book, err := sheet.Open(old, size)
	if err != nil {
		return err
	}
	name := p.sheetName()
	rows, there, err := book.RowsOf(name)
	for n := 2; err == nil && there && rows > 0 && p.Sheet == ""; n++ { // give it a sheet of its own
		name = p.sheetName() + " " + strconv.Itoa(n)
		rows, there, err = book.RowsOf(name)
	}
	if err != nil {
		return err
	}
	start := p.Start
	if start == "" {
		start = "A1"
		if rows > 0 {
			start = "A" + strconv.Itoa(rows+2)
		}
	}
	ops := []sheet.Operation{{Op: sheet.EnsureSheet, Sheet: name}}
	if r.Rows == nil {
		ops = append(ops, sheet.Operation{Op: sheet.AddPicture, Sheet: name, Start: start, Picture: drawn, Alt: r.alt(p)})
	} else {
		table, err := r.Rows.SheetTable(name, start, p.Table)
		if err != nil {
			return err
		}
		ops = append(ops, table...)
	}
	options := sheet.Options{Picture: r.picture}
	if !r.Plain {
		if options.Receipt, options.Names, err = out.noteCells(ctx, old, size, r, name, start); err != nil {
			return err
		}
	}
	report, err := sheet.Edit(old, size, to, ops, options)
	if err != nil {
		return err
	}
	out.At = name + "!" + start
	out.Caveats = report.Caveats
	if at := report.Results[1].Range; at != "" {
		out.At = name + "!" + at
	}
	return nil
}

func (out *Added) intoDocument(ctx context.Context, old io.ReaderAt, size int64, to io.Writer, p Place, r Result) error {
	var ops []docx.Operation
	if p.Title != "" {
		ops = append(ops, docx.Operation{Op: docx.AppendHeading, Level: 2, Text: p.Title, Section: p.Section})
	}
	put := docx.Operation{Op: docx.AppendTable, Section: p.Section}
	if p.Title != "" && p.Section != "" {
		put.Section = p.Title // the heading has started a new section
	}
	report, err := noted(ctx, out, ".docx", old, size, to, r, func(w io.Writer, rows *reports.Rows, receipt string) (*docx.Report, error) {
		if rows == nil {
			put.Op, put.Picture, put.Alt = docx.AppendPicture, drawn, r.alt(p)
		} else {
			put.Rows = rows.Table()
		}
		return docx.Edit(old, size, w, append(ops, put), docx.Options{Picture: r.picture, Receipt: receipt})
	})
	if err != nil {
		return err
	}
	out.At = "the end of the document"
	out.Caveats = report.Caveats
	if p.Section != "" {
		out.At = "section " + p.Section
	}
	return nil
}

func (out *Added) intoSlides(ctx context.Context, old io.ReaderAt, size int64, to io.Writer, p Place, r Result) error {
	deck, err := pptx.Open(old, size)
	if err != nil {
		return err
	}
	outline, err := deck.Outline()
	if err != nil {
		return err
	}
	var ops []pptx.Operation
	index := len(outline.Slides)
	if p.Slide != nil {
		index = *p.Slide
		if p.Title != "" {
			ops = append(ops, pptx.Operation{Op: pptx.SetSlideText, Index: &index, Title: &p.Title})
		}
	} else {
		ops = append(ops, pptx.Operation{Op: pptx.AddSlide, Title: &p.Title})
	}
	put := pptx.Operation{Op: pptx.AddTable, Index: &index}
	report, err := noted(ctx, out, ".pptx", old, size, to, r, func(w io.Writer, rows *reports.Rows, receipt string) (*pptx.Report, error) {
		if rows == nil {
			put.Op, put.Picture, put.Alt = pptx.AddPicture, drawn, r.alt(p)
		} else {
			put.Rows = rows.Table()
		}
		return pptx.Edit(old, size, w, append(ops, put), pptx.Options{Picture: r.picture, Receipt: receipt})
	})
	if err != nil {
		return err
	}
	out.At = "slide " + strconv.Itoa(index)
	out.Caveats = report.Caveats
	return nil
}

// Statement returns the SQL statement for a user's text: the text itself if it is
// a statement, or a query of the snapshot that it names.
func Statement(text string) string {
	if strings.ContainsAny(text, " \t\n(") {
		return text
	}
	return "FROM " + text
}
