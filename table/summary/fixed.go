package summary

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// fixed collects values of a fixed width: numbers and moments.
type fixed[K comparable] struct {
	kind   kind[K]
	typ    arrow.DataType
	limits *limits
	values pieces
	n      int64
	totals totals
	span   span[K]
	batch  []K
}

func (f *fixed[K]) add(arr arrow.Array) error {
	f.batch = f.kind.keys(f.batch[:0], arr)
	f.n += int64(len(f.batch))
	if f.kind.number {
		addTotals(&f.totals, &f.kind, f.batch)
		f.span.widen(&f.kind, f.batch)
	}
	for _, k := range f.batch {
		if err := putKey(f.kind.order, &f.values, k); err != nil {
			return err
		}
	}
	return nil
}

func (f *fixed[K]) finish(ctx context.Context, d *buffers) (Column, error) {
	r := &ranks[K]{kind: &f.kind, total: f.n}
	if f.kind.number {
		r.begin(f.span)
	}
	s := &sorter[K]{scratch: f.kind.order.desk(d), order: f.kind.order, most: f.limits.keys, yield: r.add}
	if err := s.sort(ctx, &f.values, f.n); err != nil {
		return Column{}, err
	}
	out := Column{Values: f.n, Distinct: r.distinct}
	if f.n > 0 {
		out.Min, out.Max = f.keyArray(r.first), f.keyArray(r.last)
	}
	var err error
	if f.kind.number {
		out.Number, err = f.number(ctx, r)
	}
	return out, err
}

// keyArray is an array of a key's value.
func (f *fixed[K]) keyArray(k K) arrow.Array {
	data := array.NewData(f.typ, 1, []*memory.Buffer{nil, memory.NewBufferBytes(f.kind.value(k))}, nil, 0, 0)
	defer data.Release()
	return array.MakeFromData(data)
}
