package table

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	written "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/agnes-data/da/api"
)

// TestAnEncodingThatTheEngineLacks: the error is about the file, not about the
// statement, and says what to do.
func TestAnEncodingThatTheEngineLacks(t *testing.T) {
	ts, dir := newTables(t)
	path := filepath.Join(dir, "a.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int32}}, nil)
	w, err := pqarrow.NewFileWriter(schema, f, written.NewWriterProperties(written.WithDictionaryDefault(false), written.WithEncoding(written.Encodings.ByteStreamSplit)), pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	b.Field(0).(*array.Int32Builder).Append(7)
	if err := errors.Join(w.Write(b.NewRecordBatch()), w.Close()); err != nil {
		t.Fatal(err)
	}
	_, err = ts.Query(t.Context(), QueryRequest{Source: Source{Path: path}, Query: "SELECT n + 1 FROM data"})
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.CodeReadFailed || e.Hint == "" {
		t.Errorf("got %+v", err)
	}
}
