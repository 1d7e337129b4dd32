package parquetfile

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// TestTagsAreAdded to files with and without metadata of their own; another reader
// finds them all, and the rows.
func TestTagsAreAdded(t *testing.T) {
	for _, own := range []int{0, 1, 14, 15, 200} {
		schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		b.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 2, 3}, nil)
		var out bytes.Buffer
		w, err := pqarrow.NewFileWriter(schema, &out, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps())
		if err == nil {
			err = w.Write(b.NewRecordBatch())
		}
		for i := range own {
			if err == nil {
				err = w.AppendKeyValueMetadata(fmt.Sprint("own", i), "value")
			}
		}
		if err == nil {
			err = w.Close()
		}
		path := filepath.Join(t.TempDir(), "a.parquet")
		if err == nil {
			err = os.WriteFile(path, out.Bytes(), 0o600)
		}
		long := strings.Repeat("long ", 1000)
		if err == nil {
			err = Tag(path, "da.first", long)
		}
		if err == nil {
			err = Tag(path, "da.second", "{}")
		}
		if err != nil {
			t.Fatal(err)
		}
		data, _ := os.ReadFile(path)
		r, err := file.NewParquetReader(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%d of its own: %v", own, err)
		}
		meta := r.MetaData().KeyValueMetadata()
		if r.NumRows() != 3 || meta.Len() != own+2 || *meta.FindValue("da.first") != long || own > 0 && *meta.FindValue("own0") != "value" {
			t.Errorf("%d of its own: %d rows, %v", own, r.NumRows(), meta.Keys())
		}
		for key, want := range map[string]string{"da.first": long, "da.second": "{}", "da.third": ""} {
			if got, err := Tagged(bytes.NewReader(data), int64(len(data)), key); err != nil || got != want {
				t.Errorf("%s: %.20q %v", key, got, err)
			}
		}
		var copied bytes.Buffer
		if err := CopyTagged(&copied, bytes.NewReader(data[:]), int64(len(data)), "da.third", "x"); err != nil {
			t.Fatal(err)
		}
		if got, err := Tagged(bytes.NewReader(copied.Bytes()), int64(copied.Len()), "da.third"); err != nil || got != "x" {
			t.Errorf("a copy: %q %v", got, err)
		}
	}
}

// TestWhatIsNoParquetIsNotTagged whatever it ends with.
func TestWhatIsNoParquetIsNotTagged(t *testing.T) {
	for _, data := range []string{"", "PAR1", "PAR1\x00\x00\x00\x00PAR1", "PAR1\xff\xff\xff\xffPAR1", "PAR1\x15\x15\x00\x00\x00\x02PAR1"} {
		if err := CopyTagged(&bytes.Buffer{}, strings.NewReader(data), int64(len(data)), "k", "v"); err == nil {
			t.Errorf("%q is tagged", data)
		}
	}
}
