package canonical

import (
	"math/rand/v2"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// maker makes arrays out of two sources of chance: what their rows say comes
// from rows alone, and every byte that is not theirs from dirt.
type maker struct{ rows, dirt *rand.Rand }

// seen says whether anybody may see row i of an array.
type seen func(i int) bool

// junk is zeros half of the time, so that each kind of dirt comes alone, too.
func (m maker) junk(n int) []byte {
	b := make([]byte, n)
	if m.dirt.IntN(2) == 0 {
		return b
	}
	for i := range b {
		b[i] = byte(m.dirt.UintN(256))
	}
	return b
}

// bits makes a bitmap of n bits from offset on, dirt around them.
func (m maker) bits(n, offset int, bit func(i int) bool) *memory.Buffer {
	b := m.junk((offset+n+7)/8 + m.dirt.IntN(20))
	for i := range n {
		bitutil.SetBitTo(b, offset+i, bit(i))
	}
	return memory.NewBufferBytes(b)
}

// array makes n rows of a type.
func (m maker) array(dt arrow.DataType, n int, nullable bool, see seen) arrow.ArrayData {
	if storage(dt).ID() == arrow.NULL {
		return array.NewData(dt, n, []*memory.Buffer{nil}, nil, n, 0)
	}
	offset := m.dirt.IntN(5) * m.dirt.IntN(2)
	if u, ok := storage(dt).(arrow.UnionType); ok {
		return m.union(dt, u, n, offset, see)
	}
	valid, nulls := make([]bool, n), 0
	for i := range valid {
		switch {
		case !nullable:
			valid[i] = true
		case see(i):
			valid[i] = m.rows.IntN(3) > 0
		default:
			valid[i] = m.dirt.IntN(2) > 0
		}
		if !valid[i] {
			nulls++
		}
	}
	var bitmap *memory.Buffer
	if nulls > 0 || m.dirt.IntN(2) == 0 {
		bitmap = m.bits(n, offset, func(i int) bool { return valid[i] })
	}
	show := func(i int) bool { return i >= 0 && i < n && valid[i] && see(i) }
	if nulls > 0 && m.dirt.IntN(2) == 0 {
		nulls = array.UnknownNullCount
	}
	return m.values(dt, n, offset, bitmap, nulls, show)
}

// values makes the rest of an array; show says which rows have a value.
func (m maker) values(dt arrow.DataType, n, offset int, bitmap *memory.Buffer, nulls int, show seen) arrow.ArrayData {
	buffers, children := []*memory.Buffer{bitmap}, []arrow.ArrayData(nil)
	child := func(i, n int, show seen) {
		f := storage(dt).(arrow.NestedType).Fields()[i]
		children = append(children, m.array(f.Type, n, f.Nullable, show))
	}
	switch t := storage(dt).(type) {
	case *arrow.BooleanType:
		buffers = append(buffers, m.bits(n, offset, func(i int) bool {
			if show(i) {
				return m.rows.IntN(2) > 0
			}
			return m.dirt.IntN(2) > 0
		}))
	case *arrow.StringType, *arrow.BinaryType:
		ends, shown := ranges[int32](m, n, offset, show)
		buffers = append(buffers, ends, m.text(shown))
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		ends, shown := ranges[int64](m, n, offset, show)
		buffers = append(buffers, ends, m.text(shown))
	case arrow.BinaryViewDataType:
		buffers = append(buffers, m.views(n, offset, show)...)
	case *arrow.DictionaryType:
		dict := m.array(t.ValueType, 4, false, func(int) bool { return true })
		buffers = append(buffers, m.fixed(n, offset, 1, show, func() byte { return byte(m.rows.IntN(4)) }))
		return array.NewDataWithDictionary(dt, n, buffers, nulls, offset, dict.(*array.Data))
	case *arrow.ListType, *arrow.MapType:
		ends, shown := ranges[int32](m, n, offset, show)
		buffers = append(buffers, ends)
		child(0, len(shown), func(i int) bool { return shown[i] })
	case *arrow.LargeListType:
		ends, shown := ranges[int64](m, n, offset, show)
		buffers = append(buffers, ends)
		child(0, len(shown), func(i int) bool { return shown[i] })
	case *arrow.FixedSizeListType:
		size := int(t.Len())
		child(0, (offset+n)*size, func(i int) bool { return show(i/size - offset) })
	case *arrow.StructType:
		for i := range t.NumFields() {
			child(i, offset+n+m.dirt.IntN(3), func(i int) bool { return show(i - offset) })
		}
	case arrow.FixedWidthDataType:
		buffers = append(buffers, m.fixed(n, offset, t.Bytes(), show, m.letter))
	}
	return array.NewData(dt, n, buffers, children, nulls, offset)
}

func (m maker) letter() byte { return 'a' + byte(m.rows.IntN(26)) }

func (m maker) fixed(n, offset, width int, show seen, value func() byte) *memory.Buffer {
	b := m.junk((offset+n)*width + m.dirt.IntN(20))
	for i := range n * width {
		if show(i / width) {
			b[offset*width+i] = value()
		}
	}
	return memory.NewBufferBytes(b)
}

// ranges makes offsets with dirt between what they point to; shown says of each
// element whether it is that of a row.
func ranges[T int32 | int64](m maker, n, offset int, show seen) (ends *memory.Buffer, shown []bool) {
	width := int(unsafe.Sizeof(T(0)))
	raw := m.junk((offset + n + 1 + m.dirt.IntN(3)) * width)
	offsets := valuesOf[T](raw)[offset:]
	gap := [3]int{} // how much may lie before, between and behind
	for i := range gap {
		gap[i] = 1 + 3*m.dirt.IntN(2)
	}
	shown = make([]bool, m.dirt.IntN(gap[0]))
	offsets[0] = T(len(shown))
	for i := range n {
		if show(i) {
			for range m.rows.IntN(4) {
				shown = append(shown, true)
			}
		} else {
			shown = append(shown, make([]bool, m.dirt.IntN(gap[1]))...)
		}
		offsets[i+1] = T(len(shown))
	}
	return memory.NewBufferBytes(raw), append(shown, make([]bool, m.dirt.IntN(gap[2]))...)
}

func (m maker) text(shown []bool) *memory.Buffer {
	b := m.junk(len(shown))
	for i, s := range shown {
		if s {
			b[i] = m.letter()
		}
	}
	return memory.NewBufferBytes(b)
}

func (m maker) views(n, offset int, show seen) []*memory.Buffer {
	raw := m.junk((offset+n)*arrow.ViewHeaderSizeBytes + m.dirt.IntN(20))
	views := arrow.ViewHeaderTraits.CastFromBytes(raw[:(offset+n)*arrow.ViewHeaderSizeBytes])[offset:]
	first, second := m.junk(m.dirt.IntN(9)), m.junk(m.dirt.IntN(9))
	for i := range n {
		if !show(i) {
			continue
		}
		value := make([]byte, m.rows.IntN(24))
		for k := range value {
			value[k] = m.letter()
		}
		views[i].SetBytes(value)
		if views[i].IsInline() {
			continue
		}
		to, index := &first, int32(0)
		if m.dirt.IntN(2) == 0 {
			to, index = &second, 1
		}
		views[i].SetIndexOffset(index, int32(len(*to)))
		*to = append(append(*to, value...), m.junk(m.dirt.IntN(4))...)
	}
	return []*memory.Buffer{memory.NewBufferBytes(raw), memory.NewBufferBytes(first), memory.NewBufferBytes(second)}
}

func (m maker) union(dt arrow.DataType, u arrow.UnionType, n, offset int, see seen) arrow.ArrayData {
	dense := u.Mode() == arrow.DenseMode
	raw := m.junk(offset + n)
	own := make([]int, n) // the member of each row
	for i := range n {
		if own[i] = m.dirt.IntN(2); see(i) {
			own[i] = m.rows.IntN(2)
		}
		raw[offset+i] = byte(u.TypeCodes()[own[i]])
	}
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(raw)}
	shown := [2][]bool{make([]bool, m.dirt.IntN(3)), make([]bool, m.dirt.IntN(3))}
	if !dense {
		shown = [2][]bool{make([]bool, offset), make([]bool, offset)}
	}
	where := valuesOf[int32](m.junk(4 * (offset + n)))
	for i := range n {
		where[offset+i] = int32(len(shown[own[i]]))
		for k := range shown {
			if k == own[i] {
				shown[k] = append(shown[k], see(i))
			} else if !dense || m.dirt.IntN(3) == 0 {
				shown[k] = append(shown[k], false)
			}
		}
	}
	if dense {
		buffers = append(buffers, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(where)))
	}
	var children []arrow.ArrayData
	for k, f := range u.Fields() {
		children = append(children, m.array(f.Type, len(shown[k]), f.Nullable, func(i int) bool { return shown[k][i] }))
	}
	return array.NewData(dt, n, buffers, children, 0, offset)
}
