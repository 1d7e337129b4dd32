package parquetwriter_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/parquetfile"
	"github.com/agnes-data/da/internal/rows/parquetwriter"
	"github.com/agnes-data/da/internal/testing/enginetest"
)

// TestPartsMakeOneFile has several goroutines write pieces of a table: the file has
// each row once, as Arrow's reader and the engine see it.
func TestPartsMakeOneFile(t *testing.T) {
	conn := enginetest.Conn(t)
	for name, as := range shapes {
		for i, rows := range []int{0, 1, 900} {
			whole := table(uint64(rows), rows, as)
			written := together(t, whole, cut(rand.New(rand.NewPCG(1, uint64(i))), whole, 1+rows/9))
			what := fmt.Sprintf("%s, %d rows", name, rows)
			if err := parquetfile.Check(bytes.NewReader(written), int64(len(written)), parquetfile.Expected{Schema: whole.Schema(), Rows: int64(rows)}); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			want := lines([]arrow.RecordBatch{whole})
			if got := lines(inArrow(t, written)); !slices.Equal(got, want) {
				t.Fatalf("%s: Arrow reads other rows", what)
			}
			if got := lines(inEngine(t, conn, written)); !slices.Equal(got, want) {
				t.Fatalf("%s: the engine reads other rows", what)
			}
		}
	}
}

// together writes batches by three goroutines.
func together(t *testing.T, whole arrow.RecordBatch, batches []arrow.RecordBatch) []byte {
	t.Helper()
	var b bytes.Buffer
	u, err := parquetwriter.NewUnordered(&b, whole.Schema(), parquetwriter.Options{Codec: parquetwriter.Snappy})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for k := range 3 {
		p := u.Part()
		all.Go(func() {
			for i := k; i < len(batches); i += 3 {
				if err := p.Add(batches[i]); err != nil {
					t.Error(err)
				}
				if i%7 == 0 { // a group may be of any size
					_ = p.Flush()
				}
			}
			if err := p.Flush(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// lines are rows as texts, sorted.
func lines(batches []arrow.RecordBatch) (all []string) {
	for _, b := range batches {
		for row := range int(b.NumRows()) {
			var line strings.Builder
			for _, c := range b.Columns() {
				fmt.Fprintf(&line, "%q ", c.ValueStr(row))
			}
			all = append(all, line.String())
		}
	}
	slices.Sort(all)
	return all
}

func inArrow(t *testing.T, written []byte) []arrow.RecordBatch {
	t.Helper()
	f, err := file.NewParquetReader(bytes.NewReader(written))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{BatchSize: 10_000}, memory.NewGoAllocator())
	if err != nil {
		t.Fatal(err)
	}
	rows, err := r.GetRecordReader(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return all(t, rows)
}

func inEngine(t *testing.T, conn *duckdb.Conn, written []byte) []arrow.RecordBatch {
	t.Helper()
	path := filepath.Join(t.TempDir(), "written.parquet")
	if err := os.WriteFile(path, written, 0o600); err != nil {
		t.Fatal(err)
	}
	rows, err := conn.Query(t.Context(), "SELECT * FROM "+duckdb.Literal(path))
	if err != nil {
		t.Fatal(err)
	}
	return all(t, rows)
}

func all(t *testing.T, rows array.RecordReader) (batches []arrow.RecordBatch) {
	t.Helper()
	defer rows.Release()
	for rows.Next() {
		b := rows.RecordBatch()
		b.Retain()
		batches = append(batches, b)
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	return batches
}
