package content

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/figures"
	"github.com/agnes-data/da/document/office"
	"github.com/agnes-data/da/document/pdf"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/workspace"
)

// RenderRequest says what of a file to draw.
type RenderRequest struct {
	// Page is that of a document or PDF file, or the slide of a presentation, from 1; 0:
	// the first. Of a workbook it is a printed page.
	Page int `json:"page,omitempty"`
	// Sheet of a workbook is drawn in one piece. If Page is not given either, this is
	// the first sheet that is not hidden.
	Sheet string `json:"sheet,omitempty"`
	// Side is the longer side of the picture, in pixels; 0: 1600.
	Side int `json:"side,omitempty"`
	// PDF makes one of the whole file, in place of a picture of a part.
	PDF bool `json:"pdf,omitempty"`
	// Password opens an encrypted PDF.
	Password string `json:"password,omitempty"`
}

// Rendered is a picture or a PDF of a file.
type Rendered struct {
	Path    string `json:"path"`
	File    string `json:"file"` // name in the workspace
	Version int64  `json:"version"`
	Sheet   string `json:"sheet,omitempty"`
	Page    int    `json:"page,omitempty"`
	Pages   int    `json:"pages"`
	Width   int    `json:"width,omitempty"` // in pixels, as Height
	Height  int    `json:"height,omitempty"`
}

const (
	defaultSide = 1600
	// mostRows and mostColumns of a sheet can be read in one picture.
	mostRows, mostColumns = 500, 100
)

type renderIn struct {
	Ref     string        `json:"ref"`
	Request RenderRequest `json:"request"`
	Dir     string        `json:"dir"`
}

