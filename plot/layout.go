package plot

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// The measures of an image, in pixels of the canvas.
const (
	imageWidth  = 800
	imageHeight = 480
	edge        = 20 // around everything
	titleSize   = 16
	textSize    = 12
	lineHeight  = 18
	widestLabel = 220
	barHeight   = 14
	barGap      = 8    // between the bars of two labels
	thickestBar = 28   // where there is more room
	tallBars    = 1000 // from which bars are closer
	tightRow    = 14   // a label's height
)

// layout places a chart on a canvas.
type layout struct {
	*letters
	c             *Chart
	width, height float64
	// The corners of the field between the axes.
	left, top, right, bottom float64
	legend                   [][]int // the columns, line by line
}

func newLayout(c *Chart) (*layout, error) {
	fonts, err := newLetters()
	if err != nil {
		return nil, err
	}
	l := &layout{letters: fonts, c: c, width: float64(cmp.Or(c.Width, imageWidth)), height: float64(cmp.Or(c.Height, imageHeight))}
	l.left, l.top, l.right = edge, edge+titleSize+14, l.width-edge
	if len(c.series) > 1 {
		l.arrangeLegend()
		l.top += float64(len(l.legend)) * lineHeight
	}
	if c.kind == Bar && c.Height == 0 {
		l.height = max(imageHeight/2, l.top+l.rowsHeight()+2*lineHeight+edge)
	}
	l.bottom = l.height - edge - 2*lineHeight
	return l, nil
}

// legendGap is the room of a sign in the legend, and between two entries.
const legendGap = 16

func (l *layout) arrangeLegend() {
	l.legend = [][]int{nil}
	used := 0.0
	for n, s := range l.c.series {
		width := l.letters.width(l.legendName(s.name), textSize) + 2*legendGap
		if used > 0 && used+width > l.width-2*edge {
			l.legend = append(l.legend, nil)
			used = 0
		}
		last := len(l.legend) - 1
		l.legend[last] = append(l.legend[last], n)
		used += width
	}
}

func (l *layout) legendName(name string) string { return l.fit(name, textSize, widestLabel) }

// draw draws everything.
func (l *layout) draw(to canvas) {
	background(to, l.width, l.height)
	to.text(point{edge, edge + titleSize - 4}, l.fit(l.c.title(), titleSize, l.width-2*edge), titleSize, start, ink)
	for row, columns := range l.legend {
		x, y := float64(edge), edge+titleSize+10+float64(row)*lineHeight
		for _, n := range columns {
			name := l.legendName(l.c.series[n].name)
			to.rect(point{x, y}, point{x + 10, y + 10}, colors[n])
			to.text(point{x + legendGap, y + 10}, name, textSize, start, ink)
			x += l.letters.width(name, textSize) + 2*legendGap
		}
	}
	switch l.c.kind {
	case Bar:
		l.bars(to)
	case Hist:
		l.columns(to)
	default:
		l.points(to)
	}
}

// axes draws two axes with grid lines at the marks of y, and returns a function
// that maps values to positions.
func (l *layout) axes(to canvas, x, y scale) func(vx, vy float64) point {
	for _, t := range y.ticks {
		l.left = max(l.left, edge+l.letters.width(t.text, textSize)+8)
	}
	place := func(vx, vy float64) point {
		return point{l.left + x.part(vx)*(l.right-l.left), l.bottom - y.part(vy)*(l.bottom-l.top)}
	}
	for _, t := range y.ticks {
		at := place(x.lo, t.at)
		to.line([]point{at, {l.right, at.y}}, 1, faint)
		to.text(point{l.left - 8, at.y + 4}, t.text, textSize, end, grey)
	}
	l.axisX(to, x, func(v float64) float64 { return place(v, y.lo).x })
	return place
}

// axisX draws the lower axis with its marks and its name. A mark without room for
// its text has only a line.
func (l *layout) axisX(to canvas, x scale, place func(v float64) float64) {
	to.line([]point{{l.left, l.bottom}, {l.right, l.bottom}}, 1, grey)
	used := math.Inf(-1)
	room := (l.right-l.left)/float64(max(len(x.ticks), 1)) - 6
	for _, t := range x.ticks {
		at := place(t.at)
		to.line([]point{{at, l.bottom}, {at, l.bottom + 4}}, 1, grey)
		text := l.fit(t.text, textSize, max(room, 40))
		half := l.letters.width(text, textSize) / 2
		at = min(max(at, edge/2+half), l.width-edge/2-half)
		if at-half < used+4 {
			continue
		}
		to.text(point{at, l.bottom + lineHeight}, text, textSize, middle, grey)
		used = at + half
	}
}

func (l *layout) nameX(to canvas, name string) {
	to.text(point{(l.left + l.right) / 2, l.bottom + 2*lineHeight}, l.fit(name, textSize, l.right-l.left), textSize, middle, ink)
}

