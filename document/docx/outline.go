package docx

import (
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// Outline describes the structure of a document.
type Outline struct {
	Title    string    `json:"title,omitempty"`
	Author   string    `json:"author,omitempty"`
	Sections []Section `json:"sections"`
	Tables   []Table   `json:"tables"`
	Pictures []Picture `json:"pictures"`
	// Headers and Footers are the texts repeated on every page.
	Headers    []string `json:"headers,omitempty"`
	Footers    []string `json:"footers,omitempty"`
	Footnotes  int      `json:"footnotes,omitempty"`
	Comments   int      `json:"comments,omitempty"`
	Insertions int      `json:"tracked_insertions,omitempty"`
	Deletions  int      `json:"tracked_deletions,omitempty"`
	// Styles are those for paragraphs, by name.
	Styles []string `json:"styles"`
	Macros bool     `json:"macros,omitempty"`
	Signed bool     `json:"signed,omitempty"`
}

// Section is a heading and the text up to the next heading. Section 0 has no
// heading: it is the text before the first heading, and is left out if empty.
type Section struct {
	Index      int    `json:"index"`
	Level      int    `json:"level"` // 1 to 9; 0 for section 0
	Heading    string `json:"heading"`
	Paragraphs int    `json:"paragraphs"`
	Tables     int    `json:"tables"`
	Words      int    `json:"words"`
}

// Table is one of the body, by its index from 0.
type Table struct {
	Index   int      `json:"index"`
	Section int      `json:"section"`
	Rows    int      `json:"rows"`
	Columns int      `json:"columns"`
	Header  []string `json:"header"` // the cells of its first row
}

// Picture is one of the body.
type Picture struct {
	Section int    `json:"section"`
	Part    string `json:"part"` // in the package
	Text    string `json:"text,omitempty"`
}

// Outline reads the structure of the document.
func (d *Document) Outline() (*Outline, error) {
	o := &Outline{
		Sections: []Section{}, Tables: []Table{}, Pictures: []Picture{}, Styles: d.styles.names(),
		Macros: strings.Contains(d.pkg.Type(d.main), "macroEnabled"), Signed: d.pkg.Signed(),
	}
	var err error
	if o.Title, o.Author, err = d.pkg.Properties(); err != nil {
		return nil, err
	}
	for i, s := range d.sections() {
		info := Section{Index: i, Level: s.level, Heading: s.heading}
		for _, n := range s.blocks {
			if n.Name == "w:p" {
				if words := len(strings.Fields(textOf(n))); words > 0 {
					info.Paragraphs++
					info.Words += words
				}
			} else {
				info.Tables++
				o.Tables = append(o.Tables, d.table(n, len(o.Tables), i))
			}
			o.Pictures = append(o.Pictures, d.pictures(n, i)...)
		}
		if i > 0 || len(s.blocks) > 0 {
			o.Sections = append(o.Sections, info)
		}
	}
	for n := range d.body.All(nil) {
		switch n.Name {
		case "w:ins", "w:moveTo":
			o.Insertions++
		case "w:del", "w:moveFrom":
			o.Deletions++
		}
	}
	return o, d.asides(o)
}

// asides counts and reads the content outside of the body.
func (d *Document) asides(o *Outline) error {
	parts, err := d.texts()
	if err != nil {
		return err
	}
	for _, part := range parts[1:] {
		tree, err := d.pkg.Tree(part)
		if err != nil {
			return err
		}
		switch root := tree.Root; root.Name {
		case "w:hdr":
			o.Headers = append(o.Headers, joined(root)...)
		case "w:ftr":
			o.Footers = append(o.Footers, joined(root)...)
		case "w:comments":
			o.Comments += count(root, "w:comment")
		case "w:footnotes":
			o.Footnotes += count(root, "w:footnote")
		case "w:endnotes":
			o.Footnotes += count(root, "w:endnote")
		}
	}
	return nil
}

// count counts the children with a name, except those that are only separators.
func count(root *ooxml.Node, name string) (n int) {
	for c := range root.Elements() {
		if c.Name == name && c.Attr("w:type") == "" {
			n++
		}
	}
	return n
}

// joined returns the text of a header or footer, or nothing if it is empty.
func joined(root *ooxml.Node) []string {
	var lines []string
	for n := range root.All(func(n *ooxml.Node) bool { return n.Name == "mc:Fallback" }) {
		if n.Name == "w:p" {
			if text := strings.TrimSpace(textOf(n)); text != "" {
				lines = append(lines, text)
			}
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return []string{strings.Join(lines, "\n")}
}

func (d *Document) table(n *ooxml.Node, index, section int) Table {
	t := Table{Index: index, Section: section, Header: []string{}}
	for i, row := range d.cells(n) {
		t.Rows++
		t.Columns = max(t.Columns, len(row))
		if i == 0 {
			t.Header = append(t.Header, row...)
		}
	}
	return t
}

func (d *Document) pictures(n *ooxml.Node, section int) []Picture {
	var out []Picture
	for e := range n.All(func(n *ooxml.Node) bool { return n.Name == "mc:Fallback" }) {
		if part, text, ok := d.picture(e); ok {
			out = append(out, Picture{Section: section, Part: part, Text: text})
		}
	}
	return out
}

// picture returns the part that a drawing shows, and its alternative text.
func (d *Document) picture(n *ooxml.Node) (part, text string, ok bool) {
	id := ""
	switch n.Name {
	case "w:drawing":
		for e := range n.All(nil) {
			switch e.Name {
			case "wp:docPr":
				text = e.Attr("descr")
			case "a:blip":
				id = e.Attr("r:embed")
			}
		}
	case "v:imagedata":
		id = n.Attr("r:id")
	}
	rel, found := d.pkg.Target(d.main, id)
	return rel.Target, text, found && !rel.External
}

// Cells returns the texts of a table of the body, row by row. A merged cell has
// its text only once.
func (d *Document) Cells(index int) ([][]string, error) {
	at := 0
	for _, s := range d.sections() {
		for _, n := range s.blocks {
			if n.Name == "w:p" {
				continue
			}
			if at == index {
				return d.cells(n), nil
			}
			at++
		}
	}
	return nil, ooxml.Invalid("Tables are counted from 0.", "there is no table %d: the document has %d", index, at)
}
