package docx

import (
	"cmp"
	"fmt"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/internal/guard/strictjson"
)

// The operations. Append operations add content at the end of the document or of
// a section; insert operations add it before or after a paragraph.
const (
	ReplaceText     = "replace_text"
	AppendParagraph = "append_paragraph"
	InsertParagraph = "insert_paragraph"
	AppendHeading   = "append_heading"
	InsertHeading   = "insert_heading"
	AppendBullets   = "append_bullets"
	InsertBullets   = "insert_bullets"
	AppendNumbered  = "append_numbered"
	InsertNumbered  = "insert_numbered"
	AppendTable     = "append_table"
	InsertTable     = "insert_table"
	AppendPicture   = "append_picture"
	InsertPicture   = "insert_picture"
	AppendBreak     = "append_page_break"
	InsertBreak     = "insert_page_break"
	AppendChart     = "append_chart"
	InsertChart     = "insert_chart"
	AddLink         = "add_link"
	AddComment      = "add_comment"
	AcceptChanges   = "accept_changes"
	RejectChanges   = "reject_changes"
)

// Operations lists the names of all operations.
func Operations() []string {
	return []string{
		ReplaceText, AppendParagraph, InsertParagraph, AppendHeading, InsertHeading, AppendBullets, InsertBullets,
		AppendNumbered, InsertNumbered, AppendTable, InsertTable, AppendPicture, InsertPicture, AppendBreak, InsertBreak, AppendChart,
		InsertChart, AddLink, AddComment, AcceptChanges, RejectChanges,
	}
}

// Operation is one change of a document.
type Operation struct {
	Op string `json:"op"`
	// For replace_text, which finds text in the whole document, including
	// headers, notes and text boxes, even if the text is split by formatting.
	Search  string `json:"search,omitempty" of:"replace_text add_link add_comment" jsonschema:"text to find, as it is in the document"`
	Replace string `json:"replace,omitempty" of:"replace_text" jsonschema:"what to put in its place; empty removes it"`
	AnyCase bool   `json:"any_case,omitempty" of:"replace_text add_link add_comment" jsonschema:"find it in upper and lower case"`
	First   bool   `json:"first,omitempty" of:"replace_text add_link add_comment" jsonschema:"only the first"`
	// Of paragraphs and headings.
	Text  string `json:"text,omitempty" of:"append_paragraph insert_paragraph append_heading insert_heading add_comment"`
	Style string `json:"style,omitempty" of:"append_paragraph insert_paragraph append_bullets insert_bullets append_numbered insert_numbered" jsonschema:"name of a paragraph style of the document"`
	Level int    `json:"level,omitempty" of:"append_heading insert_heading" jsonschema:"1 to 9; default 1"`
	// For lists: one text per item; each leading tab is one level down.
	Items []string `json:"items,omitempty" of:"append_bullets insert_bullets append_numbered insert_numbered" jsonschema:"one text an item; each leading tab is a level down"`
	// For tables: texts, numbers, booleans and nulls. The first row is the header
	// unless Header is false.
	Rows   [][]any `json:"rows,omitempty" of:"append_table insert_table append_chart insert_chart" jsonschema:"cells row by row, the header first"`
	Header *bool   `json:"header,omitempty" of:"append_table insert_table" jsonschema:"false: the first row is not a header"`
	// Of pictures.
	Picture string  `json:"picture,omitempty" of:"append_picture insert_picture" jsonschema:"a PNG, JPEG or GIF file"`
	WidthCM float64 `json:"width_cm,omitempty" of:"append_picture insert_picture append_chart insert_chart" jsonschema:"default: its own size, at most the page's"`
	Alt     string  `json:"alt,omitempty" of:"append_picture insert_picture" jsonschema:"text that describes the picture"`
	// Of charts, whose rows name the series, and then have the name and the numbers of
	// each point.
	Type   string `json:"type,omitempty" of:"append_chart insert_chart" jsonschema:"column, bar, area (each also stacked_…), line, pie or scatter"`
	Title  string `json:"title,omitempty" of:"append_chart insert_chart"`
	XTitle string `json:"x_title,omitempty" of:"append_chart insert_chart"`
	YTitle string `json:"y_title,omitempty" of:"append_chart insert_chart"`
	Link   string `json:"link,omitempty" of:"add_link" jsonschema:"an address"`
	Author string `json:"author,omitempty" of:"add_comment accept_changes reject_changes" jsonschema:"default da; of changes: only theirs, default all"`
	// Track is the author of a change that readers see as one, and can refuse.
	Track string `json:"track,omitempty" of:"replace_text append_paragraph insert_paragraph append_heading insert_heading append_bullets insert_bullets append_numbered insert_numbered append_table insert_table" jsonschema:"author, such as da: tracked as a change of theirs"`
	// Where: one of these, or the end of the document.
	Section string `json:"section,omitempty" of:"append_paragraph append_heading append_bullets append_numbered append_table append_picture append_page_break append_chart" jsonschema:"append at the end of this section: its heading or index"`
	After   string `json:"after,omitempty" of:"insert_paragraph insert_heading insert_bullets insert_numbered insert_table insert_picture insert_page_break insert_chart" jsonschema:"insert behind the paragraph with this text"`
	Before  string `json:"before,omitempty" of:"insert_paragraph insert_heading insert_bullets insert_numbered insert_table insert_picture insert_page_break insert_chart" jsonschema:"insert before the paragraph with this text"`
}

