package docx

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// Compare compares two documents: paragraphs, headers, footers and comments, what
// the documents are made of, and what they name outside. A document that is not
// there is nil.
func Compare(before, after *Document) (*ooxml.Comparison, error) {
	c := &ooxml.Comparison{}
	known := map[string]bool{}
	was, err := before.pieces()
	if err != nil {
		return nil, err
	}
	now, err := after.pieces()
	if err != nil {
		return nil, err
	}
	for _, kind := range kinds {
		if c.Pieces(was.text[kind], now.text[kind]) {
			for _, part := range append(was.parts[kind], now.parts[kind]...) {
				known[part] = true
			}
		}
	}
	for _, field := range now.fields {
		if !slices.Contains(was.fields, field) {
			c.Tell(ooxml.Outside("the field %s takes something from elsewhere: a program that opens the document may send a request or start another program", field))
		}
	}
	return c, c.Parts(before.packed(), after.packed(), func(part string) bool { return known[part] })
}

func (d *Document) packed() *ooxml.Package {
	if d == nil {
		return nil
	}
	return d.pkg
}

// kinds are the kinds of texts in a document, as readers know them.
var kinds = []string{"paragraph", "header", "footer", "comment"}

// contents are the texts of a document, the parts that have them, and the fields that
// reach for something.
type contents struct {
	text   map[string][]ooxml.Piece
	parts  map[string][]string
	fields []string
}

func (d *Document) pieces() (*contents, error) {
	t := &contents{text: map[string][]ooxml.Piece{}, parts: map[string][]string{}}
	if d == nil {
		return t, nil
	}
	all, err := d.Read("")
	if err != nil {
		return nil, err
	}
	add := func(kind, place, text string) {
		t.text[kind] = append(t.text[kind], ooxml.Piece{Place: place, Text: text})
	}
	for line := range strings.Lines(all) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			add("paragraph", fmt.Sprintf("paragraph %d", len(t.text["paragraph"])+1), line)
		}
	}
	parts, err := d.texts()
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		tree, err := d.pkg.Tree(part)
		if err != nil {
			return nil, err
		}
		t.reaching(tree.Root)
		kind := "paragraph" // of the body, or of a note, which is read with it
		switch tree.Root.Name {
		case "w:hdr":
			kind = "header"
		case "w:ftr":
			kind = "footer"
		case "w:comments":
			kind = "comment"
			for n := range tree.Root.Elements() {
				for _, text := range joined(n) {
					add(kind, "comment of "+n.Attr("w:author"), text)
				}
			}
		}
		t.parts[kind] = append(t.parts[kind], part)
		if kind == "header" || kind == "footer" {
			for _, text := range joined(tree.Root) {
				add(kind, kind, text)
			}
		}
	}
	return t, nil
}

// elsewhere are fields that get something from outside of the document, or call
// another program.
var elsewhere = []string{"DDE", "DDEAUTO", "INCLUDEPICTURE", "INCLUDETEXT", "IMPORT", "DATABASE", "LINK"}

// reaching collects the fields of a text that reach for something. The words of
// one field may be in several runs.
func (t *contents) reaching(root *ooxml.Node) {
	var field strings.Builder
	end := func() {
		words := strings.Fields(field.String())
		if len(words) > 0 && slices.Contains(elsewhere, strings.ToUpper(words[0])) {
			t.fields = append(t.fields, strings.Join(words, " "))
		}
		field.Reset()
	}
	for n := range root.All(nil) {
		switch n.Name {
		case "w:instrText":
			field.WriteString(n.Text())
		case "w:fldChar", "w:p":
			end()
		case "w:fldSimple":
			field.WriteString(n.Attr("w:instr"))
			end()
		}
	}
	end()
}
