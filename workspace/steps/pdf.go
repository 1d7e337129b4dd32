package steps

import (
	"context"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/pdf"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
)

const (
	mostFields = 500
	mostSizes  = 100
)

// passwordIn opens an encrypted file.
type passwordIn struct {
	Password string `json:"password,omitempty" jsonschema:"of an encrypted file"`
}

type pdfIn struct {
	fileIn
	passwordIn
}

type extractTextIn struct {
	pdfIn
	Options textOptions `json:"options,omitzero"`
	boundIn
}

type textOptions struct {
	Pages []int `json:"pages,omitempty" jsonschema:"counted from 1; default all"`
}

// Fields are those of a form.
type Fields struct {
	Fields []pdf.Field `json:"fields"`
	// Truncated reports that there are more fields than listed; Total counts all
	// of them.
	Total     int  `json:"total"`
	Truncated bool `json:"truncated,omitempty"`
}

// Files are new files.
type Files struct {
	Files []Changed `json:"files"`
	api.CaveatList
}

type addPageIn struct {
	pdfIn
	Options pageOptions `json:"options,omitzero"`
	Before  int         `json:"before_page,omitempty" jsonschema:"default: the new page is the last"`
	Create  bool        `json:"create_if_missing,omitempty" jsonschema:"create the file if it does not exist"`
	writeIn
}

type pageOptions struct {
	Size        string `json:"size,omitempty" jsonschema:"A4 (default), A3, A5, Letter or Legal"`
	Orientation string `json:"orientation,omitempty" jsonschema:"portrait (default) or landscape"`
}

type pageIn struct {
	pdfIn
	Page int `json:"page_num" jsonschema:"counted from 1"`
	writeIn
}

type addTextIn struct {
	pdfIn
	Page     int          `json:"page" jsonschema:"counted from 1"`
	Text     string       `json:"text"`
	Position pdf.Position `json:"position" jsonschema:"of the first line"`
	Style    pdf.Style    `json:"style,omitzero"`
	writeIn
}

type addImageIn struct {
	pdfIn
	Page     int          `json:"page" jsonschema:"counted from 1"`
	Image    string       `json:"image_file_id" jsonschema:"id or name of a PNG, JPEG or GIF of the workspace"`
	Position pdf.Position `json:"position" jsonschema:"of the lower left corner"`
	Size     imageSize    `json:"size,omitzero"`
	writeIn
}

type imageSize struct {
	Width  float64 `json:"width,omitempty" jsonschema:"in points; with one of both the other follows"`
	Height float64 `json:"height,omitempty"`
}

type fillFormIn struct {
	pdfIn
	Fields map[string]any `json:"fields" jsonschema:"values by the names of fields: texts, true and false for boxes, options of lists"`
	writeIn
}

type mergeIn struct {
	Files []string `json:"file_ids" jsonschema:"ids or names, in order"`
	Name  string   `json:"output_name" jsonschema:"of the new file, ending with .pdf"`
	passwordIn
}

type splitIn struct {
	pdfIn
	Ranges []string `json:"ranges" jsonschema:"pages of each new file, such as 1-5, 8 or 10-"`
}

