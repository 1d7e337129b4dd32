package wire

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
)

// numbers makes a batch of n rows of two columns, a number and a short text.
func numbers(n int) arrow.RecordBatch { return numbersAnd("some text", n) }

func numbersAnd(text string, n int) arrow.RecordBatch {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "n", Type: arrow.PrimitiveTypes.Int64},
		{Name: "s", Type: arrow.BinaryTypes.String},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for i := range n {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		b.Field(1).(*array.StringBuilder).Append(text)
	}
	return b.NewRecordBatch()
}

func TestMemoryDoesNotGrowWithTheResult(t *testing.T) {
	for _, codec := range []Codec{Plain, Zstd} {
		rec := numbers(100_000) // about 2 MB
		recs := make([]arrow.RecordBatch, 200)
		for i := range recs {
			recs[i] = rec
		}
		pr, pw := io.Pipe()
		sent := make(chan error, 1)
		go func() {
			_, err := Encode(pw, func() {}, streamOf(t, rec.Schema(), recs...), codec)
			sent <- err
			pw.CloseWithError(err)
		}()
		var rows int64
		var err error
		n := allocated(func() { rows, _, err = drain(pr) })
		if err != nil || rows != 200*100_000 {
			t.Fatalf("%q: %d rows, %v", codec, rows, err)
		}
		if err := <-sent; err != nil {
			t.Fatal(err)
		}
		if n > 60<<20 {
			t.Errorf("%q: %d MB allocated for a result of %d MB", codec, n>>20, 200*api.BatchBytes(rec)>>20)
		}
	}
}

func TestLargeBatchesTravelInParts(t *testing.T) {
	rec := numbersAnd(strings.Repeat("wide ", 50), 400_000)
	size := api.BatchBytes(rec)
	if size < splitBytes {
		t.Fatalf("the batch has only %d bytes", size)
	}
	flushes := 0
	var b bytes.Buffer
	if _, err := Encode(&b, func() { flushes++ }, streamOf(t, rec.Schema(), rec), Plain); err != nil {
		t.Fatal(err)
	}
	s, err := Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var at int64
	batches := 0
	for s.Batches.Next() {
		got := s.Batches.RecordBatch()
		if n := api.BatchBytes(got); n > splitBytes {
			t.Errorf("a part of %d bytes", n)
		}
		want := rec.NewSlice(at, at+got.NumRows())
		if !array.RecordEqual(got, want) {
			t.Errorf("rows from %d differ", at)
		}
		want.Release()
		at += got.NumRows()
		batches++
	}
	if s.Batches.Err() != nil || at != rec.NumRows() || batches < 2 {
		t.Errorf("%d batches, %d rows, %v", batches, at, s.Batches.Err())
	}
	if flushes != 2 {
		t.Errorf("%d flushes: one after the batch, one at the end", flushes)
	}
}

func TestABatchMayBeRetained(t *testing.T) {
	first, second := numbers(1000), numbers(2000)
	s, err := Decode(bytes.NewReader(encode(t, streamOf(t, first.Schema(), first, second, first, second))))
	if err != nil {
		t.Fatal(err)
	}
	s.Batches.Next()
	kept := s.Batches.RecordBatch()
	kept.Retain()
	for s.Batches.Next() {
	}
	if err := s.Batches.Err(); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if !array.RecordEqual(kept, first) {
		t.Error("a retained batch has changed")
	}
	kept.Release()
}

func BenchmarkDecode(b *testing.B) {
	rec := numbers(122_880)
	recs := make([]arrow.RecordBatch, 20)
	for i := range recs {
		recs[i] = rec
	}
	body := encode(b, streamOf(b, rec.Schema(), recs...))
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, _, err := drain(bytes.NewReader(body)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	rec := numbers(122_880)
	b.SetBytes(20 * api.BatchBytes(rec))
	recs := make([]arrow.RecordBatch, 20)
	for i := range recs {
		recs[i] = rec
	}
	for b.Loop() {
		if _, err := Encode(io.Discard, func() {}, streamOf(b, rec.Schema(), recs...), Plain); err != nil {
			b.Fatal(err)
		}
	}
}
