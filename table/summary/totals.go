package summary

import (
	"context"
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

// number returns the figures that only numbers have.
func (f *fixed[K]) number(ctx context.Context, r *ranks[K]) (*Number, error) {
	out := &Number{Scale: f.kind.scale}
	if f.n == 0 {
		return out, nil
	}
	out.Histogram = r.bins
	for i := range r.at {
		out.Quartiles = append(out.Quartiles, r.quartile(i))
	}
	t := &f.totals
	out.Stddev = t.deviation()
	if f.kind.whole != nil {
		out.Sum = t.exact()
		unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(f.kind.scale)), nil)
		mean, _ := new(big.Rat).SetFrac(out.Sum, unit.Mul(unit, big.NewInt(f.n))).Float64()
		out.Mean = finite(mean)
		return out, nil
	}
	mean := t.float / float64(f.n)
	out.FloatSum, out.Mean = &t.float, &mean
	switch {
	case t.infinite:
		out.Stddev = nil
	case finite(t.float) == nil || out.Stddev == nil && f.n > 1:
		return out, f.large(ctx, out)
	}
	return out, nil
}

// large computes what the sums of values near the greatest float overflow: their
// mean, and the deviation of values that are made smaller.
func (f *fixed[K]) large(ctx context.Context, out *Number) error {
	const factor = 1e160
	var mean float64
	var small spread
	err := eachKey(ctx, f.kind.order, &f.values, func(k K) error {
		v := f.kind.real(k)
		mean += v / float64(f.n)
		small.add(v / factor)
		return nil
	})
	if finite(*out.FloatSum) == nil {
		out.FloatSum, out.Mean = nil, &mean
	}
	if d := small.deviation(); out.Stddev == nil && d != nil {
		out.Stddev = finite(*d * factor)
	}
	return err
}
