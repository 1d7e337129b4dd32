package interval

import (
	"math"
	"math/big"
	"testing"
)

// TestNearFloatsMayBeEqual: engines round floats before they compare them.
func TestNearFloatsMayBeEqual(t *testing.T) {
	small, near := Point{class: numbers, num: big.NewRat(1, 10)}, Point{class: numbers, num: big.NewRat(10000001, 100000000), rough: true}
	if small.surelyLess(near) || small.surelyAtMost(near) || near.surelyAtMost(near) {
		t.Error("near floats are told apart")
	}
	least, up := Point{class: numbers, num: new(big.Rat).SetFloat64(1e-45), rough: true}, Point{class: numbers, num: new(big.Rat).SetFloat64(math.SmallestNonzeroFloat32), rough: true}
	if least.surelyLess(up) {
		t.Error("the least float is told apart from what is rounded to it")
	}
	if exact := (Point{class: numbers, num: near.num}); !small.surelyLess(exact) || !exact.surelyAtMost(exact) {
		t.Error("exact numbers are not told apart")
	}
}
