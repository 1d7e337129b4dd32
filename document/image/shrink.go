package image

import (
	stdimage "image"

	"golang.org/x/image/draw"
)

// scaled returns a part of a picture in another size. A part that is several
// times as large is first reduced by an integer factor, each pixel being the mean
// of a square: that is much faster, and the result is sharper.
func scaled(m stdimage.Image, from stdimage.Rectangle, width, height int) stdimage.Image {
	if by := min(from.Dx()/width, from.Dy()/height); by > 1 {
		if y, ok := m.(*stdimage.YCbCr); ok {
			m, from = shrunk(y, from, by), stdimage.Rect(0, 0, (from.Dx()+by-1)/by, (from.Dy()+by-1)/by)
		} else if by > 2 {
			half := canvas(m, 2*width, 2*height)
			draw.ApproxBiLinear.Scale(half, half.Bounds(), m, from, draw.Src, nil)
			m, from = half, half.Bounds()
		}
	}
	out := canvas(m, width, height)
	draw.CatmullRom.Scale(out, out.Bounds(), m, from, draw.Src, nil)
	return out
}

// shrunk reduces a part of a picture from a JPEG by an integer factor. The colors
// keep their stored subsampling.
func shrunk(m *stdimage.YCbCr, from stdimage.Rectangle, by int) *stdimage.YCbCr {
	part := m.SubImage(from).(*stdimage.YCbCr)
	out := stdimage.NewYCbCr(stdimage.Rect(0, 0, (from.Dx()+by-1)/by, (from.Dy()+by-1)/by), m.SubsampleRatio)
	brightness := plane{part.Y, part.YStride, from.Dx(), from.Dy()}
	brightness.shrink(out.Y, out.YStride, by)
	rows := 0
	if out.CStride > 0 {
		rows = len(out.Cb) / out.CStride
	}
	columns := part.COffset(from.Max.X-1, from.Min.Y) - part.COffset(from.Min.X, from.Min.Y) + 1
	height := (part.COffset(from.Min.X, from.Max.Y-1)-part.COffset(from.Min.X, from.Min.Y))/max(part.CStride, 1) + 1
	for _, c := range []struct{ in, out []byte }{{part.Cb, out.Cb}, {part.Cr, out.Cr}} {
		plane{c.in, part.CStride, columns, height}.shrink(c.out[:rows*out.CStride], out.CStride, by)
	}
	return out
}

// plane is one of the three parts of a picture: brightness, or a colour.
type plane struct {
	pix           []byte
	stride        int
	width, height int
}

// shrink writes the mean of each square. Squares that cross an edge use only the
// existing pixels.
func (p plane) shrink(out []byte, stride, by int) {
	sums := make([]uint32, stride)
	for row := 0; row*stride < len(out); row++ {
		clear(sums)
		top := min(row*by, p.height-1)
		bottom := min(top+by, p.height)
		for y := top; y < bottom; y++ {
			p.add(sums, y, by)
		}
		line := out[row*stride:][:stride]
		for x, sum := range sums {
			left := min(x*by, p.width-1)
			count := uint32((min(left+by, p.width) - left) * (bottom - top)) //nolint:gosec // of a square
			line[x] = byte((sum + count/2) / count)
		}
	}
}

// add adds a line of pixels to the sums of their squares.
func (p plane) add(sums []uint32, y, by int) {
	line := p.pix[y*p.stride:][:p.width]
	for x := range sums {
		left := min(x*by, p.width-1)
		sum := uint32(0)
		for _, v := range line[left:min(left+by, p.width)] {
			sum += uint32(v)
		}
		sums[x] += sum
	}
}
