package parquetwriter

import (
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// numbers is a column of integers, and of whatever is stored as such: dates,
// times, short decimals. Floats are here by their bits.
type numbers[T number] struct {
	leaf
	validity
	values []T // without the NULLs
}

func (n *numbers[T]) add(arr arrow.Array, from, end int) (err error) {
	n.validity.add(arr, from, end)
	data := arr.Data()
	eachValidRange(arr, from, end, func(from, end int) {
		switch arr.DataType().ID() {
		case arrow.INT8:
			widen(n, arrow.GetValues[int8](data, 1)[from:end])
		case arrow.UINT8:
			widen(n, arrow.GetValues[uint8](data, 1)[from:end])
		case arrow.INT16:
			widen(n, arrow.GetValues[int16](data, 1)[from:end])
		case arrow.UINT16:
			widen(n, arrow.GetValues[uint16](data, 1)[from:end])
		case arrow.DECIMAL128:
			if !n.narrow(arrow.GetValues[decimal128.Num](data, 1)[from:end]) {
				err = errRange(n.leaf)
			}
		default: // those that are stored in as many bytes as they have
			copy(n.more(end-from), arrow.GetValues[T](data, 1)[from:end])
		}
	})
	return err
}

func widen[T number, S int8 | uint8 | int16 | uint16](n *numbers[T], from []S) {
	to := n.more(len(from))
	for i, v := range from {
		to[i] = T(v)
	}
}

// more appends so many values, and returns them to be set.
func (n *numbers[T]) more(add int) []T {
	from := len(n.values)
	n.values = room(n.values, add, *n.most)[:from+add]
	return n.values[from:]
}

// narrow adds decimals; false: one does not fit.
func (n *numbers[T]) narrow(from []decimal128.Num) bool {
	to, lost := n.more(len(from)), int64(0)
	for i, d := range from {
		v := int64(T(d.LowBits()))
		lost |= v ^ int64(d.LowBits()) | v>>63 ^ d.HighBits()
		to[i] = T(v)
	}
	return lost == 0
}

func (n *numbers[T]) encode(s *scratch, c *chunk) {
	if len(n.values) == 0 {
		c.fill(s, &n.leaf, &n.validity, encoded{encoding: plain})
		return
	}
	isFloat := n.kind == float || n.kind == double
	lo, hi := n.bounds()
	if isFloat {
		c.least, c.most = n.floatBounds()
	} else {
		c.least, c.most = appendOne(nil, lo), appendOne(nil, hi)
	}
	width := widthOf[T]()
	whole := len(n.values) * width
	size := whole
	if !isFloat {
		planDelta(&s.delta, n.values)
		size = min(whole, s.delta.size)
	}
	var out encoded
	if d, ok := n.dictionary(s, lo, hi, most(len(n.values), size, width)); ok && len(d.values)+len(d.dict) < size {
		out = d
	} else if isFloat {
		s.other = appendSplit(s.other[:0], n.values)
		out = encoded{encoding: byteStreamSplit, values: s.other}
	} else if size < whole {
		s.other = appendDelta(s.other[:0], n.values, &s.delta)
		out = encoded{encoding: deltaPacked, values: s.other}
	} else {
		s.other = appendPlain(s.other[:0], n.values)
		out = encoded{encoding: plain, values: s.other}
	}
	c.fill(s, &n.leaf, &n.validity, out)
}

// bounds returns the least and the greatest value, as integers.
func (n *numbers[T]) bounds() (lo, hi T) {
	var flip T // makes the order of unsigned values one of signed ones
	if n.unsigned {
		flip = T(1) << (8*widthOf[T]() - 1)
	}
	lo, hi = n.values[0]^flip, n.values[0]^flip
	for _, v := range n.values {
		v ^= flip
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo ^ flip, hi ^ flip
}

// floatBounds returns the bounds of floats; nil if there is a NaN, as readers do
// not agree where it belongs. The bounds are values of the column, since engines
// answer min and max by them; -0 is before 0.
func (n *numbers[T]) floatBounds() (lo, hi []byte) {
	least, greatest := math.Inf(1), math.Inf(-1)
	for _, v := range n.values {
		f := floatOf(v)
		least, greatest = min(least, f), max(greatest, f) // NaN if one is
	}
	if math.IsNaN(least) {
		return nil, nil
	}
	return appendOne(nil, bitsOf[T](least)), appendOne(nil, bitsOf[T](greatest))
}

func floatOf[T number](v T) float64 {
	if widthOf[T]() == 4 {
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(uint64(v))
}

func bitsOf[T number](f float64) T {
	if widthOf[T]() == 4 {
		return T(math.Float32bits(float32(f)))
	}
	return T(math.Float64bits(f))
}

// dictionary encodes the values by a dictionary of at most limit entries; false:
// there are more.
func (n *numbers[T]) dictionary(s *scratch, lo, hi T, limit int) (encoded, bool) {
	if limit == 0 {
		return encoded{}, false
	}
	var entries int
	if span := unsigned(hi - lo); span < directSpan {
		entries = direct(s, n.values, lo, int(span)+1, limit)
	} else if !seldomEqual(s, n.values) {
		entries = hashed(s, n.values, limit)
	}
	if entries == 0 {
		return encoded{}, false
	}
	s.values = appendIndexes(s.values[:0], s.index, entries)
	return encoded{encoding: rleDictionary, values: s.values, dict: s.dict, entries: entries}, true
}

// directSpan is the largest range of values that have a place each in a table.
const directSpan = 1 << 16

func direct[T number](s *scratch, values []T, lo T, span, limit int) (entries int) {
	if cap(s.direct) < span {
		s.direct = make([]uint32, directSpan)
	}
	places := s.direct[:span]
	clear(places)
	s.index, s.dict = slices.Grow(s.index[:0], len(values))[:len(values)], s.dict[:0]
	for i, v := range values {
		place := &places[unsigned(v-lo)]
		if *place == 0 {
			if entries == limit {
				return 0
			}
			entries++
			*place = uint32(entries)
			s.dict = appendOne(s.dict, v)
		}
		s.index[i] = *place - 1
	}
	return entries
}

// How many values a sample has, and how many of them are equal to another one if a
// dictionary can be worth its bytes: among some 120,000 different numbers that are
// equally frequent it would be more, and that many do not fit into a dictionary.
const (
	sampleValues = 4096
	sampleEqual  = 64
)

// seldomEqual reports whether hardly any values are equal, going by a sample from
// all of them. It spares the search for a dictionary, which ends at its limit only
// after it has filled a table that is larger than a processor's nearest cache.
func seldomEqual[T number](s *scratch, values []T) bool {
	step := len(values) / sampleValues
	if step < 2 {
		return false
	}
	var sample [sampleValues]T
	for i := range sample {
		sample[i] = values[i*step]
	}
	return hashed(s, sample[:], sampleValues-sampleEqual) == 0
}

func hashed[T number](s *scratch, values []T, limit int) (entries int) {
	s.table.clear(limit)
	s.index, s.dict = slices.Grow(s.index[:0], len(values)), s.dict[:0]
	for _, v := range values {
		key := unsigned(v)
		slot := s.table.slot(key * 0x9e3779b97f4a7c15)
		for s.table.places[slot] != 0 && s.table.keys[slot] != key {
			slot = (slot + 1) & s.table.mask
		}
		if s.table.places[slot] == 0 {
			if entries == limit {
				return 0
			}
			entries++
			s.table.keys[slot], s.table.places[slot] = key, uint32(entries)
			s.dict = appendOne(s.dict, v)
		}
		s.index = append(s.index, s.table.places[slot]-1)
	}
	return entries
}

func (n *numbers[T]) reset(*int) {
	n.validity.clear()
	n.values = n.values[:0]
}
