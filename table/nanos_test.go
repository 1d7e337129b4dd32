package table

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	written "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/agnes-data/da/api"
)

// TestCutNanoseconds: files name the columns whose nanoseconds are not read, also
// inside of lists and structs.
func TestCutNanoseconds(t *testing.T) {
	utc := &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}
	cut := []arrow.Field{
		{Name: "utc", Type: utc}, {Name: "list", Type: arrow.ListOf(utc)},
		{Name: "inside", Type: arrow.StructOf(arrow.Field{Name: "n", Type: arrow.PrimitiveTypes.Int64}, arrow.Field{Name: "t", Type: utc})},
	}
	whole := []arrow.Field{
		{Name: "n", Type: arrow.PrimitiveTypes.Int64}, {Name: "local", Type: arrow.FixedWidthTypes.Timestamp_ns},
		{Name: "micro", Type: arrow.FixedWidthTypes.Timestamp_us},
	}
	whole[1].Type = &arrow.TimestampType{Unit: arrow.Nanosecond}
	time := arrow.Field{Name: "time", Type: arrow.FixedWidthTypes.Time64ns}
	for name, fields := range map[string][]arrow.Field{
		"a.parquet": append(append(whole, time), cut...),
		"a.arrow":   append(append(whole, time), append(cut, arrow.Field{Name: "duration", Type: arrow.FixedWidthTypes.Duration_ns})...),
	} {
		ts, dir := newTables(t)
		path := filepath.Join(dir, name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range fields {
			fields[i].Nullable = true
		}
		schema := arrow.NewSchema(fields, nil)
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for i := range fields {
			b.Field(i).AppendNull()
		}
		if rows := b.NewRecordBatch(); name == "a.arrow" {
			w := ipc.NewWriter(f, ipc.WithSchema(schema))
			if err := w.Write(rows); err != nil {
				t.Fatal(err)
			}
			err = w.Close()
		} else {
			var w *pqarrow.FileWriter
			if w, err = pqarrow.NewFileWriter(schema, f, written.NewWriterProperties(written.WithVersion(written.V2_LATEST)), pqarrow.DefaultWriterProps()); err != nil {
				t.Fatal(err)
			}
			if err := w.Write(rows); err != nil {
				t.Fatal(err)
			}
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		_ = f.Close() // the parquet writer has closed it
		m, err := ts.Map(t.Context(), MapRequest{Source: Source{Path: path}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range m.Caveats {
			if c.Kind == api.CaveatNarrowed {
				got = append(got, c.About.Columns...)
			}
		}
		want := map[string]string{"a.parquet": "utc list inside", "a.arrow": "utc list inside duration"}[name]
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", name, got, want)
		}
	}
}
