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
	size := m.Bounds().Size()
	upright := stdimage.Rectangle{Max: size}
	if orientation > 4 {
		upright.Max = stdimage.Pt(size.Y, size.X)
	}
	switch m := m.(type) {
	case *stdimage.Gray:
		out := stdimage.NewGray(upright)
		turnPlane(out.Pix, m.Pix, m.Stride, 1, size, orientation)
		return out
	case *stdimage.YCbCr:
		if m.SubsampleRatio == stdimage.YCbCrSubsampleRatio444 {
			out := stdimage.NewYCbCr(upright, m.SubsampleRatio)
			turnPlane(out.Y, m.Y, m.YStride, 1, size, orientation)
			turnPlane(out.Cb, m.Cb, m.CStride, 1, size, orientation)
			turnPlane(out.Cr, m.Cr, m.CStride, 1, size, orientation)
			return out
		}
	}
	from, ok := m.(*stdimage.RGBA)
	if !ok {
		from = stdimage.NewRGBA(stdimage.Rectangle{Max: size})
		draw.Draw(from, from.Bounds(), m, m.Bounds().Min, draw.Src)
	}
	out := stdimage.NewRGBA(upright)
	turnPlane(out.Pix, from.Pix, from.Stride, 4, size, orientation)
	return out
}

// turnPlane turns pixels of so many bytes. size is that of the stored picture.
func turnPlane(to, from []byte, stride, bytes int, size stdimage.Point, orientation int) {
	width, height := size.X, size.Y
	if orientation > 4 {
		width, height = height, width
	}
	at := func(x, y int) int {
		p := storedAt(stdimage.Pt(x, y), size, orientation)
		return p.Y*stride + p.X*bytes
	}
	step := at(1, 0) - at(0, 0)
	for y := range height {
		i := at(0, y)
		for x := range width {
			copy(to[(y*width+x)*bytes:][:bytes], from[i+x*step:])
		}
	}
}

// storedAt is where a pixel of the upright picture is stored.
func storedAt(p, size stdimage.Point, orientation int) stdimage.Point {
	right, bottom := size.X-1, size.Y-1
	switch orientation {
	case 2:
		return stdimage.Pt(right-p.X, p.Y)
	case 3:
		return stdimage.Pt(right-p.X, bottom-p.Y)
	case 4:
		return stdimage.Pt(p.X, bottom-p.Y)
	case 5:
		return stdimage.Pt(p.Y, p.X)
	case 6:
		return stdimage.Pt(p.Y, bottom-p.X)
	case 7:
		return stdimage.Pt(right-p.Y, bottom-p.X)
	case 8:
		return stdimage.Pt(right-p.Y, p.X)
	}
	return p
}

// stored returns where a part of the picture as it is to be seen is stored.
func (p *picture) stored(part stdimage.Rectangle) stdimage.Rectangle {
	size := p.size()
	if p.turned > 4 {
		size.X, size.Y = size.Y, size.X
	}
	first := storedAt(part.Min, size, p.turned)
	last := storedAt(part.Max.Sub(stdimage.Pt(1, 1)), size, p.turned)
	r := stdimage.Rectangle{Min: first, Max: last}.Canon()
	r.Max = r.Max.Add(stdimage.Pt(1, 1))
	return r
}
