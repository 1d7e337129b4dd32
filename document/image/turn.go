package image

import (
	stdimage "image"

	"golang.org/x/image/draw"
)

// turn makes a picture upright that is stored in one of the eight EXIF
// orientations.
func turn(m stdimage.Image, orientation int) stdimage.Image {
	if orientation < 2 || orientation > 8 {
		return m
	}
	b := m.Bounds()
	w, h := b.Dx(), b.Dy()
	src := stdimage.NewRGBA(stdimage.Rect(0, 0, w, h))
	draw.Draw(src, src.Bounds(), m, b.Min, draw.Src)
	width, height := w, h
	if orientation > 4 {
		width, height = h, w
	}
	out := stdimage.NewRGBA(stdimage.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			sx, sy := x, y
			switch orientation {
			case 2:
				sx = w - 1 - x
			case 3:
				sx, sy = w-1-x, h-1-y
			case 4:
				sy = h - 1 - y
			case 5:
				sx, sy = y, x
			case 6:
				sx, sy = y, h-1-x
			case 7:
				sx, sy = w-1-y, h-1-x
			case 8:
				sx, sy = w-1-y, x
			}
			copy(out.Pix[out.PixOffset(x, y):][:4], src.Pix[src.PixOffset(sx, sy):][:4])
		}
	}
	return out
}
