package plot

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
)

// density is how many pixels of a PNG image are one of the canvas across.
const density = 2

// PNG draws c on w as a PNG image. notes say which characters its font cannot
// show.
func (c *Chart) PNG(w io.Writer) (notes []api.Caveat, err error) {
	l, err := newLayout(c)
	if err != nil {
		return nil, err
	}
	p := &pixels{image: image.NewRGBA(image.Rect(0, 0, int(l.width)*density, int(l.height)*density)), letters: l.letters}
	l.draw(p)
	if p.missing > 0 {
		notes = append(notes, api.Caveat{Kind: api.CaveatOther,
			Text: humanize.Plural(p.missing, "character is", "characters are") + " not in the font of PNG images, and shown as boxes",
			Next: []api.Step{api.SetTo(api.OptionOut, "FILE.svg", "draw an SVG image, which shows them")}})
	}
	return notes, png.Encode(w, p.image)
}

// pixels is a canvas of pixels.
type pixels struct {
	image   *image.RGBA
	letters *letters
	raster  vector.Rasterizer
	missing int64
}

var _ canvas = (*pixels)(nil)

// fill fills the shape between points.
func (p *pixels) fill(c color.RGBA, shape ...point) {
	lo, hi := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for i := range shape {
		shape[i] = point{shape[i].x * density, shape[i].y * density}
		lo = point{min(lo.x, shape[i].x), min(lo.y, shape[i].y)}
		hi = point{max(hi.x, shape[i].x), max(hi.y, shape[i].y)}
	}
	// Only the part of the image that the shape touches is visited.
	box := image.Rect(int(math.Floor(lo.x)), int(math.Floor(lo.y)), int(math.Ceil(hi.x)), int(math.Ceil(hi.y)))
	if box.Empty() {
		return
	}
	p.raster.Reset(box.Dx(), box.Dy())
	for i, at := range shape {
		x, y := float32(at.x-float64(box.Min.X)), float32(at.y-float64(box.Min.Y))
		if i == 0 {
			p.raster.MoveTo(x, y)
		} else {
			p.raster.LineTo(x, y)
		}
	}
	p.raster.ClosePath()
	p.raster.Draw(p.image, box, image.NewUniform(c), image.Point{})
}

func (p *pixels) rect(a, b point, c color.RGBA) {
	p.fill(c, a, point{b.x, a.y}, b, point{a.x, b.y})
}

func (p *pixels) line(through []point, width float64, c color.RGBA) {
	for i := 1; i < len(through); i++ {
		a, b := through[i-1], through[i]
		dx, dy := b.x-a.x, b.y-a.y
		length := math.Hypot(dx, dy)
		if length == 0 {
			continue
		}
		across := point{-dy / length * width / 2, dx / length * width / 2}
		p.fill(c, point{a.x + across.x, a.y + across.y}, point{b.x + across.x, b.y + across.y},
			point{b.x - across.x, b.y - across.y}, point{a.x - across.x, a.y - across.y})
		if i > 1 && width > 1 {
			p.dot(a, width/2, c) // rounds the corner
		}
	}
}

func (p *pixels) dot(at point, radius float64, c color.RGBA) {
	const corners = 16 // a circle, at the size of a dot
	shape := make([]point, corners)
	for i := range shape {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		shape[i] = point{at.x + radius*cos, at.y + radius*sin}
	}
	p.fill(c, shape...)
}

func (p *pixels) text(at point, s string, size float64, a anchor, c color.RGBA) {
	face := p.letters.face(size * density)
	for _, r := range s {
		if !p.letters.has(r) {
			p.missing++
		}
	}
	d := font.Drawer{Dst: p.image, Src: image.NewUniform(c), Face: face}
	d.Dot = fixed.Point26_6{X: fixed.Int26_6(at.x * density * 64), Y: fixed.Int26_6(at.y * density * 64)}
	switch a {
	case middle:
		d.Dot.X -= d.MeasureString(s) / 2
	case end:
		d.Dot.X -= d.MeasureString(s)
	}
	d.DrawString(s)
}

// background is white, so that the image can be read anywhere.
func background(c canvas, width, height float64) {
	if p, ok := c.(*pixels); ok {
		draw.Draw(p.image, p.image.Bounds(), image.NewUniform(white), image.Point{}, draw.Src)
		return
	}
	c.rect(point{}, point{width, height}, white)
}
