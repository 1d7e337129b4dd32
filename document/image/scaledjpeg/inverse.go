package scaledjpeg

// Transforms compute in parts of 1 << fraction. The constants are √2·cos(kπ/16).
const (
	fraction = 13
	cos1     = 11363
	cos2     = 10703
	cos3     = 9633
	cos5     = 6436
	cos6     = 4433
	cos7     = 2260
)

// spare is how many bits columns are kept more exactly than pixels.
const spare = 2

// inverse computes the pixels of a block from its coefficients. They are a transform
// with fewer frequencies of a block with fewer pixels. A flat block has its mean alone.
func (c *component) inverse(b *[64]int32, flat bool, x, y int) {
	to := c.pix[y*c.height*c.stride+x*c.width:]
	if flat {
		mean := pixel(b[0] << spare)
		for y := range c.height {
			line := to[y*c.stride:][:c.width]
			for x := range line {
				line[x] = mean
			}
		}
		return
	}
	columns(b, c.width, c.height)
	for y := range c.height {
		row(b[y*c.width:], to[y*c.stride:][:c.width])
	}
}

// four transforms four frequencies, or the even ones of eight.
func four(a, b, c, d int32) (int32, int32, int32, int32) {
	m, n := (a+c)<<fraction, (a-c)<<fraction
	p, q := b*cos2+d*cos6, b*cos6-d*cos2
	return m + p, n + q, n - q, m - p
}

// odd transforms the odd ones of eight frequencies. The result is added to that of the
// even ones in the first half of a row, and taken from it in the other.
func odd(a, b, c, d int32) (int32, int32, int32, int32) {
	return a*cos1 + b*cos3 + c*cos5 + d*cos7,
		a*cos3 - b*cos7 - c*cos1 - d*cos5,
		a*cos5 - b*cos1 + c*cos7 + d*cos3,
		a*cos7 - b*cos5 + c*cos3 - d*cos1
}

// columns transforms each column of a block.
func columns(b *[64]int32, width, height int) {
	const down = fraction - spare
	for i := range width {
		c := b[i:]
		switch height {
		case 8:
			e0, e1, e2, e3 := four(c[0], c[2*width], c[4*width], c[6*width])
			o0, o1, o2, o3 := odd(c[width], c[3*width], c[5*width], c[7*width])
			c[0], c[7*width] = (e0+o0)>>down, (e0-o0)>>down
			c[width], c[6*width] = (e1+o1)>>down, (e1-o1)>>down
			c[2*width], c[5*width] = (e2+o2)>>down, (e2-o2)>>down
			c[3*width], c[4*width] = (e3+o3)>>down, (e3-o3)>>down
		case 4:
			e0, e1, e2, e3 := four(c[0], c[width], c[2*width], c[3*width])
			c[0], c[width], c[2*width], c[3*width] = e0>>down, e1>>down, e2>>down, e3>>down
		case 2:
			c[0], c[width] = (c[0]+c[width])<<spare, (c[0]-c[width])<<spare
		default:
			c[0] <<= spare
		}
	}
}

// row transforms a row of a block into pixels.
func row(b []int32, to []byte) {
	switch len(to) {
	case 8:
		b = b[:8]
		e0, e1, e2, e3 := four(b[0], b[2], b[4], b[6])
		o0, o1, o2, o3 := odd(b[1], b[3], b[5], b[7])
		to[0], to[7] = pixel((e0+o0)>>fraction), pixel((e0-o0)>>fraction)
		to[1], to[6] = pixel((e1+o1)>>fraction), pixel((e1-o1)>>fraction)
		to[2], to[5] = pixel((e2+o2)>>fraction), pixel((e2-o2)>>fraction)
		to[3], to[4] = pixel((e3+o3)>>fraction), pixel((e3-o3)>>fraction)
	case 4:
		b = b[:4]
		e0, e1, e2, e3 := four(b[0], b[1], b[2], b[3])
		to[0], to[1] = pixel(e0>>fraction), pixel(e1>>fraction)
		to[2], to[3] = pixel(e2>>fraction), pixel(e3>>fraction)
	case 2:
		to[0], to[1] = pixel(b[0]+b[1]), pixel(b[0]-b[1])
	default:
		to[0] = pixel(b[0])
	}
}

// pixel rounds a transformed value, which is too large by a factor of eight and by the
// spare bits, and is 0 for the middle of what a pixel can be.
func pixel(v int32) byte {
	v = v>>(spare+2) + 1
	v = v>>1 + 128
	if uint32(v) > 255 { //nolint:gosec // below 0, too
		return byte(^(v >> 31)) //nolint:gosec // 0 or 255
	}
	return byte(v)
}
