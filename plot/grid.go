package plot

import (
	"math"
	"strings"
)

// grid is the area between the axes of a text plot. A fine grid has 2 × 4 Braille
// dots per cell, so columns differ only in colour; otherwise each cell has one
// sign.
type grid struct {
	columns, lines int
	fine           bool
	dots           []uint8 // for a fine grid: the dots that are set
	signs          []int8  // the number of the column plus 1
}

func newGrid(columns, lines int, fine bool) *grid {
	return &grid{columns: columns, lines: lines, fine: fine, dots: make([]uint8, columns*lines), signs: make([]int8, columns*lines)}
}

// size is the number of dots across and down.
func (g *grid) size() (across, down int) {
	if g.fine {
		return g.columns * 2, g.lines * 4
	}
	return g.columns, g.lines
}

// braille is the bit of each dot of a cell, by column and line.
var braille = [2][4]uint8{{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}

func (g *grid) set(n, x, y int) {
	cell := y*g.columns + x
	if g.fine {
		cell = y/4*g.columns + x/2
		g.dots[cell] |= braille[x%2][y%4]
	}
	if g.signs[cell] == 0 { // the first column is drawn on top
		g.signs[cell] = int8(n + 1) //nolint:gosec // a chart has at most 8
	}
}

// draw draws the values of a column as points and, for a line, connects them.
func (g *grid) draw(c *Chart, n int, s series, x, y scale) {
	across, down := g.size()
	lastX, lastY, open := 0, 0, false
	xs := c.places(s)
	for i, v := range s.values {
		if math.IsNaN(v) {
			open = false // a gap
			continue
		}
		px := min(int(x.part(xs[i])*float64(across)), across-1)
		py := int(math.Round((1 - y.part(v)) * float64(down-1)))
		if c.kind == Line && open {
			g.segment(n, lastX, lastY, px, py)
		} else {
			g.set(n, px, py)
		}
		lastX, lastY, open = px, py, true
	}
}

// segment sets the dots from one to another.
func (g *grid) segment(n, x0, y0, x1, y1 int) {
	steps := max(x1-x0, x0-x1, y1-y0, y0-y1, 1)
	for i := range steps + 1 {
		part := float64(i) / float64(steps)
		g.set(n, x0+int(math.Round(part*float64(x1-x0))), y0+int(math.Round(part*float64(y1-y0))))
	}
}

// text returns a line of the grid. Adjacent cells of one colour are painted
// together.
func (g *grid) text(p *pen, line int) string {
	var b strings.Builder
	run, of := "", -1
	for column := range g.columns {
		text, n := g.cell(line*g.columns + column)
		if n != of {
			b.WriteString(p.cells(of, run))
			run, of = "", n
		}
		run += text
	}
	if of >= 0 {
		b.WriteString(p.cells(of, run))
	}
	return b.String()
}

// cell is the content of a cell and the index of its column, or -1.
func (g *grid) cell(at int) (text string, n int) {
	switch {
	case g.fine && g.dots[at] != 0:
		return string(rune(0x2800 + int(g.dots[at]))), int(g.signs[at]) - 1
	case !g.fine && g.signs[at] != 0:
		n = int(g.signs[at]) - 1
		return signs.points[n], n
	}
	return " ", -1
}

// cells paints neighbours of a column of the chart.
func (p *pen) cells(n int, s string) string {
	if n < 0 {
		return s
	}
	return p.series(n, s)
}
