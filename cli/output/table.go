package output

import (
	"fmt"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"github.com/agnes-data/da/internal/words/textwidth"
)

// table draws the grid with columns of the given widths.
func (g *grid) table(b *strings.Builder, s style, p painter, widths []int) (clipped int) {
	twwidth.SetEastAsian(false) // whatever the locale, so that both measure alike
	var drawn strings.Builder
	var measured wrongly
	t := tablewriter.NewTable(&drawn, tablewriter.WithRenderer(renderer.NewBlueprint(s.rendition())),
		tablewriter.WithConfig(g.config(s, widths)))
	line := make([]string, len(g.columns))
	for j, c := range g.columns {
		name, _ := textwidth.Clip(c.name, widths[j], s.ellipsis)
		line[j] = measured.hide(name, p.bold(p.isolated(name)))
	}
	if g.before == 0 {
		t.Header(line)
	}
	for _, row := range g.rows {
		line := make([]string, len(g.columns))
		for j, c := range row {
			text, cut := textwidth.Clip(c.text, widths[j], s.ellipsis)
			if cut || c.cut {
				clipped++
			}
			line[j] = measured.hide(text, p.value(c, text))
		}
		_ = t.Append(line) // fails for structs only
	}
	_ = t.Render() // to memory
	for line := range strings.Lines(measured.show(drawn.String())) {
		if !s.ruled { // the last column is filled, too
			line = strings.TrimRight(line, " \n")
			// tablewriter ends a coloured cell once more behind its padding.
			if bare := strings.TrimRight(strings.TrimSuffix(line, unpainted), " "); strings.HasSuffix(bare, unpainted) {
				line = bare
			}
			line += "\n"
		}
		b.WriteString(line)
	}
	return clipped
}

// wrongly holds texts that tablewriter would measure wrongly: it adds up code
// points, and terminals join some of them. Letters of the right number stand for
// such a text while the table is drawn.
type wrongly []string

// standIn is a sign that no shown text has, since control characters are escaped.
const standIn = "\x01"

// hide returns shown. If tablewriter measures text wrongly, it returns letters of the
// right number instead, which show replaces.
func (m *wrongly) hide(text, shown string) string {
	if twwidth.Width(text) == textwidth.Of(text) {
		return shown
	}
	*m = append(*m, shown)
	return standIn + strings.Repeat("~", textwidth.Of(text))
}

func (m *wrongly) show(drawn string) string {
	var b strings.Builder
	for _, shown := range *m {
		before, after, _ := strings.Cut(drawn, standIn)
		b.WriteString(before)
		b.WriteString(shown)
		drawn = strings.TrimLeft(after, "~")
	}
	return b.String() + drawn
}

// config lets tablewriter change no text: all are clipped and escaped before.
func (g *grid) config(s style, widths []int) tablewriter.Config {
	cells := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
		Padding:    tw.CellPadding{Global: s.padding},
	}
	each := tw.NewMapper[int, int]()
	for j, c := range g.columns {
		align := tw.AlignLeft
		if c.right {
			align = tw.AlignRight
		}
		cells.Alignment.PerColumn = append(cells.Alignment.PerColumn, align)
		each.Set(j, widths[j]+len(s.padding.Left+s.padding.Right))
	}
	return tablewriter.Config{Header: cells, Row: cells, Widths: tw.CellWidth{PerColumn: each},
		Behavior: tw.Behavior{TrimSpace: tw.Off, TrimLine: tw.Off, TrimTab: tw.Off}}
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
		title := fmt.Sprintf("%s[ row %d ]", s.line, g.before+i+1)
		b.WriteString(p.dim(title+strings.Repeat(s.line, max(width-textwidth.Of(title), 0))) + "\n")
		for j, c := range row {
			lines, cut := textwidth.Wrap(c.text, valueWidth, maxValueLines, s.ellipsis)
			if cut || c.cut {
				clipped++
			}
			for n, line := range lines {
				name := ""
				if n == 0 {
					name = names[j]
				}
				b.WriteString(p.bold(p.isolated(name) + strings.Repeat(" ", max(nameWidth-textwidth.Of(name), 0))))
				b.WriteString(strings.TrimRight(bar+p.value(c, line), " ") + "\n")
			}
		}
	}
	return clipped
}
