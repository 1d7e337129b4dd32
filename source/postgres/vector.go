package postgres

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// vector collects the values of one column until a batch is full. Where most
// of a scan's time goes, it writes into Arrow's own layout: numbers, times and
// texts. The rest is built by Arrow's builders.
type vector interface {
	// add appends a value that is not NULL, in the form that the column is
	// asked for in. It keeps nothing of raw.
	add(raw []byte) error
	addNull()
	// take returns what was collected and begins anew. The caller releases it.
	take() arrow.Array
}

// absent are the places of NULLs, in ascending order.
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

// arrayOf makes an array of n values from its layout's buffers.
func arrayOf(typ arrow.DataType, n int, nulls absent, layout ...*memory.Buffer) arrow.Array {
	data := array.NewData(typ, n, append([]*memory.Buffer{nulls.bitmap(n)}, layout...), nil, len(nulls), 0)
	defer data.Release()
	return array.MakeFromData(data)
}

// fixed collects values of one width.
type fixed[T arrow.FixedWidthType] struct {
	typ    arrow.DataType
	read   reading[T]
	values []T
	nulls  absent
}

func (f *fixed[T]) add(raw []byte) error {
	v, err := f.read(raw)
	f.values = append(f.values, v)
	return err
}

func (f *fixed[T]) addNull() {
	f.nulls = append(f.nulls, len(f.values))
	var none T
	f.values = append(f.values, none)
}

func (f *fixed[T]) take() arrow.Array {
	n := len(f.values)
	out := arrayOf(f.typ, n, f.nulls, memory.NewBufferBytes(arrow.GetBytes(f.values)))
	f.values, f.nulls = make([]T, 0, n), f.nulls[:0] // batches are mostly of a size
	return out
}

// runs collects values of any length, as they are.
type runs struct {
	typ   arrow.DataType
	ends  []int32 // of each value in data, behind a zero
	data  []byte
	nulls absent
}

func (r *runs) add(raw []byte) error {
	r.data = append(r.data, raw...)
	r.ends = append(r.ends, int32(len(r.data)))
	return nil
}

func (r *runs) addNull() {
	r.nulls = append(r.nulls, len(r.ends)-1)
	r.ends = append(r.ends, int32(len(r.data)))
}

func (r *runs) take() arrow.Array {
	n, size := len(r.ends), len(r.data)
	out := arrayOf(r.typ, n-1, r.nulls, memory.NewBufferBytes(arrow.GetBytes(r.ends)), memory.NewBufferBytes(r.data))
	room := min(size+size/8, batchBytes) // one large value says nothing of the next
	r.ends, r.data, r.nulls = make([]int32, 1, n), make([]byte, 0, room), r.nulls[:0]
	return out
}

// built collects values in a builder of Arrow's.
type built struct {
	array.Builder
	append appender
}

func (b *built) add(raw []byte) error { return b.append(raw) }
func (b *built) addNull()             { b.AppendNull() }
func (b *built) take() arrow.Array    { return b.NewArray() }
