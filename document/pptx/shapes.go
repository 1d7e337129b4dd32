package pptx

import (
	"github.com/agnes-data/da/document/ooxml"
)

// skipped reports whether the content below an element is not shown, or repeats
// other content.
func skipped(n *ooxml.Node) bool {
	switch n.Name {
	case "mc:Fallback", "p:extLst", "a:extLst":
		return true
	}
	return false
}

// shapes lists the shapes on a slide, including those in groups, in the order of
// the file.
func shapes(root *ooxml.Node) []*ooxml.Node {
	var out []*ooxml.Node
	for n := range root.Find("p:cSld", "p:spTree").All(skipped) {
		switch n.Name {
		case "p:sp", "p:pic", "p:graphicFrame":
			out = append(out, n)
		}
	}
	return out
}

// placeholder returns the element that makes a shape a placeholder, or nil if it
// is not one.
func placeholder(shape *ooxml.Node) *ooxml.Node {
	for _, props := range []string{"p:nvSpPr", "p:nvPicPr", "p:nvGraphicFramePr"} {
		if ph := shape.Find(props, "p:nvPr", "p:ph"); ph != nil {
			return ph
		}
	}
	return nil
}

// role returns the purpose of a shape: "title", "body", another kind of
// placeholder, or "" for a shape that is not a placeholder.
func role(shape *ooxml.Node) string {
	ph := placeholder(shape)
	if ph == nil {
		return ""
	}
	switch kind := ph.Attr("type"); kind {
	case "ctrTitle":
		return "title"
	case "", "obj", "subTitle":
		return "body"
	default:
		return kind
	}
}

// first returns the first shape with that role, or nil if there is none.
func first(root *ooxml.Node, want string) *ooxml.Node {
	for _, s := range shapes(root) {
		if role(s) == want && s.Name == "p:sp" {
			return s
		}
	}
	return nil
}

// segments returns the pieces of a paragraph's text.
func segments(paragraph *ooxml.Node) []ooxml.Segment {
	var out []ooxml.Segment
	for n := range paragraph.All(func(n *ooxml.Node) bool { return n.Name == "a:pPr" || n.Name == "a:rPr" || skipped(n) }) {
		switch n.Name {
		case "a:t":
			out = append(out, ooxml.Segment{Node: n, Text: n.Text()})
		case "a:br":
			out = append(out, ooxml.Segment{Node: n, Text: "\n", Fixed: true})
		}
	}
	return out
}

func textOf(paragraph *ooxml.Node) string { return ooxml.Joined(segments(paragraph)) }

// lines returns the texts of the paragraphs in n.
func lines(n *ooxml.Node) []string {
	var out []string
	for p := range n.All(skipped) {
		if p.Name == "a:p" {
			out = append(out, textOf(p))
		}
	}
	return out
}

// frame is where a shape is, in EMU.
type frame struct{ x, y, width, height int }

// frameOf is where a shape is: by itself, or as its placeholder in the layout or
// the master says.
func (p *Presentation) frameOf(slide string, shape *ooxml.Node) (frame, bool, error) {
	if f, ok := ownFrame(shape); ok {
		return f, true, nil
	}
	ph := placeholder(shape)
	part := slide
	for _, kind := range []string{"slideLayout", "slideMaster"} {
		above, root, err := p.related(part, kind)
		if err != nil || root == nil || ph == nil {
			return frame{}, false, err
		}
		for _, s := range shapes(root) {
			other := placeholder(s)
			same := other.Attr("idx") == ph.Attr("idx") && kind == "slideLayout" || other != nil && role(s) == role(shape) && kind == "slideMaster"
			if f, ok := ownFrame(s); ok && other != nil && same {
				return f, true, nil
			}
		}
		part = above
	}
	return frame{}, false, nil
}

func ownFrame(shape *ooxml.Node) (frame, bool) {
	x := shape.Find("p:spPr", "a:xfrm")
	if x == nil {
		x = shape.Find("p:xfrm")
	}
	if x == nil {
		return frame{}, false
	}
	off, ext := x.Find("a:off"), x.Find("a:ext")
	return frame{off.Int("x", 0), off.Int("y", 0), ext.Int("cx", 0), ext.Int("cy", 0)}, ext != nil
}

// size is how large slides are, in EMU.
func (p *Presentation) size() (width, height int) {
	n := p.root.Find("p:sldSz")
	return n.Int("cx", 9_144_000), n.Int("cy", 6_858_000)
}
