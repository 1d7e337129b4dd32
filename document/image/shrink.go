package image

import (
	stdimage "image"

	"golang.org/x/image/draw"
)

// scaled returns a part of a picture in another size. Photographs that become less
// than half as large are averaged: that is faster than a filter, and as sharp.
func scaled(m stdimage.Image, from stdimage.Rectangle, width, height int) stdimage.Image {
	if shrinks(from, width, height) {
		if planes := planesOf(m); planes != nil {
			return averaged(planes, from, width, height)
		} else if halved(from, width, height) {
			half := canvas(m, 2*width, 2*height)
			draw.ApproxBiLinear.Scale(half, half.Bounds(), m, from, draw.Src, nil)
			m, from = half, half.Bounds()
		}
	}
	out := canvas(m, width, height)
	var filter draw.Scaler = draw.CatmullRom
	if filterBytes(from.Size(), width, height) == 0 {
		filter = draw.ApproxBiLinear
	}
	filter.Scale(out, out.Bounds(), m, from, draw.Src, nil)
	return out
}

// halved reports whether a part that cannot be averaged is first made twice as large
// as it will be, which is faster.
func halved(from stdimage.Rectangle, width, height int) bool {
	return min(from.Dx()/width, from.Dy()/height) > 2
}

// maxFilter limits the bytes that the filter takes between its two directions and for
// its weights. Larger pictures are scaled in one step, which is less sharp.
const maxFilter = 256 << 20

// filterBytes is how much the filter takes; 0: it would be too much. In each direction it
// has four weights of 16 bytes for each pixel of the longer of two lengths, and as much
// again for those that it writes.
func filterBytes(from stdimage.Point, width, height int) int64 {
	n := 32*int64(from.Y)*int64(width) + 4*16*int64(max(from.X, width)+width+max(from.Y, height)+height)
	if n > maxFilter {
		return 0
	}
	return n
}

// shrinks reports whether a part becomes less than half as wide and high.
func shrinks(from stdimage.Rectangle, width, height int) bool {
	return min(from.Dx()/width, from.Dy()/height) > 1
}

// plane is one component of a picture: brightness, or a color.
type plane struct {
	pix    []byte
	stride int
	every  int // bytes from one sample to the next
	across axis
	down   axis
}

// axis says where samples lie: the first one begins at a place of the picture, and
// each covers so many pixels.
type axis struct{ first, step int }

// planesOf returns the planes of a picture whose samples can be averaged.
func planesOf(m stdimage.Image) []plane {
	left, top := axis{m.Bounds().Min.X, 1}, axis{m.Bounds().Min.Y, 1}
	switch m := m.(type) {
	case *stdimage.Gray:
		return []plane{{m.Pix, m.Stride, 1, left, top}}
	case *stdimage.RGBA:
		var planes []plane
		for i := range 4 {
			planes = append(planes, plane{m.Pix[i:], m.Stride, 4, left, top})
		}
		return planes
	case *stdimage.YCbCr:
		across, down := 1, 1
		switch m.SubsampleRatio {
		case stdimage.YCbCrSubsampleRatio422, stdimage.YCbCrSubsampleRatio420:
			across = 2
		case stdimage.YCbCrSubsampleRatio411, stdimage.YCbCrSubsampleRatio410:
			across = 4
		}
		switch m.SubsampleRatio {
		case stdimage.YCbCrSubsampleRatio420, stdimage.YCbCrSubsampleRatio440, stdimage.YCbCrSubsampleRatio410:
			down = 2
		}
		x, y := axis{m.Rect.Min.X / across * across, across}, axis{m.Rect.Min.Y / down * down, down}
		return []plane{
			{m.Y, m.YStride, 1, left, top}, {m.Cb, m.CStride, 1, x, y}, {m.Cr, m.CStride, 1, x, y},
		}
	}
	return nil
}

// averaged makes a part of a picture smaller. Each pixel gets its own color, also where
// one is stored for several pixels.
func averaged(planes []plane, from stdimage.Rectangle, width, height int) stdimage.Image {
	size := stdimage.Rect(0, 0, width, height)
	var out stdimage.Image
	switch len(planes) {
	case 1:
		out = stdimage.NewGray(size)
	case 3:
		out = stdimage.NewYCbCr(size, stdimage.YCbCrSubsampleRatio444)
	default:
		out = stdimage.NewRGBA(size)
	}
	for i, to := range planesOf(out) {
		to.average(planes[i], from, width, height)
	}
	return out
}

// average sets each of width × height samples to the mean of the area of another
// plane that it covers. Samples that are partly in an area count by that part.
func (p plane) average(of plane, from stdimage.Rectangle, width, height int) {
	columns := of.across.spans(from.Min.X, from.Dx(), width)
	rows := of.down.spans(from.Min.Y, from.Dy(), height)
	sums, total := make([]uint32, width), make([]uint64, width)
	area, read := uint64(from.Dx())*uint64(from.Dy()), -1 //nolint:gosec // sizes of pictures
	for y, span := range rows {
		clear(total)
		for row := span.first; row <= span.last; row++ {
			if row != read { // a row at an edge counts for two
				of.sumColumns(sums, row, columns, uint32(of.across.step*width)) //nolint:gosec // at most 65,535
				read = row
			}
			weight := uint64(span.weight(row, of.down.step*height))
			for x, sum := range sums {
				total[x] += weight * uint64(sum)
			}
		}
		line := p.pix[y*p.stride:]
		for x, sum := range total {
			line[x*p.every] = byte((sum + area/2) / area)
		}
	}
}

// sumColumns adds up the samples of a row, times their weights. Whole samples have
// the weight whole.
func (p plane) sumColumns(sums []uint32, row int, columns []span, whole uint32) {
	line := p.pix[row*p.stride:]
	for x, c := range columns {
		sum, first, last := uint32(0), c.first*p.every, c.last*p.every
		for i := first + p.every; i < last; i += p.every {
			sum += uint32(line[i])
		}
		sum = sum*whole + c.start*uint32(line[first])
		if last > first {
			sum += c.end * uint32(line[last])
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

// spans divides the length pixels from begin on into to equal spans. The weights of
// each add up to length.
func (a axis) spans(begin, length, to int) []span {
	all, sample := make([]span, to), a.step*to
	for i := range all {
		left := (begin-a.first)*to + i*length // in parts of a pixel
		right := left + length
		s := span{first: left / sample, last: (right - 1) / sample}
		s.start = uint32(min((s.first+1)*sample, right) - left) //nolint:gosec // at most 65,535
		s.end = uint32(right - s.last*sample)                   //nolint:gosec // at most 65,535
		all[i] = s
	}
	return all
}
