package scaledjpeg

// largest is more than the bytes of any unit: ten blocks of 64 coefficients of 32
// bits, with a zero after each byte.
const largest = 10 * 64 * 4 * 2

// part is a component in a scan.
type part struct {
	*component
	means, rest *table
}

// scan reads a scan of the picture.
func (d *decoder) scan(b []byte) error {
	if len(b) < 4 || d.components == nil {
		return ErrOther
	}
	n := int(b[0])
	if n < 1 || n > len(d.components) || len(b) != 4+2*n {
		return ErrOther
	}
	parts, blocks := make([]part, n), 0
	for i := range parts {
		id, tables := b[1+2*i], b[2+2*i]
		for j := range d.components {
			if c := &d.components[j]; c.id == id {
				parts[i].component = c
			}
		}
		if parts[i].component == nil || i > 0 && parts[i].component == parts[i-1].component || tables>>4 > 3 || tables&15 > 3 || d.baseline && tables&^0x11 != 0 {
			return ErrOther
		}
		parts[i].means, parts[i].rest = d.tables[0][tables>>4], d.tables[1][tables&15]
		parts[i].mean = 0
		blocks += parts[i].h * parts[i].v
	}
	if n == 3 && parts[0].component == parts[2].component || len(d.components) > 1 && blocks > 10 {
		return ErrOther
	}
	d.bits, d.ended = bits{}, 0
	band := b[1+2*n:]
	if d.progressive {
		return d.refined(parts, int(band[0]), int(band[1]), int(band[2]>>4), int(band[2]&15))
	}
	return d.whole(parts)
}

// whole reads a scan that has all of its components.
func (d *decoder) whole(parts []part) error {
	for _, p := range parts {
		if p.scanned || p.means == nil || p.rest == nil {
			return ErrOther
		}
		p.scanned = true
	}
	return d.each(parts, func(p *part, x, y int) error {
		var block [64]int32
		change, err := d.change(p.means)
		if err != nil {
			return err
		}
		factors := &d.quant[p.quant]
		p.mean += change
		block[0] = p.mean * factors[0]
		flat, size := true, p.width*p.height
		for k := 1; k < 64; k++ {
			zeros, value, err := d.next(p.rest)
			if err != nil {
				return err
			}
			if value == 0 {
				if zeros == 0 { // the others are zero
					break
				}
				if zeros != 15 {
					return ErrOther
				}
			}
			if k += zeros; value != 0 {
				if k > 63 {
					return ErrOther
				}
				at := int(p.places[k] & 63)
				block[at] = value * factors[k]
				flat = flat && at >= size
			}
		}
		p.inverse(&block, flat, x, y)
		return nil
	})
}

// change decodes the difference of the means of a block and the one before.
func (d *decoder) change(t *table) (int32, error) {
	if d.bits.n < 32 {
		d.bits.fill(&d.source)
	}
	size, length := t.symbol(d.bits.ahead)
	if length == 0 || size > 15 {
		return 0, ErrOther
	}
	d.bits.ahead <<= length
	d.bits.n -= length
	return extend(d.bits.take(&d.source, int(size)), int(size)), nil
}

// each calls do for the blocks of a scan, in their order.
func (d *decoder) each(parts []part, do func(p *part, x, y int) error) error {
	across, down := d.across, d.down
	alone := len(parts) == 1
	if alone {
		if across, down = parts[0].across, parts[0].down; d.interval > 0 && parts[0].h*parts[0].v > 1 {
			return ErrOther // image/jpeg counts units in another way
		}
	}
	for unit := range across * down {
		if err := d.source.ensure(largest); err != nil {
			return err
		}
		if d.interval > 0 && unit > 0 && unit%d.interval == 0 {
			if err := d.restart(unit/d.interval - 1); err != nil {
				return err
			}
			for i := range parts {
				parts[i].mean = 0
			}
		}
		for i := range parts {
			p, h, v := &parts[i], 1, 1
			if !alone {
				h, v = p.h, p.v
			}
			for j := range h * v {
				if err := do(p, unit%across*h+j%h, unit/across*v+j/h); err != nil {
					return err
				}
			}
		}
		if d.bits.short() {
			return ErrOther
		}
	}
	if d.ended > 0 {
		return ErrOther
	}
	return nil
}

// restart passes over the marker of a restart.
func (d *decoder) restart(n int) error {
	d.bits.fill(&d.source)
	rest := d.bits.n - d.bits.made
	b, err := d.source.take(2)
	if err != nil || rest > 7 || d.ended > 0 || b[0] != 0xff || int(b[1]) != markRestart+n%8 {
		return ErrOther
	}
	d.bits = bits{}
	return nil
}
