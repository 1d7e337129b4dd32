// Package content reads and changes the content of the workspace's files by
// format: lines of text, sheets, sections, slides and pictures. It connects the
// workspace with the document packages; it must not depend on the details of a
// format, or on a user interface (CLI, server, MCP).
package content

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/document/image"
	"github.com/agnes-data/da/document/pdf"
	"github.com/agnes-data/da/document/pptx"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/text"
)

// Kind is a family of formats that are read in one way.
type Kind string

// The kinds of contents.
const (
	Text   Kind = "text"
	Sheet  Kind = "spreadsheet"
	Doc    Kind = "document"
	Slides Kind = "presentation"
	Image  Kind = "image"
	PDF    Kind = "pdf"
	Other  Kind = "other" // only its bytes can be read
)

// KindOf returns a file's kind, based on its type.
func KindOf(f workspace.File) Kind {
	switch mime := f.MIMEType; {
	case strings.HasSuffix(mime, "spreadsheetml.sheet"), strings.Contains(mime, "ms-excel.sheet.macro"):
		return Sheet
	case strings.HasSuffix(mime, "wordprocessingml.document"), strings.Contains(mime, "ms-word.document.macro"):
		return Doc
	case strings.HasSuffix(mime, "presentationml.presentation"), strings.Contains(mime, "ms-powerpoint.presentation.macro"):
		return Slides
	case strings.HasPrefix(mime, "image/") && mime != "image/svg+xml":
		return Image
	case mime == "application/pdf":
		return PDF
	case strings.HasPrefix(mime, "text/"), strings.HasSuffix(mime, "+xml"), strings.HasSuffix(mime, "json"),
		strings.HasPrefix(mime, "application/") && textual[strings.TrimPrefix(mime, "application/")]:
		return Text
	}
	return Other
}

// textual are the types of text whose names do not start with "text/".
var textual = map[string]bool{"sql": true, "yaml": true, "javascript": true, "xml": true, "x-ndjson": true, "geo+json": true, "x-sh": true,
	"toml": true}

// enter waits until the workspace has room to decode a content. Texts are read as
// streams, and need none.
func enter(ctx context.Context, w *workspace.Workspace, kind Kind) (leave func(), err error) {
	if kind == Text || kind == Other {
		return func() {}, nil
	}
	return w.Enter(ctx)
}

// Info describes a file and its content, to help decide what to read.
type Info struct {
	workspace.File
	Kind Kind `json:"kind"`
	// One of these, by the kind.
	Lines        *int64        `json:"lines,omitempty"`
	Workbook     *sheet.Info   `json:"workbook,omitempty"`
	Document     *docx.Outline `json:"document,omitempty"`
	Presentation *pptx.Outline `json:"presentation,omitempty"`
	Picture      *image.Info   `json:"picture,omitempty"`
	PDF          *pdf.Info     `json:"pdf,omitempty"`
	// Problem explains why the content could not be examined.
	Problem string `json:"problem,omitempty"`
}

