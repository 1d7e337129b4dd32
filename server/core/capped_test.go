package core

import (
	"errors"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

var errBroken = errors.New("the engine broke")

// numbers is a reader of batches of 64-bit integers, 0, 1, 2, …
func numbers(t *testing.T, sizes ...int) array.RecordReader {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	var batches []arrow.RecordBatch
	next := int64(0)
	for _, size := range sizes {
		b := array.NewInt64Builder(memory.DefaultAllocator)
		for range size {
			b.Append(next)
			next++
		}
		column := b.NewArray()
		batches = append(batches, array.NewRecordBatch(schema, []arrow.Array{column}, int64(size)))
		column.Release()
		b.Release()
	}
	rdr, err := array.NewRecordReader(schema, batches)
	if err != nil {
		t.Fatal(err)
	}
	return rdr
}

// read takes everything out of a capped reader and checks that the values are
// the first ones in order.
func read(t *testing.T, c *capped) (rows int64) {
	t.Helper()
	defer c.Release()
	for c.Next() {
		column := c.RecordBatch().Column(0).(*array.Int64)
		for i := range column.Len() {
			if column.Value(i) != rows {
				t.Fatalf("row %d holds %d", rows, column.Value(i))
			}
			rows++
		}
	}
	return rows
}

func TestCappedRows(t *testing.T) {
	for _, c := range []struct {
		name      string
		sizes     []int
		max       int64
		rows      int64
		truncated bool
	}{
		{"below", []int{3, 4}, 10, 7, false},
		{"exactly", []int{3, 4}, 7, 7, false},
		{"exactly, then an empty batch", []int{3, 4, 0}, 7, 7, false},
		{"one too many in a later batch", []int{3, 4, 1}, 7, 7, true},
		{"cut inside a batch", []int{3, 4}, 5, 5, true},
		{"nothing allowed, nothing there", []int{0}, 0, 0, false},
		{"nothing allowed, something there", []int{1}, 0, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			rdr := newCapped(numbers(t, c.sizes...), c.max, 1<<30, func(err error) error { return err })
			if rows := read(t, rdr); rows != c.rows || rdr.end.Rows != c.rows {
				t.Errorf("%d rows, end record says %d, want %d", rows, rdr.end.Rows, c.rows)
			}
			own := newCapped(numbers(t, c.sizes...), c.max, 1<<30, func(err error) error { return err })
			own.own = true
			if rows := read(t, own); rows != c.rows || own.end.Truncated || own.end.Cap != "" {
				t.Errorf("a limit of the caller's own: %d rows, %+v", rows, own.end)
			}
			if rdr.end.Truncated != c.truncated {
				t.Errorf("truncated is %v", rdr.end.Truncated)
			}
			if c.truncated != (rdr.end.Cap == capRows) {
				t.Errorf("the cap is %q", rdr.end.Cap)
			}
		})
	}
}

func TestCappedBytes(t *testing.T) {
	rdr := newCapped(numbers(t, 1000, 1000), 1<<30, 12_000, func(err error) error { return err })
	rows := read(t, rdr)
	if rows <= 1000 || rows >= 2000 {
		t.Errorf("%d rows passed", rows)
	}
	if !rdr.end.Truncated || rdr.end.Cap != capBytes || rdr.end.Bytes > 12_000 {
		t.Errorf("end record is %+v", rdr.end)
	}
}

// broken delivers what it holds and then fails.
type broken struct{ array.RecordReader }

func (broken) Err() error { return errBroken }

func TestCappedPassesErrorsOn(t *testing.T) {
	wrapped := errors.New("wrapped")
	rdr := newCapped(broken{numbers(t, 3)}, 100, 1<<30, func(err error) error { return errors.Join(wrapped, err) })
	read(t, rdr)
	if !errors.Is(rdr.Err(), errBroken) || !errors.Is(rdr.Err(), wrapped) {
		t.Errorf("err is %v", rdr.Err())
	}
}
