package plot

import (
	"fmt"
	"image/color"
)

// point is a place on a canvas: from the left, and from the top.
type point struct{ x, y float64 }

// anchor is the part of a text that is aligned with its position.
type anchor uint8

const (
	start anchor = iota
	middle
	end
)

// canvas is the surface of an image. Its unit is a pixel of a screen of usual
// density.
type canvas interface {
	// rect fills a rectangle between two corners.
	rect(a, b point, c color.RGBA)
	// line draws a line through points.
	line(through []point, width float64, c color.RGBA)
	// dot fills a circle.
	dot(at point, radius float64, c color.RGBA)
	// text writes a line of text with its baseline at a position.
	text(at point, s string, size float64, a anchor, c color.RGBA)
}

// The colours of an image. Those of the columns can be distinguished by
// colour-blind people, and on paper.
var (
	white  = color.RGBA{0xff, 0xff, 0xff, 0xff}
	ink    = color.RGBA{0x22, 0x22, 0x22, 0xff}
	grey   = color.RGBA{0x66, 0x66, 0x66, 0xff}
	faint  = color.RGBA{0xe4, 0xe4, 0xe4, 0xff}
	colors = []color.RGBA{
		{0x00, 0x72, 0xb2, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
		{0xd5, 0x5e, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x8c, 0x6d, 0x1f, 0xff}, {0x44, 0x44, 0x44, 0xff},
	}
)

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
