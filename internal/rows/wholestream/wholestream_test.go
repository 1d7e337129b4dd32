package wholestream

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// TestOnlyWholeStreamsEnd cuts a stream at each byte, also where the rows look like an
// end mark, and puts something behind each message.
func TestOnlyWholeStreamsEnd(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32}}, nil)
	var buf bytes.Buffer
	w := ipc.NewWriter(&buf, ipc.WithSchema(schema))
	var ends []int
	for range 3 {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		b.Field(0).(*array.Int32Builder).Append(-1) // ff ff ff ff, and four bytes of padding
		if err := w.Write(b.NewRecordBatch()); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, buf.Len())
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	all := buf.Bytes()
	read := func(b []byte) (rows int64, err error) {
		r, err := New(bytes.NewReader(b), Nothing)
		if err != nil {
			return 0, err
		}
		defer r.Release()
		for r.Next() {
			rows += r.RecordBatch().NumRows()
		}
		return rows, r.Err()
	}
	if rows, err := read(all); rows != 3 || err != nil {
		t.Errorf("%d rows, %v", rows, err)
	}
	for at := range all {
		if _, err := read(all[:at]); err == nil {
			t.Errorf("cut at %d of %d: no error", at, len(all))
		} else if slices.Contains(ends, at) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d: %v", at, err)
		}
	}
	for _, at := range append(ends, len(all)) {
		for _, behind := range []string{"\x00", "Code: 395. DB::Exception: x", "\r\n__exception__\r\n", string(all)} {
			if _, err := read(slices.Concat(all[:at], []byte(behind))); err == nil {
				t.Errorf("%.20q behind %d: no error", behind, at)
			}
		}
	}
}
