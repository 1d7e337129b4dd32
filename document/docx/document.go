package docx

import (
	"io"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// Document is an open document. It is safe for one goroutine.
type Document struct {
	pkg     *ooxml.Package
	main    string // the main part, which contains the text
	body    *ooxml.Node
	styles  styles
	numbers numbering
	// Hidden counts the pieces of text that Read has met and programs do not show.
	Hidden int64
	marks  int // the highest number of a change, comment or bookmark; 0 before it is needed
}

// Open reads a document. r must stay open as long as it is used.
func Open(r io.ReaderAt, size int64) (*Document, error) {
	pkg, err := ooxml.Open(r, size)
	if err != nil {
		return nil, err
	}
	d := &Document{pkg: pkg}
	if d.main, err = pkg.Main(); err != nil {
		return nil, err
	}
	tree, err := pkg.Tree(d.main)
	if err != nil {
		return nil, err
	}
	if tree.Root.Name != "w:document" {
		return nil, ooxml.WrongFormat("this is not a document of a word processor: it is %s", kindOf(tree.Root.Name))
	}
	if d.body = tree.Root.Find("w:body"); d.body == nil {
		return nil, ooxml.Damaged(d.main, "the document has no body")
	}
	if err := d.readStyles(); err != nil {
		return nil, err
	}
	return d, d.readNumbering()
}

func kindOf(root string) string {
	switch root {
	case "s:workbook":
		return "a workbook"
	case "p:presentation":
		return "a presentation"
	}
	return "something else"
}

// related returns the tree of the part of that kind to which the text is related,
// or nil if there is none.
func (d *Document) related(kind string) (part string, tree *ooxml.Tree, err error) {
	part, err = d.pkg.Related(d.main, kind)
	if err != nil || part == "" || !d.pkg.Has(part) {
		return "", nil, err
	}
	tree, err = d.pkg.Tree(part)
	return part, tree, err
}

// texts lists the parts that contain paragraphs: first the body, then parts of
// the other kinds, sorted by name.
func (d *Document) texts() ([]string, error) {
	parts := []string{d.main}
	all, err := d.pkg.Relations(d.main)
	if err != nil {
		return nil, err
	}
	for _, kind := range []string{"header", "footer", "footnotes", "endnotes", "comments"} {
		for _, r := range all {
			if r.Kind == kind && !r.External && d.pkg.Has(r.Target) {
				parts = append(parts, r.Target)
			}
		}
	}
	return parts, nil
}

// on reports whether an element that switches something is there and not off.
func on(n *ooxml.Node) bool {
	if n == nil {
		return false
	}
	switch strings.ToLower(n.Attr("w:val")) {
	case "0", "false", "off", "none":
		return false
	}
	return true
}

// Receipt is what the file says of its figures, as it was stored; "" if nothing.
func (d *Document) Receipt() (string, error) { return d.pkg.LongProperty(ooxml.Receipt) }
