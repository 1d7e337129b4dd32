package unique

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// TestSpans holds that parts that grow prove a column only if they lie apart, in any order.
func TestSpans(t *testing.T) {
	for _, c := range []struct {
		batches [][]int64
		see     Answer
		apart   bool
	}{
		{batches: [][]int64{{7000, 8000, 9000}, {1000, 2000, 3000}}, see: Once, apart: true},
		{batches: [][]int64{{1, 2, 1_000_000}, {3, 4}}, see: Once, apart: true}, // a batch of two row groups
		{batches: [][]int64{{1000, 3000}, {2000, 4000}}, see: Once},
		{batches: [][]int64{{1000, 3000}, {3000, 4000}}, see: Once},
		{batches: [][]int64{{1000, 1000}}},
		{batches: [][]int64{{2000, 1000}}},
	} {
		s, answer := SpansOf(100, 0, 100_000), Once
		for _, values := range c.batches {
			b := array.NewInt64Builder(memory.DefaultAllocator)
			b.AppendValues(values, nil)
			if answer == Once {
				answer = s.See(b.NewInt64Array())
			}
		}
		if answer != c.see || answer == Once && s.Apart() != c.apart {
			t.Errorf("%v: %v, apart %v", c.batches, answer, s.Apart())
		}
	}
}
