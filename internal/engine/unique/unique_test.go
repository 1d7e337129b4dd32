package unique

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// TestSpans holds that parts that grow prove a column only if they lie apart, in any order, and that hashes take what comes in no order.
func TestSpans(t *testing.T) {
	for _, c := range []struct {
		batches [][]int64
		see     Answer
		end     Answer
		hashes  *Hashes
	}{
		{batches: [][]int64{{7000, 8000, 9000}, {1000, 2000, 3000}}, see: Once, end: Once},
		{batches: [][]int64{{1, 2, 1_000_000}, {3, 4}}, see: Once, end: Once}, // a batch of two row groups
		{batches: [][]int64{{1000, 3000}, {2000, 4000}}, see: Once},
		{batches: [][]int64{{1000, 3000}, {3000, 4000}}, see: Once},
		{batches: [][]int64{{1000, 1000}}},
		{batches: [][]int64{{2000, 1000}}},
		{batches: [][]int64{{2000, 1000}, {1500, 3000}}, hashes: HashesOf(100), see: Once, end: Once},
		{batches: [][]int64{{2000, 1000}, {1500, 2000}}, hashes: HashesOf(100), see: Once, end: Twice},
		{batches: [][]int64{{1000, 2000}, {4000, 3000}}, hashes: HashesOf(100)}, // too late for hashes
	} {
		s, answer := SpansOf(100, 0, 100_000, func() *Hashes { return c.hashes }), Once
		for _, values := range c.batches {
			b := array.NewInt64Builder(memory.DefaultAllocator)
			b.AppendValues(values, nil)
			if answer == Once {
				answer = s.See(b.NewInt64Array())
			}
		}
		if answer != c.see || answer == Once && s.End() != c.end {
			t.Errorf("%v: %v, %v at the end", c.batches, answer, s.End())
		}
	}
}

// TestHashes holds that a set finds the one hash that comes twice, wherever it comes.
func TestHashes(t *testing.T) {
	const rows = 200_000
	for _, second := range []int{-1, 1, 255, 70_000, rows - 1} {
		s, b := HashesOf(rows), array.NewInt64Builder(memory.DefaultAllocator)
		for i := range rows {
			if i == second {
				i = 0
			}
			b.Append(int64(i) << 40)
		}
		answer := s.See(b.NewInt64Array())
		if answer == Once {
			answer = s.End()
		}
		if (answer == Once) != (second < 0) {
			t.Errorf("the first value again in row %d: %v", second, answer)
		}
	}
}
