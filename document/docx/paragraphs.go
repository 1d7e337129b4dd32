package docx

import (
	"path"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// Paragraph is the text of a paragraph and its location.
type Paragraph struct {
	Text string
	// Number counts the paragraphs of the part from 1; Part is document, header1,
	// footnotes and the like.
	Number int
	Part   string
	// Body says that other paragraphs can be inserted before and after it.
	Body bool
}

// Paragraphs lists the paragraphs of the body, then those of headers, footers and
// notes.
func (d *Document) Paragraphs() ([]Paragraph, error) {
	parts, err := d.texts()
	if err != nil {
		return nil, err
	}
	var out []Paragraph
	for _, part := range parts {
		tree, err := d.pkg.Tree(part)
		if err != nil {
			return nil, err
		}
		number := 0
		for n := range tree.Root.All(func(n *ooxml.Node) bool { return aside(n) && n.Name != "w:txbxContent" }) {
			if n.Name != "w:p" {
				continue
			}
			number++
			out = append(out, Paragraph{Text: textOf(n), Number: number, Part: strings.TrimSuffix(path.Base(part), ".xml"), Body: part == d.main})
		}
	}
	return out, nil
}
