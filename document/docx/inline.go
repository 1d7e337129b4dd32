package docx

import (
	"slices"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// span is a piece of text with uniform formatting.
type span struct {
	text         string
	bold, italic bool
	link         string
}

// inline returns the text and formatting of a paragraph as Markdown.
func (w *writer) inline(p *ooxml.Node) string {
	var spans []span
	w.collect(p, span{}, &spans)
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.markdown())
	}
	return b.String()
}

func (s span) markdown() string {
	inner := strings.TrimSpace(s.text)
	if inner == "" || !s.bold && !s.italic && s.link == "" {
		return s.text
	}
	mark := ""
	if s.bold {
		mark = "**"
	}
	if s.italic {
		mark += "*"
	}
	lead := s.text[:strings.Index(s.text, inner)]
	tail := s.text[len(lead)+len(inner):]
	inner = mark + inner + mark
	if s.link != "" {
		inner = "[" + inner + "](" + s.link + ")"
	}
	return lead + inner + tail
}

// collect adds the spans below n, which has the format of like.
func (w *writer) collect(n *ooxml.Node, like span, out *[]span) {
	for c := range n.Elements() {
		s := like
		switch c.Name {
		case "w:r":
			if on(c.Find("w:rPr", "w:vanish")) {
				w.d.Hidden++
			}
			s.bold, s.italic = !w.plain && on(c.Find("w:rPr", "w:b")), !w.plain && on(c.Find("w:rPr", "w:i"))
			w.collect(c, s, out)
		case "w:hyperlink":
			if rel, ok := w.d.pkg.Target(w.d.main, c.Attr("r:id")); ok && rel.External {
				s.link = rel.Target
			}
			w.collect(c, s, out)
		case "w:footnoteReference", "w:endnoteReference":
			ref := note{strings.TrimSuffix(strings.TrimPrefix(c.Name, "w:"), "Reference") + "s", c.Attr("w:id")}
			if !slices.Contains(w.notes, ref) {
				w.notes = append(w.notes, ref)
			}
			add(out, span{text: "[^" + ref.label() + "]"})
		case "w:drawing", "v:imagedata":
			if part, text, ok := w.d.picture(c); ok {
				add(out, span{text: "![" + strings.ReplaceAll(text, "\n", " ") + "](" + part + ")"})
			}
			for e := range c.All(nil) {
				if rel, ok := w.d.pkg.Target(w.d.main, e.Attr("r:id")); ok && e.Name == "c:chart" {
					add(out, span{text: "(" + w.d.pkg.ChartIn(rel.Target) + ")"})
				}
			}
		case "w:pict", "w:object":
			w.collect(c, s, out)
		case "m:t":
			s.text = c.Text()
			add(out, s)
		default:
			if text, ok := worth(c); ok {
				s.text = text
				add(out, s)
			} else if !aside(c) {
				w.collect(c, s, out)
			}
		}
	}
}

// add joins a span to the last one if both look alike.
func add(out *[]span, s span) {
	if n := len(*out); n > 0 {
		last := &(*out)[n-1]
		if last.bold == s.bold && last.italic == s.italic && last.link == s.link {
			last.text += s.text
			return
		}
	}
	*out = append(*out, s)
}
