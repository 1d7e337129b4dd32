package parquetwriter

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// TestAGroupGrowsOnce: columns of more than a few rows get room for the whole group
// at once, and those of a few rows do not.
func TestAGroupGrowsOnce(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: arrow.BinaryTypes.String}}, nil)
	cols, ok := leaves(schema)
	if !ok {
		t.Fatal(schema)
	}
	for _, c := range []struct{ batch, batches, grown int }{{1000, 100, 6}, {16384, 6, 1}, {10, 3, 3}} {
		g := newGroup(cols)
		b := batchOf(schema, c.batch)
		grown, room := 0, 0
		for range c.batches {
			if _, full, err := g.take(b, 0, 0); err != nil || full {
				t.Fatal(full, err)
			}
			if now := cap(g.columns[0].(*numbers[int64]).values) + cap(g.columns[1].(*texts).lengths) + cap(g.columns[1].(*texts).data); now != room {
				grown, room = grown+1, now
			}
		}
		if grown > c.grown {
			t.Errorf("%d batches of %d rows: grown %d times", c.batches, c.batch, grown)
		}
		if c.batch == 10 && room > 4096 {
			t.Errorf("30 rows have room for %d elements", room)
		}
	}
}

// batchOf is a batch of so many rows.
func batchOf(schema *arrow.Schema, rows int) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	defer b.Release()
	for i := range rows {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		b.Field(1).(*array.StringBuilder).Append("a text"[:i%7])
	}
	return b.NewRecordBatch()
}