func pdfs() []Step {
	return append(pdfsRead(),
		step(Step{
			Family: PDF, Name: "add_page", Title: "Add an empty page",
			About: "Add an empty page to a PDF, or make a new PDF of one.",
		}, func(ctx context.Context, w *workspace.Workspace, in *addPageIn) (*Changed, error) {
			return edit(ctx, w, content.Target{File: in.File, Create: in.Create, IfVersion: in.IfVersion, Password: in.Password},
				pdf.Operation{Op: pdf.AddPage, Page: in.Before, Size: in.Options.Size, Orientation: in.Options.Orientation})
		}),
		step(Step{
			Family: PDF, Name: "delete_page", Title: "Delete a page", About: "Delete a page of a PDF.",
		}, func(ctx context.Context, w *workspace.Workspace, in *pageIn) (*Changed, error) {
			return edit(ctx, w, content.Target{File: in.File, IfVersion: in.IfVersion, Password: in.Password},
				pdf.Operation{Op: pdf.DeletePage, Page: in.Page})
		}),
		step(Step{
			Family: PDF, Name: "add_text", Title: "Place text on a page",
			About: "Place text on a page, in points (1/72 inch) from the lower left corner.",
		}, func(ctx context.Context, w *workspace.Workspace, in *addTextIn) (*Changed, error) {
			return edit(ctx, w, content.Target{File: in.File, IfVersion: in.IfVersion, Password: in.Password},
				pdf.Operation{Op: pdf.AddText, Page: in.Page, Text: in.Text, Position: in.Position, Style: in.Style})
		}),
		step(Step{
			Family: PDF, Name: "add_image", Title: "Place a picture on a page",
			About: "Place a picture of the workspace on a page.",
		}, func(ctx context.Context, w *workspace.Workspace, in *addImageIn) (*Changed, error) {
			return edit(ctx, w, content.Target{File: in.File, IfVersion: in.IfVersion, Password: in.Password},
				pdf.Operation{Op: pdf.AddImage, Page: in.Page, Image: in.Image, Position: in.Position, Width: in.Size.Width, Height: in.Size.Height})
		}),
		step(Step{
			Family: PDF, Name: "fill_form", Title: "Fill in a form",
			About: "Fill in fields of a form by their names.",
		}, func(ctx context.Context, w *workspace.Workspace, in *fillFormIn) (*Changed, error) {
			return edit(ctx, w, content.Target{File: in.File, IfVersion: in.IfVersion, Password: in.Password},
				pdf.Operation{Op: pdf.FillForm, Fields: in.Fields})
		}),
		step(Step{
			Family: PDF, Name: "merge", Title: "Join PDF files",
			About: "Join all pages of PDF files into a new file.",
		}, func(ctx context.Context, w *workspace.Workspace, in *mergeIn) (*Changed, error) {
			f, report, err := content.MergePDF(ctx, w, in.Files, in.Name, in.Password)
			if err != nil {
				return nil, err
			}
			out := changed(f)
			out.Pages, out.CaveatList = report.Pages, report.CaveatList
			return out, nil
		}),
		step(Step{
			Family: PDF, Name: "split_pages", Title: "Divide a PDF file",
			About: "Make new files of parts of a PDF. Their names end with their pages; the file itself stays.",
		}, func(ctx context.Context, w *workspace.Workspace, in *splitIn) (*Files, error) {
			files, lost, err := content.SplitPDF(ctx, w, in.File, strings.Join(in.Ranges, ","), in.Password)
			out := &Files{Files: []Changed{}, CaveatList: api.CaveatList{Caveats: lost}}
			for _, f := range files {
				out.Files = append(out.Files, *changed(f))
			}
			return out, err
		}),
	)
}

// edit applies one operation to a PDF.
func edit(ctx context.Context, w *workspace.Workspace, t content.Target, o pdf.Operation) (*Changed, error) {
	done, err := content.Pdf(ctx, w, t, []pdf.Operation{o})
	if err != nil {
		return nil, err
	}
	out := changed(done.File)
	out.Pages, out.CaveatList = done.Report.Pages, done.Report.CaveatList
	return out, nil
}

func pdfsRead() []Step {
	return []Step{
		step(Step{
			Family: PDF, Name: "info", Title: "Look into a PDF", ReadOnly: true,
			About: "Tell a PDF's pages and their sizes, its title and author, and whether it is encrypted, a form or a scan.",
		}, func(ctx context.Context, w *workspace.Workspace, in *pdfIn) (out *pdf.Info, err error) {
			err = content.OpenPDF(ctx, w, in.File, in.Password, func(d *pdf.Document) error {
				if out, err = d.Info(); err == nil {
					out.Sizes, out.Truncated = firstOf(out.Sizes, mostSizes)
				}
				return err
			})
			return out, err
		}),
		step(Step{
			Family: PDF, Name: "extract_text", Title: "Read the text of a PDF", ReadOnly: true,
			About: "Read the text of pages. A long text ends behind a page and names the next one; scans have no text, which is said.",
		}, func(ctx context.Context, w *workspace.Workspace, in *extractTextIn) (out *pdf.Text, err error) {
			var pages []string
			for _, n := range in.Options.Pages {
				pages = append(pages, strconv.Itoa(n))
			}
			err = content.OpenPDF(ctx, w, in.File, in.Password, func(d *pdf.Document) error {
				out, err = content.ExtractText(d, strings.Join(pages, ","), in.bytes())
				return err
			})
			return out, err
		}),
		step(Step{
			Family: PDF, Name: "get_form_fields", Title: "List the fields of a form", ReadOnly: true,
			About: "List the fields of a form with their types, values and options.",
		}, func(ctx context.Context, w *workspace.Workspace, in *pdfIn) (*Fields, error) {
			out := &Fields{}
			err := content.OpenPDF(ctx, w, in.File, in.Password, func(d *pdf.Document) error {
				fields, err := d.FormFields()
				out.Total = len(fields)
				out.Fields, out.Truncated = firstOf(fields, mostFields)
				return err
			})
			return out, err
		}),
	}
}
