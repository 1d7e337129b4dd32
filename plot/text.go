package plot

import (
	"io"
	"math"
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/words/textwidth"
)

// TextOptions say what the terminal supports.
type TextOptions struct {
	// Width and Height are the maximum columns and lines of the plot; 0 means 80
	// and 20. Each bar takes a line, however many there are.
	Width, Height int
	// Most limits the width of bars on a wide screen; 0 means no limit.
	Most int
	// Terminal says that the plot goes to a terminal, Color that colours are
	// allowed, ASCII that only ASCII is.
	Terminal, Color, ASCII bool
}

// signs distinguish the columns of a chart without colours.
var signs = struct{ bars, asciiBars, points []string }{
	bars:      []string{"█", "▒", "▓", "░", "#", "=", "+", "-"},
	asciiBars: []string{"#", "=", "+", "-", "o", "x", "*", "%"},
	points:    []string{"*", "+", "o", "x", "#", "@", "%", "="},
}

// textColors are the colours of the columns. They are readable on dark and light
// backgrounds, so they exclude white and black.
var textColors = []string{"34", "33", "32", "35", "31", "36", "94", "90"}

// pen builds a text plot.
type pen struct {
	TextOptions
	b   strings.Builder
	cut int // number of labels that were cut
}

// Text draws c on w and returns how many labels were cut.
func (c *Chart) Text(w io.Writer, o TextOptions) (cut int, err error) {
	if o.Width <= 0 {
		o.Width = 80
	}
	if o.Most > 0 && (c.kind == Bar || c.kind == Hist) {
		o.Width = min(o.Width, o.Most)
	}
	if o.Height <= 0 {
		o.Height = 20
	}
	p := &pen{TextOptions: o}
	title, _ := p.fit(c.title(), o.Width)
	p.b.WriteString(p.bold(title) + "\n")
	switch c.kind {
	case Bar:
		p.bars(c.barRows(), c.yScale(1000), len(c.series))
	case Hist:
		rows, counts := c.binRows()
		p.bars(rows, linear(0, counts, 1000), 1)
	default:
		p.field(c)
	}
	if len(c.series) > 1 {
		p.legend(c)
	}
	_, err = io.WriteString(w, p.b.String())
	return p.cut, err
}

// barRow is a label with its bars.
type barRow struct {
	label  string
	values []float64
}

func (c *Chart) barRows() []barRow {
	rows := make([]barRow, len(c.labels))
	for i, label := range c.labels {
		rows[i].label = label
		for _, s := range c.series {
			rows[i].values = append(rows[i].values, s.values[i])
		}
	}
	return rows
}

func (c *Chart) binRows() (rows []barRow, greatest float64) {
	for _, b := range c.bins {
		rows = append(rows, barRow{b.label(), []float64{float64(b.count)}})
		greatest = max(greatest, float64(b.count))
	}
	return rows, greatest
}

func (p *pen) mark() string {
	if p.ASCII {
		return "..."
	}
	return "…"
}

// fit cuts s to a width.
func (p *pen) fit(s string, width int) (text string, cut bool) {
	text, cut = textwidth.Clip(s, width, p.mark())
	if p.Terminal {
		text = textwidth.Isolate(text)
	}
	return text, cut
}

// label is s in a field of its width, aligned to the right.
func (p *pen) label(s string, width int) string {
	text, cut := p.fit(s, width)
	if cut {
		p.cut++
	}
	return strings.Repeat(" ", max(width-textwidth.Of(text), 0)) + text
}

func (p *pen) bold(s string) string { return p.paint("1", s) }

