package lcs

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRunsAreRight makes random sequences of others and applies what was found.
func TestRunsAreRight(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // to be repeated
		var a, b, made []int
		for range rnd.IntN(12) {
			a = append(a, rnd.IntN(4))
		}
		for range rnd.IntN(12) {
			b = append(b, rnd.IntN(4))
		}
		at := 0
		for _, r := range Runs(a, b) {
			made = append(append(made, a[at:r.A]...), b[r.B:r.BEnd]...)
			at = r.AEnd
		}
		if made = append(made, a[at:]...); !slices.Equal(made, b) {
			t.Fatalf("%v to %v gives %v", a, b, made)
		}
	}
}

// TestOneInsertionInMuchIsOneRun holds that the equal ends are set aside first.
func TestOneInsertionInMuchIsOneRun(t *testing.T) {
	var a []int
	for i := range 100_000 {
		a = append(a, i)
	}
	b := slices.Insert(slices.Clone(a), 7, -1)
	if got := Runs(a, b); !slices.Equal(got, []Run{{7, 7, 7, 8}}) {
		t.Errorf("%v", got)
	}
}
