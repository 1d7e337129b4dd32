package output

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/internal/words/textwidth"
)

// table draws the grid with columns of the given widths.
func (g *grid) table(b *strings.Builder, s style, p painter, widths []int) (clipped int) {
	s.rule(b, s.top, widths)
	for j, c := range g.columns {
		b.WriteString(s.separator(j))
		name, _ := textwidth.Clip(c.name, widths[j], s.ellipsis)
		b.WriteString(p.bold(p.cell(cell{text: name}, widths[j], g.align(s, j))))
	}
	b.WriteString(s.right + "\n")
	s.rule(b, s.middle, widths)
	for _, row := range g.rows {
		for j, c := range row {
			text, cut := textwidth.Clip(c.text, widths[j], s.ellipsis)
			if cut || c.cut {
				clipped++
			}
			b.WriteString(s.separator(j))
			b.WriteString(p.cell(cell{text: text, null: c.null}, widths[j], g.align(s, j)))
		}
		b.WriteString(s.right + "\n")
	}
	s.rule(b, s.bottom, widths)
	return clipped
}

// separator returns what precedes column j.
func (s style) separator(j int) string {
	if j == 0 {
		return s.left
	}
	return s.gap
}

// align returns the alignment of column j.
func (g *grid) align(s style, j int) alignment {
	switch {
	case g.columns[j].right:
		return toRight
	case j == len(g.columns)-1 && s.right == "":
		return ragged
	}
	return toLeft
}

// Limits for records: the minimum width of names and values, and the maximum
// number of lines per value.
const (
	minNameWidth  = 6
	minValueWidth = 10
	maxValueLines = 8
)

// records draws each row as a list of names and values, for results that are too
// wide for a table.
func (g *grid) records(b *strings.Builder, s style, p painter, width int) (clipped int) {
	bar := " " + s.bar + " "
	names := make([]string, len(g.columns))
	nameWidth, most := 0, max(min(width/2, width-textwidth.Of(bar)-minValueWidth), minNameWidth)
	for j, c := range g.columns {
		names[j], _ = textwidth.Clip(c.name, most, s.ellipsis)
		nameWidth = max(nameWidth, textwidth.Of(names[j]))
	}
	valueWidth := max(width-textwidth.Of(bar)-nameWidth, minValueWidth)
	for i, row := range g.rows {
		title := fmt.Sprintf("%s[ row %d ]", s.line, i+1)
		b.WriteString(p.dim(title+strings.Repeat(s.line, max(width-textwidth.Of(title), 0))) + "\n")
		for j, c := range row {
			lines, cut := textwidth.Wrap(c.text, valueWidth, maxValueLines, s.ellipsis)
			if cut || c.cut {
				clipped++
			}
			for n, line := range lines {
				name := cell{}
				if n == 0 {
					name.text = names[j]
				}
				b.WriteString(p.bold(p.cell(name, nameWidth, toLeft)))
				b.WriteString(strings.TrimRight(bar+p.cell(cell{text: line, null: c.null}, 0, ragged), " ") + "\n")
			}
		}
	}
	return clipped
}