func (p *pen) paint(code, s string) string {
	if !p.Color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// series paints s in the colour of a column.
func (p *pen) series(n int, s string) string { return p.paint(textColors[n%len(textColors)], s) }

// legend says which sign is which column.
func (p *pen) legend(c *Chart) {
	used := 0
	for n, s := range c.series {
		sign := signs.points[n]
		switch {
		case c.kind == Bar:
			sign = p.barSign(n)
		case p.fine(c):
			sign = "⣿"
		}
		name, _ := p.fit(s.name, max(p.Width/2, 10))
		width := textwidth.Of(sign) + 1 + textwidth.Of(name)
		switch {
		case used > 0 && used+3+width > p.Width:
			p.b.WriteByte('\n')
			used = 0
		case used > 0:
			p.b.WriteString("   ")
			used += 3
		}
		p.b.WriteString(p.series(n, sign) + " " + name)
		used += width
	}
	p.b.WriteByte('\n')
}

func (p *pen) barSign(n int) string {
	if p.ASCII {
		return signs.asciiBars[n%len(signs.asciiBars)]
	}
	return signs.bars[n%len(signs.bars)]
}

// bars draws rows of bars that run to the right of zero, or to its left.
func (p *pen) bars(rows []barRow, s scale, many int) {
	lo, hi := 0.0, 0.0
	labelWidth, valueWidth := 0, 4
	for _, r := range rows {
		labelWidth = max(labelWidth, textwidth.Of(r.label))
		for _, v := range r.values {
			if !math.IsNaN(v) {
				lo, hi = min(lo, v), max(hi, v)
				valueWidth = max(valueWidth, textwidth.Of(number(v)))
			}
		}
	}
	s.lo, s.hi = lo, hi // the longest bar takes all the room
	if lo == hi {
		s.hi = 1
	}
	labelWidth = min(labelWidth, max(p.Width/3, 8))
	room := max(p.Width-labelWidth-valueWidth-4, 8)
	left := int(math.Round(s.part(0) * float64(room)))
	if lo < 0 {
		left = max(left, 1)
	}
	if hi > 0 {
		left = min(left, room-1)
	}
	axis := "│"
	if p.ASCII {
		axis = "|"
	}
	perSide := func(v float64) float64 { // the length of a bar, in columns
		if v < 0 {
			return v / lo * float64(left)
		}
		return v / s.hi * float64(room-left)
	}
	for _, r := range rows {
		for n, v := range r.values {
			name := r.label
			if n > 0 {
				name = ""
			}
			line := p.label(name, labelWidth) + " "
			text, length := valueText(v), 0.0
			if !math.IsNaN(v) {
				length = perSide(v)
			}
			bar := p.bar(n, length, many == 1 && !p.ASCII && v >= 0)
			width := textwidth.Of(bar)
			if v < 0 {
				line += strings.Repeat(" ", left-width) + p.series(n, bar) + axis + " " + text
			} else {
				line += strings.Repeat(" ", left) + axis + p.series(n, bar) + " " + text
			}
			p.b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
}

// eighths are the characters for the partly filled end of a bar.
var eighths = []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}

// bar returns a bar of a length in columns; any value except zero is visible.
func (p *pen) bar(n int, length float64, fine bool) string {
	sign := p.barSign(n)
	if !fine {
		whole := int(math.Round(length))
		if length > 0 {
			whole = max(whole, 1)
		}
		return strings.Repeat(sign, whole)
	}
	parts := int(math.Round(length * 8))
	if length > 0 {
		parts = max(parts, 1)
	}
	return strings.Repeat(sign, parts/8) + eighths[parts%8]
}

// widest is the width of the widest text of an axis.
func widest(ticks []tick) int {
	width := 0
	for _, t := range ticks {
		width = max(width, textwidth.Of(t.text))
	}
	return width
}

// fine reports whether lines and points are drawn as dots, where only colours
// distinguish columns.
func (p *pen) fine(c *Chart) bool { return !p.ASCII && (len(c.series) == 1 || p.Color) }

// field draws lines or points between two axes.
func (p *pen) field(c *Chart) {
	y := c.yScale(max(p.Height/4, 2))
	margin := min(widest(y.ticks), p.Width/3)
	columns, lines := max(p.Width-margin-3, 8), p.Height
	x := c.xScale(max(columns/16, 2))
	g := newGrid(columns, lines, p.fine(c))
	for n, s := range c.series {
		g.draw(c, n, s, x, y)
	}
	p.frame(g, x, y, margin)
}

// frame writes the grid with its axes.
func (p *pen) frame(g *grid, x, y scale, margin int) {
	at := map[int]string{}
	for _, t := range y.ticks {
		line := int(math.Round((1 - y.part(t.at)) * float64(g.lines-1)))
		if _, taken := at[line]; !taken {
			at[line] = t.text
		}
	}
	bar, mark, corner, rule, down := "│", "┤", "└", "─", "┬"
	if p.ASCII {
		bar, mark, corner, rule, down = "|", "+", "+", "-", "+"
	}
	for line := range g.lines {
		edge := bar
		text, marked := at[line]
		if marked {
			edge = mark
		}
		p.b.WriteString(strings.TrimRight(p.label(text, margin)+" "+edge+g.text(p, line), " ") + "\n")
	}
	axis := slices.Repeat([]string{rule}, g.columns)
	var below strings.Builder
	used := 0
	for _, t := range x.ticks {
		column := min(int(x.part(t.at)*float64(g.columns)), g.columns-1)
		room := g.columns + margin + 2 - column
		start := max(column-textwidth.Of(t.text)/2+margin+2, 0)
		text, cut := p.fit(t.text, min(room, max(g.columns/max(len(x.ticks), 1)-2, 6)))
		if cut {
			start = column + margin + 2
		}
		start = min(start, max(margin+2+g.columns-textwidth.Of(text), 0))
		axis[column] = down
		if used > 0 && start <= used {
			continue // keep the mark without its text
		}
		if cut {
			p.cut++
		}
		below.WriteString(strings.Repeat(" ", start-used) + text)
		used = start + textwidth.Of(text)
	}
	p.b.WriteString(strings.Repeat(" ", margin) + " " + corner + strings.Join(axis, "") + "\n")
	p.b.WriteString(below.String() + "\n")
}
