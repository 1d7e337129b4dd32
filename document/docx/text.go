package docx

import (
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// aside reports whether an element contains no text of the paragraph around it:
// paragraphs of its own, deleted text, or the alternative form of other content.
func aside(n *ooxml.Node) bool {
	switch n.Name {
	case "w:pPr", "w:rPr", "w:del", "w:moveFrom", "w:txbxContent", "w:drawing", "w:pict", "mc:Fallback", "w:rt", "w:instrText", "w:sdtPr":
		return true
	}
	return false
}

// segments returns the pieces of a paragraph's text.
func segments(p *ooxml.Node) []ooxml.Segment {
	var out []ooxml.Segment
	for n := range p.All(aside) {
		if text, ok := worth(n); ok && (text != "" || n.Name == "w:t") {
			out = append(out, ooxml.Segment{Node: n, Text: text, Fixed: n.Name != "w:t"})
		}
	}
	return out
}

// worth returns the text that an element of a run contains or represents.
func worth(n *ooxml.Node) (string, bool) {
	switch n.Name {
	case "w:t":
		return n.Text(), true
	case "w:tab", "w:ptab":
		return "\t", true
	case "w:br", "w:cr":
		if t := n.Attr("w:type"); t == "" || t == "textWrapping" {
			return "\n", true
		}
		return "", true
	case "w:noBreakHyphen":
		return "\u2011", true
	}
	return "", false
}

// textOf returns the text of a paragraph.
func textOf(p *ooxml.Node) string { return ooxml.Joined(segments(p)) }

// setText gives the element of a text another one. Tabs and line ends become
// elements of their own behind it.
func setText(n *ooxml.Node, text string) error {
	if !strings.ContainsAny(text, "\t\n") {
		n.Set("xml:space", "preserve")
		n.SetText(strings.TrimSuffix(text, "\r"))
		return nil
	}
	nodes, err := n.Parent.Fragment(textElements(text))
	if err != nil {
		return err
	}
	n.After(nodes...)
	n.Remove()
	return nil
}

// textElements returns text as elements of a run.
func textElements(text string) string {
	var b strings.Builder
	for rest := text; ; {
		i := strings.IndexAny(rest, "\t\n")
		piece := rest
		if i >= 0 {
			piece = rest[:i]
		}
		if piece != "" || text == "" {
			b.WriteString(`<w:t xml:space="preserve">` + ooxml.Escape(strings.TrimSuffix(piece, "\r")) + `</w:t>`)
		}
		if i < 0 {
			return b.String()
		}
		if rest[i] == '\t' {
			b.WriteString(`<w:tab/>`)
		} else {
			b.WriteString(`<w:br/>`)
		}
		rest = rest[i+1:]
	}
}

// blocks lists the paragraphs and tables in n in reading order, including those
// in content controls and other wrappers.
func blocks(n *ooxml.Node) []*ooxml.Node {
	var out []*ooxml.Node
	for c := range n.Elements() {
		switch c.Name {
		case "w:p", "w:tbl":
			out = append(out, c)
		case "w:del", "w:moveFrom", "mc:Fallback", "w:sectPr", "w:sdtPr":
		default:
			out = append(out, blocks(c)...)
		}
	}
	return out
}
