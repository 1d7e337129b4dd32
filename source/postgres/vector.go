package postgres

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// vector collects the values of one column until a batch is full. Most types are
// written directly in Arrow's memory layout, because most of a scan's time goes
// there. The rest use Arrow's builders.
type vector interface {
	// add appends values in the format in which the column was requested. It does
	// not keep a reference to data, which contains them.
	add(data []byte, values []span) error
	// take returns the collected values and starts again. The caller releases the
	// array.
	take() arrow.Array
}

// span is the place of a value; a size of -1 means NULL.
type span struct{ at, size int32 }

func (s span) null() bool { return s.size < 0 }

func (s span) of(data []byte) []byte { return data[s.at : s.at+s.size] }

// absent is the list of rows whose value is NULL, in ascending order.
type absent []int

// bitmap is Arrow's validity bitmap for n values, nil if none is missing.
func (a absent) bitmap(n int) *memory.Buffer {
	if len(a) == 0 {
		return nil
	}
	bits := make([]byte, bitutil.BytesForBits(int64(n)))
	bitutil.SetBitsTo(bits, 0, int64(n), true)
	for _, at := range a {
		bitutil.ClearBit(bits, at)
	}
	return memory.NewBufferBytes(bits)
}

// arrayOf makes an array of n values from the buffers of its layout.
func arrayOf(typ arrow.DataType, n int, nulls absent, layout ...*memory.Buffer) arrow.Array {
	data := array.NewData(typ, n, append([]*memory.Buffer{nulls.bitmap(n)}, layout...), nil, len(nulls), 0)
	defer data.Release()
	return array.MakeFromData(data)
}

// fixed collects values of a fixed width.
type fixed[T arrow.FixedWidthType] struct {
	typ    arrow.DataType
	read   reading[T]
	values []T
	nulls  absent
}

func (f *fixed[T]) add(data []byte, values []span) error {
	for _, s := range values {
		var v T
		if s.null() {
			f.nulls = append(f.nulls, len(f.values))
		} else {
			var err error
			if v, err = f.read(s.of(data)); err != nil {
				return err
			}
		}
		f.values = append(f.values, v)
	}
	return nil
}

func (f *fixed[T]) take() arrow.Array {
	n := len(f.values)
	out := arrayOf(f.typ, n, f.nulls, memory.NewBufferBytes(arrow.GetBytes(f.values)))
	f.values, f.nulls = make([]T, 0, n), f.nulls[:0] // most batches have the same size
	return out
}

// flags collects booleans in text format.
type flags struct {
	bits  []byte
	n     int
	nulls absent
}

func (f *flags) add(data []byte, values []span) error {
	for _, s := range values {
		var v bool
		if s.null() {
			f.nulls = append(f.nulls, f.n)
		} else {
			var err error
			if v, err = readBoolText(s.of(data)); err != nil {
				return err
			}
		}
		if f.n%8 == 0 {
			f.bits = append(f.bits, 0)
		}
		if v {
			f.bits[f.n/8] |= 1 << (f.n % 8)
		}
		f.n++
	}
	return nil
}

func (f *flags) take() arrow.Array {
	out := arrayOf(arrow.FixedWidthTypes.Boolean, f.n, f.nulls, memory.NewBufferBytes(f.bits))
	f.bits, f.n, f.nulls = make([]byte, 0, len(f.bits)), 0, f.nulls[:0]
	return out
}

// runs collects values of any length, unchanged.
type runs struct {
	typ   arrow.DataType
	ends  []int32 // a zero, and the end of each value in data
	data  []byte
	nulls absent
}

func (r *runs) add(data []byte, values []span) error {
	for _, s := range values {
		if s.null() {
			r.nulls = append(r.nulls, len(r.ends)-1)
		} else {
			r.data = append(r.data, s.of(data)...)
		}
		r.ends = append(r.ends, int32(len(r.data)))
	}
	return nil
}

func (r *runs) take() arrow.Array {
	n, size := len(r.ends), len(r.data)
	out := arrayOf(r.typ, n-1, r.nulls, memory.NewBufferBytes(arrow.GetBytes(r.ends)), memory.NewBufferBytes(r.data))
	room := min(size+size/8, batchBytes) // limited, because one large value does not mean that more will follow
	r.ends, r.data, r.nulls = make([]int32, 1, n), make([]byte, 0, room), r.nulls[:0]
	return out
}

// built collects values in one of Arrow's builders.
type built struct {
	array.Builder
	append appender
}

func (b *built) add(data []byte, values []span) error {
	for _, s := range values {
		if s.null() {
			b.AppendNull()
		} else if err := b.append(s.of(data)); err != nil {
			return err
		}
	}
	return nil
}

func (b *built) take() arrow.Array { return b.NewArray() }