// points draws lines or points.
func (l *layout) points(to canvas) {
	place := l.axes(to, l.c.xScale(8), l.c.yScale(8))
	l.nameX(to, l.c.x)
	// The first column is drawn on top.
	for n := len(l.c.series) - 1; n >= 0; n-- {
		var run []point
		flush := func() {
			switch {
			case len(run) > 0 && len(slices.Compact(slices.Clone(run))) == 1: // no line joins it
				to.dot(run[0], 2.5, colors[n])
			case len(run) > 1:
				to.line(run, 2, colors[n])
			}
			run = nil
		}
		xs := l.c.places(l.c.series[n])
		for i, v := range l.c.series[n].values {
			switch {
			case math.IsNaN(v):
				flush()
			case l.c.kind == Scatter:
				to.dot(place(xs[i], v), 2.5, colors[n])
			default:
				run = append(run, place(xs[i], v))
			}
		}
		flush()
	}
}

// columns draws a histogram.
func (l *layout) columns(to canvas) {
	bins := l.c.bins
	_, greatest := l.c.binRows()
	y := linear(0, greatest, 8)
	x := scale{lo: bins[0].lo, hi: bins[len(bins)-1].hi}
	for _, t := range linear(x.lo, x.hi, 8).ticks {
		if t.at >= x.lo && t.at <= x.hi {
			x.ticks = append(x.ticks, t)
		}
	}
	place := l.axes(to, x, y)
	for _, b := range bins {
		a, z := place(b.lo, float64(b.count)), place(b.hi, 0)
		if b.count > 0 {
			to.rect(point{a.x + 0.5, min(a.y, z.y-1)}, point{z.x - 0.5, z.y}, colors[0])
		}
	}
	l.nameX(to, l.c.x)
}

// rowsHeight is the height of all rows of bars. If there are many, they are
// closer together, so that the image stays reasonably small.
func (l *layout) rowsHeight() float64 {
	rows, many := float64(len(l.c.labels)), float64(len(l.c.series))
	row, tight := many*barHeight+barGap, max(tightRow, many*barHeight/2+barGap/2)
	return max(min(rows*row, tallBars), rows*tight)
}

// rowHeight is the height for the bars of one label, barHeight that of one bar.
func (l *layout) rowHeight() float64 { return (l.bottom - l.top) / float64(len(l.c.labels)) }

func (l *layout) barHeight() float64 {
	row := l.rowHeight()
	return min((row-min(barGap, row/3))/float64(len(l.c.series)), thickestBar)
}

// bars draws rows of bars, each with its value.
func (l *layout) bars(to canvas) {
	x := l.c.yScale(8)
	labels := make([]string, len(l.c.labels))
	for i, label := range l.c.labels {
		labels[i] = l.fit(label, textSize, widestLabel)
		l.left = max(l.left, edge+l.letters.width(labels[i], textSize)+8)
	}
	widestValue := 0.0
	for _, s := range l.c.series {
		for _, v := range s.values {
			widestValue = max(widestValue, l.letters.width(valueText(v), textSize)+8)
		}
	}
	l.right -= widestValue
	if x.lo < 0 { // values of bars to the left are written there
		l.left += widestValue
	}
	place := func(v float64) float64 { return l.left + x.part(v)*(l.right-l.left) }
	for _, t := range x.ticks {
		to.line([]point{{place(t.at), l.top}, {place(t.at), l.bottom}}, 1, faint)
	}
	for i, label := range labels {
		row := l.top + float64(i)*l.rowHeight()
		top := row + (l.rowHeight()-float64(len(l.c.series))*l.barHeight())/2
		edgeOfLabels := l.left - 8
		if x.lo < 0 {
			edgeOfLabels -= widestValue
		}
		to.text(point{edgeOfLabels, row + l.rowHeight()/2 + 4}, label, textSize, end, ink)
		for n, s := range l.c.series {
			l.bar(to, n, s.values[i], place, top+float64(n)*l.barHeight())
		}
	}
	to.line([]point{{place(0), l.top}, {place(0), l.bottom}}, 1, grey)
	l.axisX(to, x, place)
	l.nameX(to, strings.Join(l.c.names(), ", "))
}

func (l *layout) bar(to canvas, n int, v float64, place func(float64) float64, top float64) {
	at := place(0)
	thick := l.barHeight()
	size := min(textSize-1, max(thick, 6))
	text, side := point{at + 4, top + thick/2 + size/3}, start
	if !math.IsNaN(v) {
		to.rect(point{at, top}, point{place(v), top + max(thick-2, thick*0.8)}, colors[n])
		text.x = place(v) + 4
		if v < 0 {
			text.x, side = place(v)-4, end
		}
	}
	to.text(text, valueText(v), size, side, grey)
}

// valueText is the text next to a bar.
func valueText(v float64) string {
	if math.IsNaN(v) {
		return "NULL"
	}
	return number(v)
}
