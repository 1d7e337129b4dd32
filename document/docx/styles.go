package docx

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// styles are those of a document, by id.
type styles struct {
	part string
	root *ooxml.Node
	byID map[string]*ooxml.Node
}

func (d *Document) readStyles() error {
	part, tree, err := d.related("styles")
	d.styles = styles{part: part, byID: map[string]*ooxml.Node{}}
	if err != nil || tree == nil {
		return err
	}
	d.styles.root = tree.Root
	for n := range tree.Root.Elements() {
		if n.Name == "w:style" {
			d.styles.byID[n.Attr("w:styleId")] = n
		}
	}
	return nil
}

// name returns the name of a style in lower case. Programs identify their
// built-in styles by these English names, whatever language they display.
func (s *styles) name(id string) string {
	if n := s.byID[id]; n != nil {
		return strings.ToLower(n.Find("w:name").Attr("w:val"))
	}
	return ""
}

// lineage calls f with the style and the styles that it is based on.
func (s *styles) lineage(id string, f func(*ooxml.Node) bool) {
	for range 32 { // limits a cycle of styles that are based on each other
		n := s.byID[id]
		if n == nil || f(n) {
			return
		}
		id = n.Find("w:basedOn").Attr("w:val")
	}
}

// level returns the outline level of a paragraph style, or 0 if it has none.
func (s *styles) level(id string) (level int) {
	s.lineage(id, func(n *ooxml.Node) bool {
		name := strings.ToLower(n.Find("w:name").Attr("w:val"))
		if name == "title" {
			level = 1
		} else if _, err := fmt.Sscanf(name, "heading %d", &level); err != nil || level < 1 || level > 9 {
			if level = n.Find("w:pPr", "w:outlineLvl").Int("w:val", 9) + 1; level > 9 {
				level = 0
			}
		}
		return level > 0
	})
	return level
}

// paragraph finds a paragraph style by its name or id.
func (s *styles) paragraph(name string) (id string, ok bool) {
	return s.find("paragraph", name)
}

func (s *styles) find(kind, name string) (id string, ok bool) {
	for _, n := range s.ofKind(kind) {
		if strings.EqualFold(n.Find("w:name").Attr("w:val"), name) {
			return n.Attr("w:styleId"), true
		}
	}
	n := s.byID[name]
	return name, n != nil && n.Attr("w:type") == kind
}

// ofKind lists the styles of a kind in the order of the part.
func (s *styles) ofKind(kind string) []*ooxml.Node {
	var out []*ooxml.Node
	for n := range s.root.Elements() {
		if n.Name == "w:style" && n.Attr("w:type") == kind {
			out = append(out, n)
		}
	}
	return out
}

// names lists the names of the paragraph styles.
func (s *styles) names() []string {
	var names []string
	for _, n := range s.ofKind("paragraph") {
		if name := n.Find("w:name").Attr("w:val"); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

const wordType = "application/vnd.openxmlformats-officedocument.wordprocessingml."

// addStyle adds a style, and a styles part if the document has none.
func (d *Document) addStyle(text string) error {
	if d.styles.root == nil {
		part := partBeside(d.main, "styles.xml")
		tree, err := d.pkg.NewTree(part, wordType+"styles+xml",
			`<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"></w:styles>`)
		if err != nil {
			return err
		}
		if _, err := d.pkg.Relate(d.main, "styles", part); err != nil {
			return err
		}
		d.styles.part, d.styles.root = part, tree.Root
	}
	nodes, err := d.styles.root.Fragment(text)
	if err != nil {
		return err
	}
	d.styles.root.Append(nodes...)
	d.styles.byID[nodes[0].Attr("w:styleId")] = nodes[0]
	d.pkg.Touch(d.styles.part)
	return nil
}

// heading returns the id of the heading style of a level; it adds the style if
// the document has none.
func (d *Document) heading(level int) (string, error) {
	if id, ok := d.styles.paragraph(fmt.Sprintf("heading %d", level)); ok {
		return id, nil
	}
	for _, n := range d.styles.ofKind("paragraph") {
		if id := n.Attr("w:styleId"); d.styles.level(id) == level && d.styles.name(id) != "title" {
			return id, nil
		}
	}
	id := fmt.Sprintf("Heading%d", level)
	size := max(36-4*level, 22) // half points
	return id, d.addStyle(fmt.Sprintf(`<w:style w:type="paragraph" w:styleId="%s"><w:name w:val="heading %d"/><w:qFormat/><w:pPr><w:keepNext/>`+
		`<w:spacing w:before="240" w:after="80"/><w:outlineLvl w:val="%d"/></w:pPr><w:rPr><w:b/><w:sz w:val="%d"/></w:rPr></w:style>`, id, level,
		level-1, size))
}
