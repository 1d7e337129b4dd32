package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// mostBlocks bounds the work of ordering a page.
const mostBlocks = 500

// line is a line of a page's text in the frame of its text: right is where x
// grows, down is where y grows.
type line struct {
	text           string
	left, right, y float64
	end            float64 // the height of its last letter, until the line is turned
}

// block is a run of lines that were drawn from the top down.
type block struct {
	lines                    []line
	left, right, top, bottom float64
}

// drawn reads the text of a page in the order in which it was drawn, and its
// lines with their places. Lines are nil if the places are not known, or if parts
// of the text are turned.
func (d *Document) drawn(n int) (string, []line, error) {
	opened, err := d.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: d.page(n)})
	if err != nil {
		return "", nil, err
	}
	page := opened.TextPage
	defer func() { _, _ = d.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: page}) }()
	count, err := d.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: page})
	if err != nil {
		return "", nil, err
	}
	var all, now []rune
	var lines []line
	first, last, known := -1, -1, true
	var turn *[2]float64
	end := func() {
		if first >= 0 && known {
			l, direction, ok := d.lineOf(page, first, last)
			switch {
			case !ok, direction != nil && turn != nil && (math.Abs(direction[0]-turn[0]) > 0.1 || math.Abs(direction[1]-turn[1]) > 0.1):
				known = false
			case direction != nil:
				turn = direction
			}
			l.text = string(now)
			lines = append(lines, l)
		}
		now, first = nil, -1
	}
	for i := range count.Count {
		got, err := d.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: page, Index: i})
		if err != nil {
			return "", nil, err
		}
		r := rune(got.Unicode) //nolint:gosec // a letter
		if r == 0 {
			continue
		}
		all = append(all, r)
		switch {
		case r == '\n' || r == '\r':
			end()
			continue
		case unicode.In(r, unicode.Arabic, unicode.Hebrew):
			known = false // these lines run the other way
		case !unicode.IsSpace(r):
			if last = i; first < 0 {
				first = i
			}
		}
		now = append(now, r)
	}
	end()
	if !known || turn == nil {
		return string(all), nil, nil
	}
	for i := range lines {
		lines[i].turn(*turn)
	}
	return string(all), lines, nil
}

// lineOf is where a line is on the page, and its direction; nil if it has one
// letter.
func (d *Document) lineOf(page references.FPDF_TEXTPAGE, first, last int) (l line, direction *[2]float64, ok bool) {
	from, err := d.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: page, Index: first})
	if err != nil {
		return l, nil, false
	}
	to, err := d.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: page, Index: last})
	if err != nil {
		return l, nil, false
	}
	l = line{left: from.X, right: to.X, y: from.Y, end: to.Y}
	if length := math.Hypot(to.X-from.X, to.Y-from.Y); length > 1 {
		direction = &[2]float64{(to.X - from.X) / length, (to.Y - from.Y) / length}
	}
	return l, direction, true
}

// turn brings a line into the frame in which its text runs to the right.
func (l *line) turn(d [2]float64) {
	x1, y1, x2, y2 := l.left, l.y, l.right, l.end
	l.left, l.right = x1*d[0]+y1*d[1], x2*d[0]+y2*d[1]
	l.y = x1*d[1] - y1*d[0]
}

// near is the largest distance between baselines of one line, in points.
const near = 2

// ordered is the text of lines in the order in which a page is read, or "" if
// that is how they were drawn. Blocks that were drawn from the top down stay
// together, so that columns do.
func ordered(lines []line) string {
	var blocks []block
	for _, l := range lines {
		if n := len(blocks); n > 0 && blocks[n-1].continues(l) {
			blocks[n-1].add(l)
			continue
		}
		var b block
		b.add(l)
		blocks = append(blocks, b)
	}
	if len(blocks) < 2 || len(blocks) > mostBlocks || len(lines) > 4*mostBlocks {
		return ""
	}
	blocks = apart(blocks, lines)
	changed := false
	// A line inside another block belongs to it, as does a cell drawn on its own.
	for i := 0; i < len(blocks); i++ {
		for j := range blocks {
			if i != j && len(blocks[i].lines) == 1 && len(blocks[j].lines) > 1 && blocks[j].holds(blocks[i].lines[0]) {
				blocks[j].insert(blocks[i].lines[0])
				blocks = slices.Delete(blocks, i, i+1)
				changed = true
				i--
				break
			}
		}
	}
	var text strings.Builder
	for at := 0; len(blocks) > 0; at++ {
		next := slices.IndexFunc(blocks, func(b block) bool {
			return !slices.ContainsFunc(blocks, func(other block) bool { return other.before(b) })
		})
		if next < 0 {
			return "" // they lie across each other
		}
		changed = changed || next > 0
		for k, l := range blocks[next].lines {
			if k > 0 && math.Abs(l.y-blocks[next].lines[k-1].y) < near {
				text.WriteString(" " + strings.TrimSpace(l.text))
				continue
			}
			text.WriteString("\n" + l.text)
		}
		blocks = slices.Delete(blocks, next, next+1)
	}
	if !changed {
		return ""
	}
	return text.String()
}

// continues reports whether a line goes on where a block ends: below it, or in
// its last line.
func (b *block) continues(l line) bool {
	last := b.lines[len(b.lines)-1]
	if math.Abs(l.y-last.y) < near {
		return l.left >= last.right
	}
	return l.y > last.y && l.left <= b.right && l.right >= b.left
}

func (b *block) add(l line) {
	if len(b.lines) == 0 {
		b.left, b.right, b.top, b.bottom = l.left, l.right, l.y, l.y
	}
	b.left, b.right = min(b.left, l.left), max(b.right, l.right)
	b.top, b.bottom = min(b.top, l.y), max(b.bottom, l.y)
	b.lines = append(b.lines, l)
}

// holds reports whether a line lies beside a line of a block, within its bounds.
func (b *block) holds(l line) bool {
	return l.left <= b.right && l.right >= b.left && slices.ContainsFunc(b.lines, func(other line) bool {
		return math.Abs(l.y-other.y) < near && (l.left >= other.right || l.right <= other.left)
	})
}

// apart takes blocks apart where a line of another one lies between two of theirs: it
// was drawn at another time, and is read there.
func apart(blocks []block, lines []line) (out []block) {
	for _, b := range blocks {
		var part block
		for k, l := range b.lines {
			if k > 0 && slices.ContainsFunc(lines, func(m line) bool { return m.between(b.lines[k-1], l) }) {
				out = append(out, part)
				part = block{}
			}
			part.add(l)
		}
		out = append(out, part)
	}
	return out
}

// between reports whether a line lies below one and above another.
func (l line) between(above, below line) bool {
	return l.y > above.y+near && l.y < below.y-near && l.left <= max(above.right, below.right) && l.right >= min(above.left, below.left)
}

// insert puts a line where it belongs in a block.
func (b *block) insert(l line) {
	i := slices.IndexFunc(b.lines, func(other line) bool {
		return other.y > l.y+near || math.Abs(other.y-l.y) < near && other.left > l.left
	})
	if i < 0 {
		i = len(b.lines)
	}
	b.lines = slices.Insert(b.lines, i, l)
}

// before reports whether a block is read before another one: above it, or beside
// it to the left.
func (b block) before(other block) bool {
	across, down := b.left <= other.right && b.right >= other.left, b.top <= other.bottom+near && b.bottom >= other.top-near
	return across && b.bottom < other.top-near || down && b.right < other.left
}