// Describe examines a file. A problem with its content is reported in the answer;
// errors are those of the workspace.
func Describe(ctx context.Context, w *workspace.Workspace, ref string) (*Info, error) {
	if isApart(ctx, w, ref) {
		return Elsewhere[*Info](ctx, w, jobDescribe, ref)
	}
	c, err := w.Open(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	info := &Info{File: c.Of, Kind: KindOf(c.Of)}
	leave, err := enter(ctx, w, info.Kind)
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := info.inspect(ctx, c); err != nil {
		info.Problem = err.Error()
	}
	return info, nil
}

func (i *Info) inspect(ctx context.Context, c *workspace.Content) (err error) {
	size := c.Of.Size
	switch i.Kind {
	case Text:
		var n int64
		if n, err = text.Count(c, size); err == nil {
			i.Lines = &n
		}
	case Sheet:
		var b *sheet.Book
		if b, err = sheet.Open(c, size); err == nil {
			i.Workbook, err = b.Info()
		}
	case Doc:
		var d *docx.Document
		if d, err = docx.Open(c, size); err == nil {
			i.Document, err = d.Outline()
		}
	case Slides:
		var p *pptx.Presentation
		if p, err = pptx.Open(c, size); err == nil {
			i.Presentation, err = p.Outline()
		}
	case Image:
		i.Picture, err = image.Read(c, size)
	case PDF:
		err = withPDF(ctx, c, "", func(d *pdf.Document) (err error) {
			i.PDF, err = d.Info()
			return err
		})
	case Other:
	}
	return err
}

// ReadRequest says which part of a file to read. Which fields count depends on
// its kind.
type ReadRequest struct {
	Sheet, Range string // of a workbook; the first sheet, all cells
	Section      string // of a document: heading or index; empty: all
	Slide        *int   // of a presentation, from 0; nil: all
	// Of a PDF: pages such as 1-5,8; empty: all. Password opens an encrypted one.
	Pages, Password string
	// For text: lines count from 1; 0 means from the first, or to the last.
	LineStart, LineCount int64
	Encoding             string // "": detected
	// MaxBytes limits the answer; 0: text.DefaultMaxBytes.
	MaxBytes int
}

// fits refuses fields that say nothing of files of a kind: all of the file would be
// read, without a word.
func (r ReadRequest) fits(name string, kind Kind) error {
	for _, f := range []struct {
		name  string
		given bool
		of    []Kind
	}{
		{"sheet", r.Sheet != "", []Kind{Sheet}}, {"range", r.Range != "", []Kind{Sheet}}, {"section", r.Section != "", []Kind{Doc}},
		{"slide_index", r.Slide != nil, []Kind{Slides}},
		{"pages", r.Pages != "", []Kind{PDF}}, {"line_start", r.LineStart != 0, []Kind{Text, Other}},
		{"line_count", r.LineCount != 0, []Kind{Text, Other}}, {"encoding", r.Encoding != "", []Kind{Text, Other}},
	} {
		if f.given && !slices.Contains(f.of, kind) {
			return &api.Error{Code: api.CodeUsage, Message: fmt.Sprintf("%s is for files of the kind %s, and '%s' is of the kind %s", f.name,
				f.of[0], api.Clip(name, 80), kind), Hint: "Leave it out."}
		}
	}
	return nil
}

// Reading is a part of a file: lines, cells, pages, or Markdown of a section or slides.
type Reading struct {
	File    string        `json:"file"`
	Version int64         `json:"version"`
	Kind    Kind          `json:"kind"`
	Content *string       `json:"content,omitempty"` // of texts and Markdown, also if it is empty
	Lines   *text.Part    `json:"lines,omitempty"`
	Cells   *sheet.Values `json:"cells,omitempty"`
	Text    *pdf.Text     `json:"text,omitempty"`
	// Truncated says that more is there than is shown.
	Truncated bool `json:"truncated"`
	// Caveats are all that is to be known of what was read; never null.
	Caveats []api.Caveat `json:"caveats"`
}

// Words is the text or Markdown that was read; "" of cells and pages.
func (out *Reading) Words() string {
	if out.Content == nil {
		return ""
	}
	return *out.Content
}

// ReasonMaxBytes is that of the caveat about a content that is larger than asked for.
const ReasonMaxBytes = "max_bytes"

// tell gathers the caveats.
func (out *Reading) tell(most int) {
	known := out.Caveats
	if out.Cells != nil {
		known, out.Cells.Caveats = out.Cells.Caveats, nil
	}
	if out.Text != nil {
		known, out.Text.Caveats = out.Text.Caveats, nil
	}
	if out.Truncated {
		known = append(known, api.Caveat{Kind: api.CaveatCut, Reason: ReasonMaxBytes,
			Text: "not all of it is shown, since that is more than " + humanize.Count(int64(most)) + " bytes"})
	}
	out.Caveats = api.AboutFile(out.File, api.Arranged(known))
}

// Read reads a part of a file. A file whose content is not understood is
// CodeValidation, kind binary.
func Read(ctx context.Context, w *workspace.Workspace, ref string, req ReadRequest) (*Reading, error) {
	if isApart(ctx, w, ref) {
		return Elsewhere[*Reading](ctx, w, jobRead, readIn{ref, req})
	}
	c, err := w.Open(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if req.MaxBytes <= 0 {
		req.MaxBytes = text.DefaultMaxBytes
	}
	out := &Reading{File: c.Of.Name, Version: c.Of.Version, Kind: KindOf(c.Of)}
	if err := req.fits(c.Of.Name, out.Kind); err != nil {
		return nil, err
	}
	leave, err := enter(ctx, w, out.Kind)
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := out.fill(ctx, c, req); err != nil {
		return nil, about(c.Of, err)
	}
	out.tell(req.MaxBytes)
	return out, nil
}

func (out *Reading) fill(ctx context.Context, c *workspace.Content, req ReadRequest) error {
	size := c.Of.Size
	switch out.Kind {
	case Sheet:
		var err error
		if out.Cells, err = readCells(c, req); err == nil {
			out.Truncated = out.Cells.Truncated
		}
		return err
	case PDF:
		return withPDF(ctx, c, req.Password, func(d *pdf.Document) (err error) {
			if out.Text, err = ExtractText(d, req.Pages, req.MaxBytes); err == nil {
				out.Truncated = out.Text.Truncated
			}
			return err
		})
	case Doc:
		d, err := docx.Open(c, size)
		if err != nil {
			return err
		}
		content, err := d.Read(req.Section)
		if d.Hidden > 0 {
			out.Caveats = []api.Caveat{{Kind: api.CaveatHidden, Text: humanize.Plural(d.Hidden, "piece of text that programs hide is",
				"pieces of text that programs hide are") + " read like the others"}}
		}
		return out.markdown(content, err, req.MaxBytes)
	case Slides:
		p, err := pptx.Open(c, size)
		if err != nil {
			return err
		}
		var content string
		if req.Slide != nil {
			content, err = p.Read(*req.Slide)
		} else {
			content, err = p.ReadAll(req.MaxBytes)
		}
		return out.markdown(content, err, req.MaxBytes)
	case Image:
		return &api.Error{Code: api.CodeValidation, Kind: api.KindBinary, Message: "it is a picture, which has no text to read"}
	case Other:
		if hint := saveAs(c.Of); hint != "" {
			return &api.Error{Code: api.CodeValidation, Kind: api.KindBinary, Message: "files of the type " + c.Of.MIMEType + " cannot be read",
				Hint: hint}
		}
	case Text:
	}
	end := int64(0)
	if req.LineCount > 0 {
		end = max(req.LineStart, 1) + req.LineCount - 1
	}
	part, err := text.Read(c, size, text.ReadOptions{Start: req.LineStart, End: end, MaxBytes: req.MaxBytes, Encoding: req.Encoding})
	if err == nil {
		content := part.Content
		out.Content, out.Truncated, part.Content = &content, part.Truncated, ""
		out.Lines = part
	}
	return err
}

// markdown keeps as many whole lines of a text as fit.
func (out *Reading) markdown(content string, err error, most int) error {
	if len(content) > most {
		out.Truncated = true
		cut := strings.LastIndexByte(content[:most], '\n') + 1
		if cut == 0 {
			cut = most
		}
		content = strings.ToValidUTF8(content[:cut], "")
	}
	out.Content = &content
	return err
}

// about says which file an error of its content is about.
func about(f workspace.File, err error) error {
	var e *api.Error
	if !errors.As(err, &e) {
		return &api.Error{Code: api.CodeReadFailed, Message: fmt.Sprintf("cannot read '%s': %v", f.Name, err), Err: err}
	}
	said := *e
	said.Message = fmt.Sprintf("'%s': %s", f.Name, e.Message)
	if e.Kind != api.KindBinary || e.Hint != "" {
		return &said
	}
	switch KindOf(f) {
	case Sheet, Doc, Slides, PDF:
		said.Next = []api.Step{api.Do(api.ActionReadFile, "read what it holds", "file", f.Name)}
	default:
		said.Next = []api.Step{api.Do(api.ActionFileInfo, "see what is known of it", "file", f.Name)}
	}
	return &said
}

// WriteText replaces the text of a file, in its encoding and with its line ends,
// or creates a new file.
func WriteText(ctx context.Context, w *workspace.Workspace, t Target, content string) (workspace.File, error) {
	added := text.New{Content: content, Encoding: t.Encoding}
	f, err := w.Edit(ctx, t.File, t.IfVersion, func(old *workspace.Content, out io.Writer) error {
		return wrap(old, text.Write(old, out, added))
	})
	if api.CodeUnknownFile.Is(err) && t.IfVersion == 0 {
		if err := textFits(t.File, content); err != nil {
			return workspace.File{}, err
		}
		return w.PutBy(ctx, workspace.PutRequest{Name: t.File, Source: workspace.Created},
			func(out io.Writer) error { return text.Write(nil, out, added) })
	}
	return f, err
}

// wrap names the file in an error.
func wrap(old *workspace.Content, err error) error {
	if err == nil {
		return nil
	}
	return about(old.Of, err)
}

// extension is the lower-case extension of a name.
func extension(name string) string { return strings.ToLower(path.Ext(name)) }
