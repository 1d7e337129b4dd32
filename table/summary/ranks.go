package summary

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
)

// totals adds values in the order of the rows, as the engine does.
type totals struct {
	sum      [3]uint64 // exact, low part first, in two's complement
	float    float64
	infinite bool // infinity or NaN is among the values
	spread
}

// spread computes the deviation by Welford's method.
type spread struct {
	n, mean, squares float64
}

func (s *spread) add(v float64) {
	s.n++
	mean := s.mean + (v-s.mean)/s.n
	s.squares += (v - mean) * (v - s.mean)
	s.mean = mean
}

// deviation returns the standard deviation of the sample; nil if there are fewer
// than two values, or if it does not fit into a float.
func (s *spread) deviation() *float64 {
	return finite(math.Sqrt(s.squares / (s.n - 1)))
}

// finite is nil for infinity and NaN.
func finite(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

// addTotals adds the values of keys.
func addTotals[K comparable](t *totals, k *kind[K], keys []K) {
	for _, key := range keys {
		v := k.real(key)
		t.spread.add(v)
		if k.whole == nil {
			t.float += v
			t.infinite = t.infinite || math.IsInf(v, 0) || math.IsNaN(v)
			continue
		}
		w := k.whole(key)
		var carry uint64
		t.sum[0], carry = bits.Add64(t.sum[0], w[0], 0)
		t.sum[1], carry = bits.Add64(t.sum[1], w[1], carry)
		t.sum[2], _ = bits.Add64(t.sum[2], w[2], carry)
	}
}

// exact is the exact sum.
func (t *totals) exact() *big.Int {
	var b [24]byte
	for i, part := range t.sum {
		binary.BigEndian.PutUint64(b[16-8*i:], part)
	}
	v := new(big.Int).SetBytes(b[:])
	if b[0]&0x80 != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), 192))
	}
	return v
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
