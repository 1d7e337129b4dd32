package plot

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"image/color"
	"io"
	"strconv"
	"strings"
)

// SVG draws c on w as an SVG image. Its text stays text, in the fonts of the
// viewer.
func (c *Chart) SVG(w io.Writer) error {
	l, err := newLayout(c)
	if err != nil {
		return err
	}
	s := &svg{w: bufio.NewWriter(w)}
	fmt.Fprintf(s.w, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" font-family="Go, Helvetica, Arial, 'Noto Sans', sans-serif">`+"\n",
		int(l.width), int(l.height))
	fmt.Fprintf(s.w, "<title>%s</title>\n", escaped(c.title()))
	l.draw(s)
	fmt.Fprintln(s.w, "</svg>")
	return s.w.Flush() // it returns the first error
}

// svg is a canvas of elements.
type svg struct{ w *bufio.Writer }

var _ canvas = (*svg)(nil)

func (s *svg) rect(a, b point, c color.RGBA) {
	fmt.Fprintf(s.w, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`+"\n",
		short(min(a.x, b.x)), short(min(a.y, b.y)), short(max(a.x, b.x)-min(a.x, b.x)), short(max(a.y, b.y)-min(a.y, b.y)), hex(c))
}

func (s *svg) line(through []point, width float64, c color.RGBA) {
	fmt.Fprintf(s.w, `<polyline fill="none" stroke="%s" stroke-width="%s" stroke-linejoin="round" points="`, hex(c), short(width))
	for i, p := range through {
		if i > 0 {
			_ = s.w.WriteByte(' ') // Flush returns the error
		}
		_, _ = s.w.WriteString(short(p.x) + "," + short(p.y))
	}
	fmt.Fprintln(s.w, `"/>`)
}

func (s *svg) dot(at point, radius float64, c color.RGBA) {
	fmt.Fprintf(s.w, `<circle cx="%s" cy="%s" r="%s" fill="%s"/>`+"\n", short(at.x), short(at.y), short(radius), hex(c))
}

func (s *svg) text(at point, text string, size float64, a anchor, c color.RGBA) {
	fmt.Fprintf(s.w, `<text x="%s" y="%s" font-size="%s" text-anchor="%s" fill="%s">%s</text>`+"\n",
		short(at.x), short(at.y), short(size), [...]string{"start", "middle", "end"}[a], hex(c), escaped(text))
}

// short writes a length with a tenth of a pixel.
func short(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}

func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a builder does not fail
	return b.String()
}
