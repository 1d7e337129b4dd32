package scaledjpeg

// frame is what is known of a picture before its first scan.
type frame struct {
	baseline, progressive bool
	jfif                  bool
	other                 bool // the file says that its colors are not brightness and two differences
	width, height         int
	across, down          int // how many units the picture has; a unit has one or more blocks of each component
	components            []component
}

// component is brightness or a color.
type component struct {
	id            byte
	h, v          int // how many blocks a unit has, across and down
	quant         byte
	width, height int      // of a block once it is decoded, in samples
	places        [64]byte // where each coefficient of the file goes in a block
	across, down  int      // how many blocks show some of the picture
	stride        int
	pix           []byte
	mean          int32 // of the last block
	blocks        *blocks
	scanned       bool
}

// unused is the place of coefficients that a picture of this size does not show.
const unused = 63

// begin reads the description of the picture.
func (d *decoder) begin(b []byte) error {
	if d.components != nil || len(b) < 6 || b[0] != 8 || len(b) != 6+3*int(b[5]) || b[5] != 1 && b[5] != 3 {
		return ErrOther
	}
	d.height, d.width = int(b[1])<<8|int(b[2]), int(b[3])<<8|int(b[4])
	if d.width == 0 || d.height == 0 {
		return ErrOther
	}
	d.components = make([]component, b[5])
	for i := range d.components {
		b := b[6+3*i:]
		d.components[i] = component{id: b[0], h: int(b[1] >> 4), v: int(b[1] & 15), quant: b[2]}
		if b[2] > 3 {
			return ErrOther
		}
	}
	if !d.usual() {
		return ErrOther
	}
	h, v := d.components[0].h, d.components[0].v
	d.across, d.down = ceil(d.width, 8*h), ceil(d.height, 8*v)
	for i := range d.components {
		c := &d.components[i]
		width, height := ceil(d.width*c.h, h), ceil(d.height*c.v, v)
		c.across, c.down = ceil(width, 8), ceil(height, 8)
		c.width, c.height = enough(width, d.wanted[0]), enough(height, d.wanted[1])
		c.place()
		c.stride = d.across * c.h * c.width
		c.pix = make([]byte, c.stride*d.down*c.v*c.height)
		if d.progressive {
			c.blocks = newBlocks(d.across*c.h, d.down*c.v, c.width*c.height)
		}
	}
	return nil
}

// usual reports whether the components are those of a usual picture: brightness
// alone, or brightness and two colors with one block each in a unit.
func (d *decoder) usual() bool {
	c := d.components
	size := func(n int) bool { return n == 1 || n == 2 || n == 4 }
	if len(c) == 1 { // then a unit is a block, whatever is said
		fine := size(c[0].h) && size(c[0].v)
		c[0].h, c[0].v = 1, 1
		return fine
	}
	one := c[1].h == 1 && c[1].v == 1 && c[2].h == 1 && c[2].v == 1
	same := c[0].id == c[1].id || c[0].id == c[2].id || c[1].id == c[2].id
	rgb := c[0].id == 'R' && c[1].id == 'G' && c[2].id == 'B'
	return one && !same && !rgb && size(c[0].h) && size(c[0].v) && c[0].v < 4
}

func ceil(a, b int) int { return (a + b - 1) / b }

// enough is how many samples of eight there have to be, so that a row of size has
// somewhat more than wanted.
func enough(size, wanted int) int {
	n := 8
	for n > 1 && 4*size*n/2 >= 5*wanted*8 {
		n /= 2
	}
	return n
}

// place finds the places of the coefficients that are needed.
func (c *component) place() {
	for i, z := range zigzag {
		y, x := int(z>>3), int(z&7)
		if c.places[i] = unused; y < c.height && x < c.width {
			c.places[i] = byte(y*c.width + x) //nolint:gosec // below 64
		}
	}
}

// zigzag is the order of coefficients in a file, by row and column.
var zigzag = [64]byte{
	0o00, 0o01, 0o10, 0o20, 0o11, 0o02, 0o03, 0o12,
	0o21, 0o30, 0o40, 0o31, 0o22, 0o13, 0o04, 0o05,
	0o14, 0o23, 0o32, 0o41, 0o50, 0o60, 0o51, 0o42,
	0o33, 0o24, 0o15, 0o06, 0o07, 0o16, 0o25, 0o34,
	0o43, 0o52, 0o61, 0o70, 0o71, 0o62, 0o53, 0o44,
	0o35, 0o26, 0o17, 0o27, 0o36, 0o45, 0o54, 0o63,
	0o72, 0o73, 0o64, 0o55, 0o46, 0o37, 0o47, 0o56,
	0o65, 0o74, 0o75, 0o66, 0o57, 0o67, 0o76, 0o77,
}

// planes returns the decoded picture.
func (d *decoder) planes() ([]Plane, error) {
	if len(d.components) == 0 || len(d.components) == 3 && d.other && !d.jfif {
		return nil, ErrOther
	}
	var all []Plane
	for i := range d.components {
		c, first := &d.components[i], &d.components[0]
		if !c.scanned {
			return nil, ErrOther
		}
		if d.progressive {
			d.show(c)
		}
		all = append(all, Plane{c.pix, c.stride, 8 / c.width * first.h / c.h, 8 / c.height * first.v / c.v})
	}
	return all, nil
}
