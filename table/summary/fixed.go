package summary

import (
	"context"
	"math"

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

func (f *fixed[K]) finish(ctx context.Context, d *desk) (Column, error) {
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
		out.Min, out.Max = f.one(r.first), f.one(r.last)
	}
	var err error
	if f.kind.number {
		out.Number, err = f.number(ctx, r)
	}
	return out, err
}

// one is an array of a key's value.
func (f *fixed[K]) one(k K) arrow.Array {
	data := array.NewData(f.typ, 1, []*memory.Buffer{nil, memory.NewBufferBytes(f.kind.value(k))}, nil, 0, 0)
	defer data.Release()
	return array.MakeFromData(data)
}

// ranks takes keys in order, with their numbers, and finds what depends on their
// ranks.
type ranks[K comparable] struct {
	kind  *kind[K]
	total int64

	low, high float64 // half of the extremes: the difference of the whole ones may overflow

	distinct, upto int64
	first, last    K
	at             [3]int64 // ranks of the quartiles' lower neighbours
	below, above   [3]K
	bins           []int64
}

// begin prepares for numbers, whose finite ones are in a span.
func (r *ranks[K]) begin(s span[K]) {
	if r.bins = make([]int64, Bins); s.some {
		r.low, r.high = r.kind.real(s.low)/2, r.kind.real(s.high)/2
	}
	for i := range r.at {
		r.at[i] = (int64(i) + 1) * max(r.total-1, 0) / 4
	}
}

// span has the extremes of the finite numbers, if there are some.
type span[K comparable] struct {
	some      bool
	low, high K
}

func (s *span[K]) widen(kind *kind[K], keys []K) {
	c := kind.order.compare
	for _, k := range keys {
		switch {
		case !kind.finite(k):
		case !s.some:
			s.some, s.low, s.high = true, k, k
		case c(k, s.low) < 0:
			s.low = k
		case c(k, s.high) > 0:
			s.high = k
		}
	}
}

// add takes the next greater key.
func (r *ranks[K]) add(k K, n int64) {
	if r.distinct == 0 {
		r.first = k
	}
	r.last = k
	r.distinct++
	before := r.upto
	r.upto += n
	if !r.kind.number {
		return
	}
	for i, at := range r.at {
		if before <= at && at < r.upto {
			r.below[i] = k
		}
		if at = min(at+1, r.total-1); before <= at && at < r.upto {
			r.above[i] = k
		}
	}
	if r.kind.finite(k) {
		r.bins[r.bin(r.kind.real(k))] += n
	}
}

// bin is the bin of a finite value.
func (r *ranks[K]) bin(v float64) int {
	if r.high <= r.low {
		return 0
	}
	return min(Bins-1, int(math.Floor((v/2-r.low)/(r.high-r.low)*Bins)))
}

// quartile returns quartile i, from 0, interpolated between the two values around
// its rank.
func (r *ranks[K]) quartile(i int) float64 {
	part := float64((int64(i)+1)*(r.total-1)%4) / 4
	if part == 0 {
		return r.kind.real(r.below[i])
	}
	return r.kind.real(r.below[i])*(1-part) + r.kind.real(r.above[i])*part
}
