package scaledjpeg

// indexBits are enough for nearly all codes together with their values.
const indexBits = 10

// table decodes the codes of a Huffman table. A code stands for a symbol: how many
// coefficients are zero, and how many bits the value has that follows.
type table struct {
	// index has what the next bits mean if a code and its value are among them.
	index [1 << indexBits]entry
	// Codes with n bits are below limit[n], where they are filled up to 16 bits.
	// Their symbols are those from first[n] + the code on.
	limit, first [17]int32
	symbols      [256]byte
}

// entry is a code and the value that follows it. From the top: 16 bits for the value,
// 8 for the number of zeros before it, 8 for the length of both in bits. An entry of 0
// means that the code is longer than the index knows.
type entry uint32

func (e entry) bits() int    { return int(e & 0xff) }
func (e entry) zeros() int   { return int(e >> 8 & 0xff) }
func (e entry) value() int32 { return int32(e) >> 16 }

// define makes the codes: of each length so many, for these symbols.
func (t *table) define(counts [16]byte, symbols []byte) error {
	copy(t.symbols[:], symbols)
	code, next := int32(0), int32(0)
	for i, count := range counts {
		length := i + 1
		if code+int32(count) > 1<<length {
			return ErrOther
		}
		t.first[length] = next - code
		for range count {
			if length <= indexBits {
				t.enter(code, length, symbols[next])
			}
			code++
			next++
		}
		t.limit[length] = code << (16 - length)
		code <<= 1
	}
	return nil
}

// enter notes a code with each value that may follow, if they fit.
func (t *table) enter(code int32, length int, symbol byte) {
	zeros, size := entry(symbol>>4), int(symbol&15)
	free := indexBits - length
	if size > free {
		return
	}
	for i := range uint32(1) << free {
		value := entry(extend(i>>(free-size), size)) //nolint:gosec // its bits
		t.index[uint32(code)<<free+i] = value<<16 | zeros<<8 | entry(length+size)
	}
}

// extend returns the value that is stored as the bits v. One that begins with 0 is
// negative.
func extend(v uint32, size int) int32 {
	if size > 0 && v>>(size-1) == 0 {
		return int32(v) - 1<<size + 1 //nolint:gosec // at most 16 bits
	}
	return int32(v) //nolint:gosec // at most 16 bits
}

// symbol finds a code of any length; length 0: there is no such code.
func (t *table) symbol(ahead uint64) (symbol byte, length int) {
	next := int32(ahead >> 48)
	for n := 1; n <= 16; n++ {
		if next < t.limit[n] {
			return t.symbols[t.first[n]+next>>(16-n)], n
		}
	}
	return 0, 0
}

// next decodes a code and its value: how many coefficients are zero, and the one that
// is not. If the value is 0, the code means something else.
func (d *decoder) next(t *table) (zeros int, value int32, err error) {
	b := &d.bits
	if b.n < 32 {
		b.fill(&d.source)
	}
	if e := t.index[b.ahead>>(64-indexBits)]; e != 0 {
		b.ahead <<= e.bits()
		b.n -= e.bits()
		return e.zeros(), e.value(), nil
	}
	symbol, length := t.symbol(b.ahead)
	if length == 0 {
		return 0, 0, ErrOther
	}
	b.ahead <<= length
	b.n -= length
	size := int(symbol & 15)
	return int(symbol >> 4), extend(b.take(&d.source, size), size), nil
}
