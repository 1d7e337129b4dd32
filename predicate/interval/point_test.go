package interval

import (
	"math/big"
	"testing"
)

// TestNearFloatsMayBeEqual: engines round floats before they compare them.
func TestNearFloatsMayBeEqual(t *testing.T) {
	small, near := Point{class: numbers, num: big.NewRat(1, 10)}, Point{class: numbers, num: big.NewRat(10000001, 100000000), rough: true}
	if small.surelyLess(near) || small.surelyAtMost(near) || near.surelyAtMost(near) {
		t.Error("near floats are told apart")
	}
	if exact := (Point{class: numbers, num: near.num}); !small.surelyLess(exact) || !exact.surelyAtMost(exact) {
		t.Error("exact numbers are not told apart")
	}
}
