package plot

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestBinsAreExact counts values that a float64 division would put on the wrong
// side of a bound, and compares with counting in whole numbers.
func TestBinsAreExact(t *testing.T) {
	for _, decimals := range []int{0, 1, 2, 3, 5} {
		var c counter
		unit := math.Pow10(decimals)
		values := map[int64]int64{}
		random := rand.New(rand.NewPCG(1, uint64(decimals)))
		for range 200_000 {
			n := random.Int64N(3_000_000) - 1_000_000
			values[n]++
			c.add(float64(n) / unit)
		}
		if len(c.keys) > maxKeys {
			t.Errorf("%d decimals: %d keys", decimals, len(c.keys))
		}
		bins := c.bins(mostBins)
		if len(bins) > mostBins || len(bins) < mostBins/4 {
			t.Errorf("%d decimals: %d bins", decimals, len(bins))
		}
		wants, first := make([]int64, len(bins)), int64(math.Round(bins[0].lo*unit))
		width := int64(math.Round(bins[0].hi*unit)) - first
		for n, count := range values {
			wants[(n-first)/width] += count
		}
		for i, b := range bins {
			if b.count != wants[i] {
				t.Errorf("%d decimals, %s: counted %d, want %d", decimals, b.label(), b.count, wants[i])
			}
		}
	}
}

func TestBinsOfOddValues(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		labels []string
	}{
		{[]float64{0, 0}, []string{"0"}},
		{[]float64{5}, []string{"5"}},
		{[]float64{-1, 1}, []string{"-1", "0", "1"}},
		{[]float64{0.29}, []string{"[0.29, 0.29)"}},
		{[]float64{0.1, 0.2, 0.3}, nil},
		{[]float64{1e-200, 1e200}, nil},
		{[]float64{-1e300, 1e300}, nil},
		{[]float64{1e15, 1e15 + 1}, nil},
		{[]float64{math.SmallestNonzeroFloat64, 0}, nil},
		{[]float64{9007199254740993, -9007199254740993}, nil},
	} {
		var c counter
		for _, v := range tt.values {
			c.add(v)
		}
		bins := c.bins(mostBins)
		total := int64(0)
		for i, b := range bins {
			total += b.count
			if tt.labels != nil && b.label() != tt.labels[i] {
				t.Errorf("%v: bin %d is %s", tt.values, i, b.label())
			}
			if i > 0 && bins[i-1].hi != b.lo {
				t.Errorf("%v: a gap between %v and %v", tt.values, bins[i-1], b)
			}
		}
		if total != int64(len(tt.values)) || len(bins) > mostBins || tt.labels != nil && len(bins) != len(tt.labels) {
			t.Errorf("%v: %v", tt.values, bins)
		}
	}
}

// TestScalesHoldTheirValues tries spans of every size: an axis holds what it is
// for, has marks, and not too many.
func TestScalesHoldTheirValues(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		lo := (random.Float64() - 0.5) * math.Pow10(random.IntN(40)-20)
		hi := lo + random.Float64()*math.Pow10(random.IntN(40)-20)
		s := linear(lo, hi, 8)
		if !(s.lo <= lo+1e-9*(hi-lo)) || !(s.hi >= hi-1e-9*(hi-lo)) || len(s.ticks) < 2 || len(s.ticks) > 12 {
			t.Fatalf("linear(%g, %g): %+v", lo, hi, s)
		}
		if math.Abs(lo) > 1e13 || math.Abs(hi) > 1e13 {
			continue
		}
		if s := timeScale(lo, hi, 8); s.part(lo) < 0 || s.part(hi) > 1 || len(s.ticks) < 1 || len(s.ticks) > 10 {
			t.Fatalf("timeScale(%g, %g): %+v", lo, hi, s)
		}
	}
}
