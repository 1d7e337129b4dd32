package docx

import (
	"slices"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// settling accepts or refuses tracked changes.
type settling struct {
	accept bool
	author string // "" for all
	count  int
}

// settle accepts or refuses the tracked changes of all parts with text.
func (d *Document) settle(o *Operation) (int, error) {
	parts, err := d.texts()
	if err != nil {
		return 0, err
	}
	s := settling{accept: o.Op == AcceptChanges, author: o.Author}
	for _, part := range parts {
		tree, err := d.pkg.Tree(part)
		if err != nil {
			return 0, err
		}
		before := s.count
		if err := s.part(tree.Root); err != nil {
			return 0, err
		}
		if s.count > before {
			d.pkg.Touch(part)
		}
	}
	if s.count == 0 {
		whose := ""
		if o.Author != "" {
			whose = " of " + o.Author
		}
		return 0, ooxml.Invalid("Look into the document: its outline counts them, and reading it names who made them.",
			"the document has no tracked changes%s", whose)
	}
	return s.count, nil
}

// part settles the changes below root, the last first, so that what a change is in is
// still there when it is looked at.
func (s *settling) part(root *ooxml.Node) error {
	var changes []*ooxml.Node
	for n := range root.All(nil) {
		if isChange(n) && (s.author == "" || n.Attr("w:author") == s.author) {
			changes = append(changes, n)
		}
	}
	for _, n := range slices.Backward(changes) {
		if n.Parent == nil || n.Parent.Parent == nil { // the root: of a crafted file
			continue
		}
		s.count++
		if err := s.one(n); err != nil {
			return err
		}
	}
	return nil
}

func isChange(n *ooxml.Node) bool {
	switch n.Name {
	case "w:ins", "w:del", "w:moveFrom", "w:moveTo", "w:cellIns", "w:cellDel":
		return true
	}
	return strings.HasPrefix(n.Name, "w:") && strings.HasSuffix(n.Name, "Change") && n.Attr("w:author") != ""
}

func (s *settling) one(n *ooxml.Node) error {
	if strings.HasSuffix(n.Name, "Change") {
		s.look(n)
		return nil
	}
	// stays says that the content that the change is about is in the document then.
	stays := s.accept == (n.Name == "w:ins" || n.Name == "w:moveTo" || n.Name == "w:cellIns")
	holder := n.Parent
	switch {
	case holder.Name == "w:rPr" && holder.Parent.Name == "w:pPr": // of the end of a paragraph
		n.Remove()
		if !stays {
			join(holder.Parent.Parent)
		}
	case holder.Name == "w:trPr":
		n.Remove()
		if row := holder.Parent; !stays {
			dropFrom(row, "w:tbl", "w:tr")
		}
	case holder.Name == "w:tcPr":
		n.Remove()
		if cell := holder.Parent; !stays {
			dropFrom(cell, "w:tr", "w:tc")
		}
	case holder.Name == "w:rPr" || holder.Name == "w:numPr" || holder.Name == "w:ctrlPr":
		n.Remove()
	case !stays:
		n.Remove()
	default:
		if n.Name == "w:del" {
			if err := undelete(n); err != nil {
				return err
			}
		}
		inside := slices.Clone(n.Children)
		for _, c := range inside {
			c.Remove()
		}
		n.Before(inside...)
		n.Remove()
	}
	return nil
}

// undelete makes texts that were deleted plain ones again.
func undelete(del *ooxml.Node) error {
	var texts []*ooxml.Node
	for n := range del.All(nil) {
		if n.Name == "w:delText" || n.Name == "w:delInstrText" {
			texts = append(texts, n)
		}
	}
	for _, n := range texts {
		name := map[string]string{"w:delText": "w:t", "w:delInstrText": "w:instrText"}[n.Name]
		nodes, err := n.Parent.Fragment("<" + name + ` xml:space="preserve">` + ooxml.Escape(n.Text()) + "</" + name + ">")
		if err != nil {
			return err
		}
		n.Before(nodes...)
		n.Remove()
	}
	return nil
}

// look settles a change of properties: what they were is within it.
func (s *settling) look(n *ooxml.Node) {
	of := n.Parent
	n.Remove()
	if s.accept || of == nil {
		return
	}
	var old []*ooxml.Node
	for was := range n.Elements() {
		old = slices.Clone(was.Children)
		break
	}
	// What the change does not tell of stays: the properties of a paragraph's end, its
	// section, and the headers of a section.
	for c := range of.Elements() {
		switch {
		case of.Name == "w:pPr" && (c.Name == "w:rPr" || c.Name == "w:sectPr"),
			of.Name == "w:sectPr" && (c.Name == "w:headerReference" || c.Name == "w:footerReference"),
			c.Name == "w:ins", c.Name == "w:del", c.Name == "w:moveFrom", c.Name == "w:moveTo":
		default:
			c.Remove()
		}
	}
	for _, c := range old {
		c.Remove()
	}
	if of.Name == "w:sectPr" {
		of.Append(old...)
		return
	}
	of.Prepend(old...)
}

// join puts a paragraph whose end is gone before the next one.
func join(p *ooxml.Node) {
	next := sibling(p)
	var inside []*ooxml.Node
	for c := range p.Elements() {
		if c.Name != "w:pPr" {
			inside = append(inside, c)
		}
	}
	if next == nil || next.Name != "w:p" || p.Find("w:pPr", "w:sectPr") != nil {
		// A table, or the end of a cell, needs the paragraph; one without content goes.
		if len(inside) == 0 && next != nil && p.Find("w:pPr", "w:sectPr") == nil {
			p.Remove()
		}
		return
	}
	for _, c := range inside {
		c.Remove()
	}
	if pPr := next.Find("w:pPr"); pPr != nil {
		pPr.After(inside...)
	} else {
		next.Prepend(inside...)
	}
	p.Remove()
}

// sibling is the next element beside another one, marks of places aside.
func sibling(n *ooxml.Node) *ooxml.Node {
	for _, c := range n.Parent.Children[n.Index()+1:] {
		switch c.Name {
		case "", "w:bookmarkStart", "w:bookmarkEnd", "w:commentRangeStart", "w:commentRangeEnd", "w:proofErr":
		case "w:moveFromRangeStart", "w:moveFromRangeEnd", "w:moveToRangeStart", "w:moveToRangeEnd":
		default:
			return c
		}
	}
	return nil
}

// dropFrom removes a row or a cell, and what it is in if that has no other.
func dropFrom(n *ooxml.Node, holder, kind string) {
	of := n.Parent
	n.Remove()
	if of.Name == holder && of.Find(kind) == nil && of.Parent != nil {
		if holder == "w:tr" {
			dropFrom(of, "w:tbl", "w:tr")
		} else {
			of.Remove()
		}
	}
}
