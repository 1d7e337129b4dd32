package pptx

import (
	"slices"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/internal/guard/strictjson"
)

// The operations.
const (
	ReplaceText   = "replace_text"
	SetSlideText  = "set_slide_text"
	AppendBullets = "append_bullets"
	AddSlide      = "add_slide"
	AddTable      = "add_table"
	AddPicture    = "add_picture"
	AddChart      = "add_chart"
	AddLink       = "add_link"
	AddComment    = "add_comment"
	SetNotes      = "set_notes"
	MoveSlide     = "move_slide"
	DeleteSlide   = "delete_slide"
)

// Operations lists the names of all operations.
func Operations() []string {
	return []string{ReplaceText, SetSlideText, AppendBullets, AddSlide, AddTable, AddPicture, AddChart, AddLink, AddComment, SetNotes,
		MoveSlide, DeleteSlide}
}

// Operation is one change of a presentation. Each operation sees the changes of
// those before it, including changed slide indexes.
type Operation struct {
	Op    string `json:"op"`
	Index *int   `json:"index,omitempty" of:"replace_text set_slide_text append_bullets add_table add_picture add_chart add_link add_comment set_notes move_slide delete_slide" jsonschema:"the slide, counted from 0"`
	// Of replace_text, which looks in the slide, or in all of them and their notes.
	Search  string `json:"search,omitempty" of:"replace_text add_link" jsonschema:"text to find, as it is on the slide"`
	Replace string `json:"replace,omitempty" of:"replace_text" jsonschema:"what to put in its place; empty removes it"`
	AnyCase bool   `json:"any_case,omitempty" of:"replace_text add_link" jsonschema:"find it in upper and lower case"`
	Link    string `json:"link,omitempty" of:"add_link" jsonschema:"an address"`
	Author  string `json:"author,omitempty" of:"add_comment" jsonschema:"default da"`
	// For slides: omitted fields stay unchanged.
	Title *string  `json:"title,omitempty" of:"set_slide_text add_slide add_chart"`
	Text  *string  `json:"text,omitempty" of:"set_slide_text add_slide set_notes add_comment" jsonschema:"text of the slide's body, or its notes; each line is a paragraph"`
	Items []string `json:"items,omitempty" of:"set_slide_text append_bullets add_slide" jsonschema:"bullets; each leading tab is a level down"`
	// Of add_slide and move_slide.
	Layout string `json:"layout,omitempty" of:"add_slide" jsonschema:"name of a layout of the presentation"`
	To     *int   `json:"to,omitempty" of:"add_slide move_slide" jsonschema:"index that the slide is to have; by default the last"`
	// Of tables.
	Rows   [][]any `json:"rows,omitempty" of:"add_table add_chart" jsonschema:"cells row by row, the header first"`
	Header *bool   `json:"header,omitempty" of:"add_table" jsonschema:"false: the first row is not a header"`
	// Of pictures.
	Picture string `json:"picture,omitempty" of:"add_picture" jsonschema:"a PNG, JPEG or GIF file"`
	Alt     string `json:"alt,omitempty" of:"add_picture" jsonschema:"text that describes the picture"`
	// Of charts, whose rows name the series, and then have the name and the numbers of
	// each point.
	Type   string `json:"type,omitempty" of:"add_chart" jsonschema:"column, bar, area (each also stacked_…), line, pie or scatter"`
	XTitle string `json:"x_title,omitempty" of:"add_chart"`
	YTitle string `json:"y_title,omitempty" of:"add_chart"`
	// Position of a table, picture or chart. The default is the place of the slide's
	// body if that is empty, or else below the title.
	LeftCM  float64 `json:"left_cm,omitempty" of:"add_table add_picture add_chart add_comment"`
	TopCM   float64 `json:"top_cm,omitempty" of:"add_table add_picture add_chart add_comment"`
	WidthCM float64 `json:"width_cm,omitempty" of:"add_table add_picture add_chart"`
}

// Described tells which fields the operations have.
func Described() []string { return strictjson.Operations[Operation](Operations()) }

// UnmarshalJSON also takes find and slide_index, the older names of search and index.
func (o *Operation) UnmarshalJSON(data []byte) error {
	type plain Operation
	in := struct {
		*plain
		Find       *string `json:"find" of:"replace_text add_link"`
		SlideIndex *int    `json:"slide_index" of:"replace_text set_slide_text append_bullets add_table add_picture add_chart add_link add_comment set_notes move_slide delete_slide"`
	}{plain: (*plain)(o)}
	if err := strictjson.DecodeOperation(data, &in, Operations()); err != nil {
		return err
	}
	if in.Find != nil && o.Search == "" {
		o.Search = *in.Find
	}
	if in.SlideIndex != nil && o.Index == nil {
		o.Index = in.SlideIndex
	}
	return nil
}

// check refuses an operation that lacks a required field.
func (o *Operation) check() error {
	texts := append([]string{o.Replace, o.Alt, deref(o.Title), deref(o.Text)}, o.Items...)
	for _, s := range texts {
		if err := ooxml.CheckText("the text", s); err != nil {
			return err
		}
	}
	if !slices.Contains(Operations(), o.Op) {
		return ooxml.UnknownOperation(o.Op, Operations())
	}
	var missing string
	switch {
	case o.Index == nil && o.Op != ReplaceText && o.Op != AddSlide:
		missing = "index"
	case (o.Op == ReplaceText || o.Op == AddLink) && o.Search == "":
		missing = "search"
	case o.Op == AddLink && o.Link == "":
		missing = "link"
	case o.Op == SetSlideText && o.Title == nil && o.Text == nil && len(o.Items) == 0:
		missing = "title, text or items"
	case o.Op == AppendBullets && len(o.Items) == 0:
		missing = "items"
	case o.Op == AddChart && o.Type == "":
		missing = "type"
	case (o.Op == AddTable || o.Op == AddChart) && len(o.Rows) == 0:
		missing = "rows"
	case o.Op == AddPicture && o.Picture == "":
		missing = "picture"
	case (o.Op == SetNotes || o.Op == AddComment) && o.Text == nil:
		missing = "text"
	case o.Op == MoveSlide && o.To == nil:
		missing = "to"
	case o.Text != nil && len(o.Items) > 0:
		return ooxml.Invalid("Give one of them.", "text and items are both the body of the slide")
	default:
		return nil
	}
	return ooxml.Invalid("", "%s needs %s", o.Op, missing)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Result describes the effect of one operation.
type Result struct {
	Op       string `json:"op"`
	Replaced int    `json:"replaced,omitempty"` // by replace_text
	Index    *int   `json:"index,omitempty"`    // of the slide that was added or moved
}

// Report describes the effect of an edit.
type Report struct {
	Results []Result `json:"results"`
	api.CaveatList
}

// Options are the outside resources that an edit needs.
type Options struct {
	// Picture returns the content of the picture file that an operation names. It
	// can be nil.
	Picture func(name string) ([]byte, error)
	// Receipt is stored in the file in place of an earlier one; "" keeps that.
	Receipt string
}
