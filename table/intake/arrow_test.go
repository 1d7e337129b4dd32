package intake

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/rows/format"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// TestArrowStreams reads streams whose schemas have all lengths, some more than
// 64 KB.
func TestArrowStreams(t *testing.T) {
	seen := map[byte]bool{}
	open := func(columns int, name string) {
		t.Helper()
		fields := make([]arrow.Field, columns)
		for i := range fields {
			fields[i] = arrow.Field{Name: fmt.Sprintf("%s%d", name, i), Type: arrow.PrimitiveTypes.Int64}
		}
		var b bytes.Buffer
		if err := ipc.NewWriter(&b, ipc.WithSchema(arrow.NewSchema(fields, nil))).Close(); err != nil {
			t.Fatal(err)
		}
		seen[b.Bytes()[4]] = true
		f, err := Open(write(t, "rows.arrow", b.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if f.Kind != format.Arrow {
			t.Errorf("%d columns, schema of % x: read as %s", columns, b.Bytes()[4:8], f.Kind)
		}
	}
	for n := range 32 {
		open(1, strings.Repeat("x", 1+8*n))
	}
	if !seen[0] {
		t.Error("no schema has a length with a low byte of 0")
	}
	open(2_000, "x")
	f, err := Open(write(t, "rows.csv", []byte("\xff\xff\xff\xff\t\t\t\t")))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Kind != format.Text {
		t.Errorf("a text of letters and tabs is read as %s", f.Kind)
	}
}

// TestArrowStreamsAreWhole refuses a stream that was cut between two batches, and takes
// what a server of ours sends behind one.
func TestArrowStreamsAreWhole(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32}}, nil)
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(schema))
	var batch int
	for range 2 {
		build := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		build.Field(0).(*array.Int32Builder).Append(-1)
		batch = b.Len()
		if err := w.Write(build.NewRecordBatch()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		body    string
		whole   bool
		caveats int
	}{
		"whole":                  {b.String(), true, 0},
		"of a server":            {b.String() + `{"rows":2,"bytes":8,"truncated":false}` + "\n", true, 0},
		"of a server, truncated": {b.String() + `{"rows":2,"bytes":8,"truncated":true,"cap":"x"}` + "\n", true, 1},
		"cut":                    {b.String()[:batch], false, 0},
		"an error behind it":     {b.String() + "Code: 395. DB::Exception", false, 0},
		"another count":          {b.String() + `{"rows":3,"bytes":8,"truncated":false}` + "\n", false, 0},
	} {
		f, err := Open(write(t, "rows.arrows", []byte(c.body)))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r, _, err := f.Arrow()
		if err != nil {
			t.Fatal(err)
		}
		rows := int64(0)
		for r.Next() {
			rows += r.RecordBatch().NumRows()
		}
		if whole := r.Err() == nil; whole != c.whole || whole && rows != 2 || len(r.Caveats()) != c.caveats {
			t.Errorf("%s: %d rows, %v, %v", name, rows, r.Err(), r.Caveats())
		}
		r.Release()
	}
}