// Render draws a part of a PDF, workbook, document or presentation into dir, a folder
// that nobody else uses, as a program on a desktop would show it.
func Render(ctx context.Context, w *workspace.Workspace, ref string, req RenderRequest, dir string) (*Rendered, error) {
	if isApart(ctx, w, ref) {
		return Elsewhere[*Rendered](ctx, w, jobRender, renderIn{ref, req, dir})
	}
	c, err := w.Open(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	leave, err := w.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	out := &Rendered{File: c.Of.Name, Version: c.Of.Version}
	return out, wrap(c, out.draw(ctx, c, req, dir))
}

// Drawing is a picture of a part of a file.
type Drawing struct {
	Name    string `json:"name"` // of the file
	Version int64  `json:"version"`
	Sheet   string `json:"sheet,omitempty"`
	Page    int    `json:"page,omitempty"`
	Pages   int    `json:"pages" jsonschema:"of all; of a workbook, those that are printed"`
	Width   int    `json:"width"`
	Height  int    `json:"height"`

	PNG []byte `json:"-"`
}

// Picture returns the picture for those who see.
func (d *Drawing) Picture() []byte { return d.PNG }

// Draw is Render for a picture that is kept in memory.
func Draw(ctx context.Context, w *workspace.Workspace, ref string, req RenderRequest) (*Drawing, error) {
	req.PDF = false
	dir, err := os.MkdirTemp("", "da-render")
	if err != nil {
		return nil, fmt.Errorf("make a folder to draw in: %w", err)
	}
	defer os.RemoveAll(dir)
	made, err := Render(ctx, w, ref, req, dir)
	if err != nil {
		return nil, err
	}
	out := &Drawing{Name: made.File, Version: made.Version, Sheet: made.Sheet, Page: made.Page, Pages: made.Pages, Width: made.Width,
		Height: made.Height}
	out.PNG, err = os.ReadFile(made.Path) // of at most pdf.MaxSide pixels a side
	return out, err
}

func (out *Rendered) draw(ctx context.Context, c *workspace.Content, req RenderRequest, dir string) (err error) {
	kind := KindOf(c.Of)
	switch {
	case !slices.Contains([]Kind{PDF, Sheet, Doc, Slides}, kind):
		return &api.Error{Code: api.CodeValidation, Kind: api.KindWrongKind,
			Message: fmt.Sprintf("files of the type %s have no pages to draw", c.Of.MIMEType),
			Hint:    cmp.Or(saveAs(c.Of), "PDF files, workbooks, documents and presentations have pages. Read a text; open a picture.")}
	case req.Sheet != "" && (kind != Sheet || req.Page != 0 || req.PDF):
		return &api.Error{Code: api.CodeUsage, Message: "a sheet is drawn as one picture, of a workbook",
			Hint: "Leave out the sheet, or the page and the PDF."}
	}
	source := io.ReaderAt(c)
	size := c.Of.Size
	if kind != PDF {
		var options office.Options
		if kind == Sheet && req.Page == 0 && !req.PDF {
			options.WholeSheets = true
			if req.Page, out.Sheet, err = sheetToDraw(c, req.Sheet); err != nil {
				return err
			}
		}
		made, err := officePDF(ctx, c, dir, options)
		if err != nil {
			return err
		}
		defer made.Close()
		info, err := made.Stat()
		if err != nil {
			return err
		}
		source, size = made, info.Size()
	}
	d, err := pdf.Open(ctx, source, size, compiled(req.Password))
	if err != nil {
		return err
	}
	defer d.Close()
	out.Pages = d.Pages()
	ending := "png"
	if req.PDF {
		ending = "pdf"
	}
	file, err := os.OpenFile(filepath.Join(dir, "drawn."+ending), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	out.Path = file.Name()
	if req.PDF {
		err = withReceipts(ctx, c, d, io.NewSectionReader(source, 0, size), file)
	} else {
		if out.Sheet == "" {
			out.Page = cmp.Or(req.Page, 1)
		}
		out.Width, out.Height, err = d.Draw(cmp.Or(req.Page, 1), cmp.Or(req.Side, defaultSide), file)
	}
	return cmp.Or(err, file.Close())
}

// withReceipts writes a drawn file with the receipts of what it was drawn from. A
// receipt of a workbook says where figures are in its cells, and not on its pages.
func withReceipts(ctx context.Context, c *workspace.Content, d *pdf.Document, drawn io.Reader, to io.Writer) error {
	var receipts []figures.Receipt
	var err error
	if kind := KindOf(c.Of); kind == Doc || kind == Slides {
		receipts, err = figures.Receipts(ctx, extension(c.Of.Name), c, c.Of.Size)
	}
	if err == nil && len(receipts) > 0 {
		return figures.Attach(d, receipts, to)
	}
	if err == nil {
		_, err = io.Copy(to, drawn)
	}
	return err
}

// sheetToDraw finds a sheet as Book.Find does, and refuses it if it is too large.
func sheetToDraw(c *workspace.Content, name string) (int, string, error) {
	b, err := sheet.Open(c, c.Of.Size)
	if err != nil {
		return 0, "", err
	}
	n, s, err := b.Find(name)
	if err == nil && s.Chart { // LibreOffice leaves these empty when sheets are drawn in one piece
		err = &api.Error{Code: api.CodeValidation, Kind: api.KindWrongKind,
			Message: fmt.Sprintf("sheet '%s' is a chart, which is drawn as a printed page only", s.Name), Hint: "Name its page."}
	}
	if err == nil && (s.Rows > mostRows || s.Columns > mostColumns) {
		err = &api.Error{Code: api.CodeValidation, Kind: api.KindTooLarge,
			Message: fmt.Sprintf("sheet '%s' has %d rows and %d columns: too many for one picture", s.Name, s.Rows, s.Columns),
			Hint: fmt.Sprintf("A picture has at most %d × %d cells. Draw a printed page, by its number, or read the cells.", mostRows,
				mostColumns)}
	}
	return n, s.Name, err
}

// officePDF has LibreOffice draw a copy of a content below dir.
func officePDF(ctx context.Context, c *workspace.Content, dir string, o office.Options) (*os.File, error) {
	at := filepath.Join(dir, "office")
	if err := os.Mkdir(at, 0o700); err != nil {
		return nil, err
	}
	name := "file" + strings.ToLower(filepath.Ext(c.Of.Name))
	file, err := os.OpenFile(filepath.Join(at, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(file, io.NewSectionReader(c, 0, c.Of.Size))
	if err = cmp.Or(err, file.Close()); err != nil {
		return nil, err
	}
	path, err := office.PDF(ctx, at, name, o)
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}
