package output

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test -update writes it anew):\n%s", path, got)
	}
}

// result builds a reader with one batch; the rows are JSON.
func result(t testing.TB, fields []arrow.Field, rows ...string) api.Rows {
	t.Helper()
	schema := arrow.NewSchema(fields, nil)
	batches := make([]arrow.RecordBatch, 0, 1)
	if len(rows) > 0 {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		defer b.Release()
		for _, row := range rows {
			// By column and not by name, since names may occur twice.
			values := strings.Split(row, "\x00")
			for j, v := range values {
				if err := b.Field(j).UnmarshalJSON([]byte("[" + v + "]")); err != nil {
					t.Fatalf("%s: %v", v, err)
				}
			}
		}
		batches = append(batches, b.NewRecordBatch())
	}
	rdr, err := array.NewRecordReader(schema, batches)
	if err != nil {
		t.Fatal(err)
	}
	return api.WithCaveats(rdr, nil)
}

// row joins the JSON of the values of one row.
func row(values ...string) string { return strings.Join(values, "\x00") }

func field(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: true}
}

var (
	i64  = arrow.PrimitiveTypes.Int64
	f64  = arrow.PrimitiveTypes.Float64
	text = arrow.BinaryTypes.String
)

// render writes rdr and fails the test on an error.
func render(t testing.TB, rdr array.RecordReader, f Format, o Options) (string, Summary) {
	rows, ok := rdr.(api.Rows)
	if !ok {
		rows = api.WithCaveats(rdr, nil)
	}
	t.Helper()
	var b bytes.Buffer
	summary, err := Write(context.Background(), &b, rows, f, o)
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), summary
}

// generated is a reader that makes batches as they are asked for.
type generated struct {
	noCaveats
	array.RecordReader
	schema  *arrow.Schema
	next    func(n int) arrow.RecordBatch // nil at the end
	err     error                         // what Err says after the end
	n       int
	current arrow.RecordBatch
}

func (g *generated) Retain()                        {}
func (g *generated) Release()                       {}
func (g *generated) Schema() *arrow.Schema          { return g.schema }
func (g *generated) RecordBatch() arrow.RecordBatch { return g.current }
func (g *generated) Err() error {
	if g.current == nil {
		return g.err
	}
	return nil
}

func (g *generated) Next() bool {
	if g.current != nil {
		g.current.Release()
	}
	g.current = g.next(g.n)
	g.n++
	return g.current != nil
}

// counting makes batches of one column that counts up, of the sizes given.
func counting(alloc memory.Allocator, sizes ...int) *generated {
	schema := arrow.NewSchema([]arrow.Field{field("n", i64)}, nil)
	total := int64(0)
	return &generated{schema: schema, next: func(n int) arrow.RecordBatch {
		if n >= len(sizes) {
			return nil
		}
		b := array.NewInt64Builder(alloc)
		defer b.Release()
		for range sizes[n] {
			b.Append(total)
			total++
		}
		arr := b.NewArray()
		defer arr.Release()
		return array.NewRecordBatch(schema, []arrow.Array{arr}, int64(sizes[n]))
	}}
}

// failingWriter fails after some bytes.
type failingWriter struct {
	left int
	err  error
}

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, w.err
	}
	return len(p), nil
}

var errSource = errors.New("the source broke")

// wide is 53 columns, some long, as warehouses have them.
func wide(t testing.TB) api.Rows {
	var fields []arrow.Field
	var one, two []string
	for j := range 53 {
		switch j % 3 {
		case 0:
			fields = append(fields, field(fmt.Sprintf("metric_%02d", j), f64))
			one, two = append(one, fmt.Sprint(j)), append(two, "null")
		case 1:
			fields = append(fields, field(fmt.Sprintf("a_rather_long_column_name_%02d", j), text))
			one, two = append(one, `"x"`), append(two, `"`+strings.Repeat("long text ", j)+`"`)
		default:
			fields = append(fields, field(fmt.Sprintf("d%02d", j), arrow.FixedWidthTypes.Date32))
			one, two = append(one, `"2026-01-31"`), append(two, `"1999-12-31"`)
		}
	}
	return result(t, fields, row(one...), row(two...))
}

// noCaveats makes a reader of batches api.Rows.
type noCaveats struct{}

func (noCaveats) Caveats() []api.Caveat { return nil }
