package output

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// TestArrowFilesAndStreams: what is named .arrow is a file, as other programs
// expect, and .arrows a stream.
func TestArrowFilesAndStreams(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.arrow", "a.arrows", "A.ARROW"} {
		path := filepath.Join(dir, name)
		if _, err := WriteFile(t.Context(), path, result(t, []arrow.Field{field("n", i64)}, "1", "2"), Arrow, false, Options{}); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if name == "a.arrows" {
			if r, err := ipc.NewReader(f); err != nil || !r.Next() || r.RecordBatch().NumRows() != 2 {
				t.Error(name, err)
			}
			continue
		}
		r, err := ipc.NewFileReader(f)
		if err != nil {
			t.Error(name, err)
			continue
		}
		if rows, err := r.RecordBatch(0); err != nil || rows.NumRows() != 2 {
			t.Error(name, err)
		}
	}
}
