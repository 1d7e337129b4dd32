package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/strictjson"
)

// The operations.
const (
	AddPage    = "add_page"
	DeletePage = "delete_page"
	AddText    = "add_text"
	AddImage   = "add_image"
	FillForm   = "fill_form"
)

// Operations lists the names of all operations.
func Operations() []string { return []string{AddPage, DeletePage, AddText, AddImage, FillForm} }

// Described tells which fields the operations have.
func Described() []string { return strictjson.Operations[Operation](Operations()) }

// Operation is one change of a file. Each operation sees the changes of those
// before it, including changed page numbers.
type Operation struct {
	Op string `json:"op"`
	// Page counts from 1. add_page puts the new page before it, by default behind the
	// last.
	Page int `json:"page,omitempty" of:"add_page delete_page add_text add_image" jsonschema:"counted from 1; add_page: the new page comes before it, by default it is the last"`
	// Of add_page.
	Size        string `json:"size,omitempty" of:"add_page" jsonschema:"A4 (default), A3, A5, Letter or Legal"`
	Orientation string `json:"orientation,omitempty" of:"add_page" jsonschema:"portrait (default) or landscape"`
	// Of add_text.
	Text  string `json:"text,omitempty" of:"add_text"`
	Style Style  `json:"style,omitzero" of:"add_text"`
	// Of add_text and add_image: where the first line, or the lower left corner, is.
	Position Position `json:"position,omitzero" of:"add_text add_image"`
	// Of add_image.
	Image  string  `json:"image,omitempty" of:"add_image" jsonschema:"a JPEG, PNG or GIF file"`
	Width  float64 `json:"width,omitempty" of:"add_image" jsonschema:"in points; with one of width and height the other follows"`
	Height float64 `json:"height,omitempty" of:"add_image" jsonschema:"in points"`
	// For fill_form: texts, true and false for checkboxes, and the option of a
	// list.
	Fields map[string]any `json:"fields,omitempty" of:"fill_form" jsonschema:"values by the names of the fields"`
}

// Position is a place on a page, in points of 1/72 inch from its lower left corner.
type Position struct {
	X float64 `json:"x" jsonschema:"points from the left"`
	Y float64 `json:"y" jsonschema:"points from the bottom"`
}

// Style is the appearance of a text.
type Style struct {
	Size  float64 `json:"size,omitempty" jsonschema:"in points; default 12"`
	Color string  `json:"color,omitempty" jsonschema:"as #RRGGBB; default black"`
	Bold  bool    `json:"bold,omitempty"`
	// Font is a file, for characters that the fonts of this package do not have.
	Font string `json:"font,omitempty" jsonschema:"a TrueType font file; needed for scripts other than Latin, Greek and Cyrillic"`
}

// UnmarshalJSON refuses fields that an operation does not have.
func (o *Operation) UnmarshalJSON(data []byte) error {
	type plain Operation
	return strictjson.DecodeOperation(data, (*plain)(o), Operations())
}

// Report describes the effect of an edit.
type Report struct {
	Pages int `json:"pages"`
	api.CaveatList
}

// EditOptions are the outside resources that an edit needs.
type EditOptions struct {
	Options
	// File returns the content of the picture or font file that an operation
	// names. It can be nil.
	File func(name string) ([]byte, error)
}

func (o EditOptions) file(name string) ([]byte, error) {
	if o.File == nil {
		return nil, invalid("", "files cannot be read here: %s", name)
	}
	return o.File(name)
}

// Edit applies operations to a file and writes the result to w. If it returns an
// error, no operation has been applied, and what has been written to w must not
// be used.
func Edit(ctx context.Context, r io.ReaderAt, size int64, w io.Writer, ops []Operation, o EditOptions) (*Report, error) {
	d, err := Open(ctx, r, size, o.Options)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.edit(w, ops, o)
}

// Create creates a new file from operations; the first of them adds a page.
func Create(ctx context.Context, w io.Writer, ops []Operation, o EditOptions) (*Report, error) {
	e, err := start(ctx, o.CacheDir)
	if err != nil {
		return nil, err
	}
	defer e.close()
	d, err := e.create()
	if err != nil {
		return nil, err
	}
	return d.edit(w, ops, o)
}

func (d *Document) edit(w io.Writer, ops []Operation, o EditOptions) (*Report, error) {
	if len(ops) == 0 {
		return nil, invalid("Give at least one.", "there are no operations")
	}
	report := &Report{}
	for i := range ops {
		if err := d.apply(&ops[i], o, report); err != nil {
			return nil, withDetails(fmt.Sprintf("operation %d (%s)", i+1, ops[i].Op), map[string]any{"operation": i + 1, "op": ops[i].Op}, err)
		}
	}
	report.Pages = d.pages
	if d.pages == 0 {
		return nil, invalid("Begin with "+AddPage+".", "the file would have no pages")
	}
	return report, d.save(w)
}

func (d *Document) apply(o *Operation, options EditOptions, report *Report) error {
	if err := d.allowed(o.Op); err != nil {
		return err
	}
	switch o.Op {
	case AddPage:
		return d.addPage(o)
	case DeletePage:
		return d.deletePage(o.Page)
	case AddText:
		return d.addText(o, options, report)
	case AddImage:
		return d.addImage(o, options)
	case FillForm:
		return d.fillForm(o.Fields, report)
	}
	return invalid("The operations are "+strings.Join(Operations(), ", ")+".", "there is no operation %q", o.Op)
}

// withDetails adds to err what it is about.
func withDetails(what string, details map[string]any, err error) error {
	var e *api.Error
	if !errors.As(err, &e) {
		return err
	}
	c := *e
	c.Message, c.Details = what+": "+e.Message, details
	return &c
}

// inFile adds to err which of several files, counted from 0, it is about.
func inFile(index int, err error) error {
	return withDetails(fmt.Sprintf("file %d", index+1), map[string]any{"file": index}, err)
}
