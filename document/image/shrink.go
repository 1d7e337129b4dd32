package image

import (
	stdimage "image"

	"golang.org/x/image/draw"
)

// scaled returns a part of a picture in another size. Photographs that become less
// than half as large are averaged: that is faster than a filter, and as sharp.
func scaled(m stdimage.Image, from stdimage.Rectangle, width, height int) stdimage.Image {
	if by := min(from.Dx()/width, from.Dy()/height); by > 1 {
		if y, ok := m.(*stdimage.YCbCr); ok {
			return averaged(y.SubImage(from).(*stdimage.YCbCr), width, height)
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

// averaged makes a picture from a JPEG smaller. Each pixel gets its own color, also
// where the JPEG stores one color for several pixels.
func averaged(m *stdimage.YCbCr, width, height int) *stdimage.YCbCr {
	b := m.Bounds()
	out := stdimage.NewYCbCr(stdimage.Rect(0, 0, width, height), stdimage.YCbCrSubsampleRatio444)
	average(plane{out.Y, out.YStride, width, height}, plane{m.Y, m.YStride, b.Dx(), b.Dy()})
	first := m.COffset(b.Min.X, b.Min.Y)
	columns := m.COffset(b.Max.X-1, b.Min.Y) - first + 1
	rows := (m.COffset(b.Min.X, b.Max.Y-1)-first)/m.CStride + 1
	average(plane{out.Cb, out.CStride, width, height}, plane{m.Cb, m.CStride, columns, rows})
	average(plane{out.Cr, out.CStride, width, height}, plane{m.Cr, m.CStride, columns, rows})
	return out
}

// plane is one of the three parts of a picture: brightness, or a color.
type plane struct {
	pix           []byte
	stride        int
	width, height int
}

// average sets each sample to the mean of the area that it covers. Samples that
// are partly in an area count by that part.
func average(to, from plane) {
	columns, rows := spans(from.width, to.width), spans(from.height, to.height)
	sums, total := make([]uint32, to.width), make([]uint64, to.width)
	area, read := uint64(from.width)*uint64(from.height), -1 //nolint:gosec // sizes of pictures
	for y, span := range rows {
		clear(total)
		for row := span.first; row <= span.last; row++ {
			if row != read { // a row at an edge counts for two
				sumColumns(sums, from.pix[row*from.stride:][:from.width], columns, uint32(to.width)) //nolint:gosec // at most 65,535
				read = row
			}
			weight := uint64(span.weight(row, to.height))
			for x, sum := range sums {
				total[x] += weight * uint64(sum)
			}
		}
		line := to.pix[y*to.stride:][:to.width]
		for x, sum := range total {
			line[x] = byte((sum + area/2) / area)
		}
	}
}

// sumColumns adds up the samples of a row, times their weights. Whole samples have
// the weight whole.
func sumColumns(sums []uint32, line []byte, columns []span, whole uint32) {
	for x, c := range columns {
		sum := uint32(0)
		for _, v := range line[c.first+1 : max(c.last, c.first+1)] {
			sum += uint32(v)
		}
		sum = sum*whole + c.start*uint32(line[c.first])
		if c.last > c.first {
			sum += c.end * uint32(line[c.last])
		}
		sums[x] = sum
	}
}

// span is what of a row or column goes into one sample of a smaller one: from
// first to last, with weights of these two.
type span struct {
	first, last int
	start, end  uint32
}

func (s span) weight(i, whole int) uint32 {
	switch i {
	case s.first:
		return s.start
	case s.last:
		return s.end
	}
	return uint32(whole) //nolint:gosec // at most 65,535
}

// spans divides from samples into to equal spans. The weights of each add up to from.
func spans(from, to int) []span {
	all := make([]span, to)
	for i := range all {
		left, right := i*from, (i+1)*from // in parts of a sample
		s := span{first: left / to, last: (right - 1) / to}
		s.start = uint32(min((s.first+1)*to, right) - left) //nolint:gosec // at most 65,535
		s.end = uint32(right - s.last*to)                   //nolint:gosec // at most 65,535
		all[i] = s
	}
	return all
}
