package pptx

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// Read returns a slide as Markdown: its title, texts, tables, the data of charts,
// notes and comments. The title comes first, then the other content in the order in which
// it was added to the slide.
func (p *Presentation) Read(index int) (string, error) {
	part, root, err := p.slide(index)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	heading := strings.TrimSpace(fmt.Sprintf("## Slide %d: %s", index, strings.ReplaceAll(title(root), "\n", " ")))
	heading = strings.TrimSuffix(heading, ":")
	if root.Attr("show") == "0" {
		heading += " (hidden)"
	}
	b.WriteString(heading + "\n")
	titled := first(root, "title")
	for _, shape := range shapes(root) {
		if shape == titled {
			continue
		}
		text, err := p.shape(part, shape)
		if err != nil {
			return "", err
		}
		if text != "" {
			b.WriteString("\n" + text + "\n")
		}
	}
	notes, err := p.notes(part)
	if err != nil {
		return "", err
	}
	if notes != "" {
		b.WriteString("\n> Notes: " + strings.ReplaceAll(notes, "\n", "\n> ") + "\n")
	}
	comments, err := p.comments(part)
	for _, c := range comments {
		b.WriteString("\n> Comment of " + strings.ReplaceAll(c, "\n", "\n> ") + "\n")
	}
	return b.String(), err
}

// ReadAll returns all slides as Markdown, or the first ones that make more than so
// many bytes.
func (p *Presentation) ReadAll(most int) (string, error) {
	var b strings.Builder
	for i := range p.slides {
		if b.Len() > most {
			break
		}
		text, err := p.Read(i)
		if err != nil {
			return "", err
		}
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// shape returns the content of a shape as Markdown, or "" if it has none.
func (p *Presentation) shape(part string, shape *ooxml.Node) (string, error) {
	switch {
	case role(shape) == "dt" || role(shape) == "ftr" || role(shape) == "sldNum":
		return "", nil // the same on every slide
	case shape.Name == "p:pic":
		rel, _ := p.pkg.Target(part, shape.Find("p:blipFill", "a:blip").Attr("r:embed"))
		text := strings.ReplaceAll(shape.Find("p:nvPicPr", "p:cNvPr").Attr("descr"), "\n", " ")
		return "![" + text + "](" + rel.Target + ")", nil
	case table(shape) != nil:
		return ooxml.MarkdownTable(cells(table(shape))), nil
	case chart(shape) != nil:
		return p.chart(part, chart(shape).Attr("r:id"))
	case shape.Name == "p:graphicFrame":
		return p.diagram(part, shape)
	}
	bullets := role(shape) == "body" && placeholder(shape).Attr("type") != "subTitle"
	return paragraphs(shape.Find("p:txBody"), bullets), nil
}

// paragraphs returns texts as Markdown. In a body, paragraphs are bullets unless
// they say otherwise; in other shapes, only if they say so.
func paragraphs(body *ooxml.Node, bullets bool) string {
	var out []string
	for n := range body.Elements() {
		text := strings.TrimSpace(textOf(n))
		if n.Name != "a:p" || text == "" {
			continue
		}
		props := n.Find("a:pPr")
		level := min(max(props.Int("lvl", 0), 0), 8)
		indent := strings.Repeat("   ", level)
		label := ""
		switch {
		case props.Find("a:buAutoNum") != nil:
			label = "1. "
		case props.Find("a:buNone") == nil && (bullets || props.Find("a:buChar") != nil):
			label = "- "
		}
		out = append(out, indent+label+strings.ReplaceAll(text, "\n", "\n"+indent+"  "))
	}
	return strings.Join(out, "\n")
}

// cells returns the texts of a table. A merged cell has its text only once.
func cells(tbl *ooxml.Node) [][]string {
	var rows [][]string
	for tr := range tbl.Elements() {
		if tr.Name != "a:tr" {
			continue
		}
		var row []string
		for tc := range tr.Elements() {
			if tc.Name == "a:tc" {
				row = append(row, strings.TrimSpace(strings.Join(lines(tc), "\n")))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// chart returns the title of a chart and the figures from which it was last
// drawn.
func (p *Presentation) chart(part, id string) (string, error) {
	rel, ok := p.pkg.Target(part, id)
	if !ok || !p.pkg.Has(rel.Target) {
		return "(chart)", nil
	}
	root, err := p.rootOf(rel.Target)
	if err != nil {
		return "", err
	}
	heading := strings.TrimSpace("Chart: " + strings.Join(lines(root.Find("c:chart", "c:title")), " "))
	rows := [][]string{{""}}
	for n := range root.All(nil) {
		if n.Name != "c:ser" {
			continue
		}
		names, values := points(n.Find("c:cat")), points(n.Find("c:val"))
		if len(values) == 0 {
			names, values = points(n.Find("c:xVal")), points(n.Find("c:yVal"))
		}
		label := strings.Join(points(n.Find("c:tx")), " ")
		rows[0] = append(rows[0], label)
		for i, v := range values {
			if i+1 == len(rows) {
				name := fmt.Sprint(i + 1)
				if i < len(names) {
					name = names[i]
				}
				rows = append(rows, []string{name})
			}
			for len(rows[i+1]) < len(rows[0])-1 {
				rows[i+1] = append(rows[i+1], "")
			}
			rows[i+1] = append(rows[i+1], v)
		}
	}
	if len(rows) == 1 {
		return heading, nil
	}
	return heading + "\n\n" + ooxml.MarkdownTable(rows), nil
}

// maxPoints bounds the figures of one series.
const maxPoints = 10_000

// points returns the cached values of a chart's range, in order.
func points(n *ooxml.Node) []string {
	var out []string
	for pt := range n.All(nil) {
		if pt.Name != "c:pt" {
			continue
		}
		at := pt.Int("idx", len(out))
		for len(out) < min(at, maxPoints) {
			out = append(out, "") // a point without a value
		}
		if at == len(out) && at < maxPoints {
			out = append(out, pt.Find("c:v").Text())
		}
	}
	if out == nil && n.Find("c:v") != nil {
		out = append(out, n.Find("c:v").Text())
	}
	return out
}

// diagram returns the text of a diagram, which is in a separate part.
func (p *Presentation) diagram(part string, shape *ooxml.Node) (string, error) {
	for n := range shape.Find("a:graphic", "a:graphicData").Elements() {
		rel, ok := p.pkg.Target(part, n.Attr("r:dm"))
		if !ok || !p.pkg.Has(rel.Target) {
			continue
		}
		root, err := p.rootOf(rel.Target)
		if err != nil {
			return "", err
		}
		var out []string
		for _, line := range lines(root) {
			if text := strings.TrimSpace(line); text != "" {
				out = append(out, "- "+strings.ReplaceAll(text, "\n", " "))
			}
		}
		return strings.Join(out, "\n"), nil
	}
	return "", nil
}
