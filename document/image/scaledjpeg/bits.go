package scaledjpeg

import "encoding/binary"

// bits holds the next bits of a scan. The first one is the highest of ahead.
type bits struct {
	ahead uint64
	n     int // how many bits ahead holds
	made  int // how many of them are zeros that were added after the end of the data
}

// fill adds bits until there are more than 48. Data ends at a marker.
func (b *bits) fill(s *source) {
	if len(s.data) >= 8 {
		v := binary.BigEndian.Uint64(s.data)
		if c := ^v; (c-0x0101010101010101)&^c&0x8080808080808080 == 0 { // no byte is 0xff
			b.ahead |= v >> b.n
			whole := (63 - b.n) >> 3
			s.data = s.data[whole:]
			b.n += whole << 3
			return
		}
	}
	for ; b.n <= 56; b.n += 8 {
		switch {
		case len(s.data) > 0 && s.data[0] != 0xff:
			b.ahead |= uint64(s.data[0]) << (56 - b.n)
			s.data = s.data[1:]
		case len(s.data) > 1 && s.data[1] == 0: // 0xff is followed by 0 where it is data
			b.ahead |= 0xff << (56 - b.n)
			s.data = s.data[2:]
		default:
			b.made += 8
		}
	}
}

// short reports whether more bits have been taken than there were.
func (b *bits) short() bool { return b.n < b.made }

// take returns the next n bits, 16 at most.
func (b *bits) take(s *source, n int) uint32 {
	if b.n < n {
		b.fill(s)
	}
	v := uint32(b.ahead >> 1 >> (63 - n))
	b.ahead <<= n
	b.n -= n
	return v
}