// Described tells which fields the operations have.
func Described() []string { return strictjson.Operations[Operation](Operations()) }

// UnmarshalJSON also takes find, the older name of search.
func (o *Operation) UnmarshalJSON(data []byte) error {
	type plain Operation
	in := struct {
		*plain
		Find *string `json:"find" of:"replace_text"`
	}{plain: (*plain)(o)}
	if err := strictjson.DecodeOperation(data, &in, Operations()); err != nil {
		return err
	}
	if in.Find != nil && o.Search == "" {
		o.Search = *in.Find
	}
	return nil
}

// check refuses an operation that lacks a required field.
func (o *Operation) check() error {
	inserts := len(o.Op) > 7 && o.Op[:7] == "insert_"
	if (o.After != "" || o.Before != "") && !inserts || o.After != "" && o.Before != "" {
		return ooxml.Invalid("Give one of before and after to an insert, or section to an append.", "the place is not clear")
	}
	if inserts && (o.After == "") == (o.Before == "") {
		return ooxml.Invalid("Give a text of the paragraph that it is to be beside.", "%s needs after or before", o.Op)
	}
	needs := func(what string, missing bool) error {
		if missing {
			return ooxml.Invalid("", "%s needs %s", o.Op, what)
		}
		return nil
	}
	for _, s := range append([]string{o.Replace, o.Text, o.Alt}, o.Items...) {
		if err := ooxml.CheckText("the text", s); err != nil {
			return err
		}
	}
	switch o.Op {
	case ReplaceText:
		return needs("search", o.Search == "")
	case AcceptChanges, RejectChanges:
		return nil
	case AppendParagraph, InsertParagraph, AppendBreak, InsertBreak:
		return nil
	case AppendHeading, InsertHeading:
		if o.Level < 0 || o.Level > 9 {
			return ooxml.Invalid("", "a heading's level is from 1 to 9, not %d", o.Level)
		}
		return needs("text", o.Text == "")
	case AppendBullets, InsertBullets, AppendNumbered, InsertNumbered:
		return needs("items", len(o.Items) == 0)
	case AppendTable, InsertTable:
		return needs("rows", len(o.Rows) == 0)
	case AppendPicture, InsertPicture:
		return needs("picture", o.Picture == "")
	case AppendChart, InsertChart:
		return cmp.Or(needs("rows", len(o.Rows) == 0), needs("type", o.Type == ""))
	case AddLink:
		return cmp.Or(needs("search", o.Search == ""), needs("link", o.Link == ""))
	case AddComment:
		return cmp.Or(needs("search", o.Search == ""), needs("text", o.Text == ""))
	}
	return ooxml.UnknownOperation(o.Op, Operations())
}

// Result describes the effect of one operation.
type Result struct {
	Op       string `json:"op"`
	Replaced int    `json:"replaced,omitempty"` // by replace_text
	Settled  int    `json:"settled,omitempty"`  // changes that were accepted or refused
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

func (o Options) picture(name string) ([]byte, error) {
	if o.Picture == nil {
		return nil, &api.Error{Code: api.CodeValidation, Message: fmt.Sprintf("pictures cannot be read here: %s", name)}
	}
	return o.Picture(name)
}
