package summary

import (
	"context"
	"math/big"
)

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
