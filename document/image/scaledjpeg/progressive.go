package scaledjpeg

import "math"

// blocks are the coefficients of the blocks of a component, while scans add to them.
type blocks struct {
	across  int
	size    int      // how many coefficients of a block are kept
	kept    []int16  // the coefficients of all blocks, by their places
	nonzero []uint64 // for each block, a bit for each coefficient that is not zero
}

func newBlocks(across, down, size int) *blocks {
	return &blocks{across: across, size: size, kept: make([]int16, across*down*size), nonzero: make([]uint64, across*down)}
}

// refined reads a scan of a progressive picture: of the coefficients from first to last
// the bits from high down to low, or the first ones if high is 0.
func (d *decoder) refined(parts []part, first, last, high, low int) error {
	d.scans++
	if first == 0 && last != 0 || first > last || last > 63 || first > 0 && len(parts) > 1 || low > 13 || high > 0 && high != low+1 || d.scans > MaxScans {
		return ErrOther
	}
	for _, p := range parts {
		if first == 0 && high == 0 && p.means == nil || first > 0 && p.rest == nil {
			return ErrOther
		}
		p.scanned = true
	}
	return d.each(parts, func(p *part, x, y int) error {
		i := y*p.blocks.across + x
		b := block{part: p, kept: p.blocks.kept[i*p.blocks.size:][:p.blocks.size], nonzero: &p.blocks.nonzero[i]}
		switch {
		case first == 0 && high == 0:
			change, err := d.change(p.means)
			if err != nil {
				return err
			}
			p.mean += change
			return b.set(0, p.mean<<low)
		case first == 0:
			b.kept[0] |= int16(d.bits.take(&d.source, 1) << low) //nolint:gosec // low is below 15, or nothing is lost
			return nil
		case high == 0:
			return d.band(b, first, last, low)
		}
		return d.refine(b, first, last, 1<<low)
	})
}

// block is a block to which a scan adds.
type block struct {
	*part
	kept    []int16
	nonzero *uint64
}

// set sets a coefficient.
func (b block) set(k int, value int32) error {
	if value < math.MinInt16 || value > math.MaxInt16 {
		return ErrOther
	}
	if *b.nonzero |= 1 << k; int(b.places[k]) < len(b.kept) {
		b.kept[b.places[k]] = int16(value)
	}
	return nil
}

// band reads the first bits of coefficients.
func (d *decoder) band(b block, k, last, low int) error {
	if d.ended > 0 {
		d.ended--
		return nil
	}
	for ; k <= last; k++ {
		zeros, value, err := d.next(b.rest)
		if err != nil {
			return err
		}
		if value == 0 && zeros < 15 {
			d.ended = d.run(zeros) - 1
			return nil
		}
		if k += zeros; value != 0 {
			if k > last {
				return ErrOther
			}
			if err := b.set(k, value<<low); err != nil {
				return err
			}
		}
	}
	return nil
}

// run decodes how many blocks, with this one, have nothing more in the band.
func (d *decoder) run(size int) int {
	return 1<<size | int(d.bits.take(&d.source, size))
}

// refine reads the next bit of the coefficients that are not zero, and which others
// become one bit.
func (d *decoder) refine(b block, k, last int, bit int32) error {
	for ; d.ended == 0 && k <= last; k++ {
		zeros, value, err := d.next(b.rest)
		if err != nil || value < -1 || value > 1 {
			return ErrOther
		}
		if value == 0 && zeros < 15 {
			d.ended = d.run(zeros)
			break
		}
		if k = d.pass(b, k, last, zeros, bit); k > last {
			return ErrOther
		}
		if value != 0 {
			if err := b.set(k, value*bit); err != nil {
				return err
			}
		}
	}
	if d.ended > 0 {
		d.ended--
		d.pass(b, k, last, 64, bit)
	}
	return nil
}

// pass refines coefficients up to the one that is zero after so many others are.
func (d *decoder) pass(b block, k, last, zeros int, bit int32) int {
	for ; k <= last; k++ {
		if *b.nonzero>>k&1 == 0 {
			if zeros == 0 {
				break
			}
			zeros--
			continue
		}
		if d.bits.take(&d.source, 1) == 0 || int(b.places[k]) >= len(b.kept) {
			continue
		}
		if v := &b.kept[b.places[k]]; *v >= 0 {
			*v += int16(bit) //nolint:gosec // a bit below those that there are
		} else {
			*v -= int16(bit) //nolint:gosec // as above
		}
	}
	return k
}

// show turns the coefficients of a component into pixels.
func (d *decoder) show(c *component) {
	var factors [64]int32
	for k, place := range c.places {
		if int(place) < c.blocks.size {
			factors[place] = d.quant[c.quant][k]
		}
	}
	for i := range c.blocks.nonzero {
		var block [64]int32
		for place, v := range c.blocks.kept[i*c.blocks.size:][:c.blocks.size] {
			block[place] = int32(v) * factors[place]
		}
		c.inverse(&block, c.blocks.nonzero[i]&^1 == 0, i%c.blocks.across, i/c.blocks.across)
	}
	c.blocks = nil
}
