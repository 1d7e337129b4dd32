package intake

import (
	"bytes"
	"context"
	"errors"
	"math/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/format"
)

// FuzzFile feeds anything to the whole way from bytes to Arrow: it must end in
// a table whose cells all have the types found, or in an error with a code.
func FuzzFile(f *testing.F) {
	f.Add([]byte("a,b\n1,2\n3,x\n\nend of it\n"))
	f.Add([]byte("\xff\xfea\x00;\x00b\x00\n\x001\x00;\x002\x00\n\x00"))
	f.Add([]byte("t\n\"1,5\";2024-01-01\n'x;y';3\r4;5\r\n"))
	f.Add([]byte("{\"a\":1}\n"))
	f.Add([]byte("# x\na|b|c\n1|2\n\"|\n"))
	dir, err := os.MkdirTemp("", "fuzz-intake-")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { os.RemoveAll(dir) })
	f.Fuzz(func(t *testing.T, data []byte) { wholeWay(t, filepath.Join(dir, "file.csv"), data) })
}

// TestRandomTables sends tables of values that are hard to tell apart the same
// way.
func TestRandomTables(t *testing.T) {
	rnd := rand.New(rand.NewSource(11))
	values := []string{"1", "-2", "007", "1.5", "1,5", "1.234", "1,234", "1.234,5", "12:30", "2024-01-31", "31/01/2024", "01/02/2024", "5 Oct 2024",
		"2024-01-31 10:00", "2024-01-31T10:00:00Z", "true", "no", "NA", "", `""`, `"a;b"`, "x y", "$5", "(3)", "1e-7", "NaN", "inf", `{"a":1}`, "\\N", "é", "9223372036854775808", "1 234", "20240131", "+42", " 7"}
	delims, ends := []string{",", ";", "\t", "|"}, []string{"\n", "\r\n", "\n\n"}
	path := filepath.Join(t.TempDir(), "file.csv")
	for range 800 {
		var b bytes.Buffer
		delim, end, cols := delims[rnd.Intn(len(delims))], ends[rnd.Intn(len(ends))], 1+rnd.Intn(5)
		kinds := make([][]string, cols)
		for j := range kinds {
			for range 1 + rnd.Intn(3) {
				kinds[j] = append(kinds[j], values[rnd.Intn(len(values))])
			}
		}
		for range 1 + rnd.Intn(12) {
			n := cols
			if rnd.Intn(10) == 0 {
				n = 1 + rnd.Intn(cols+1)
			}
			for j := range n {
				if j > 0 {
					b.WriteString(delim)
				}
				b.WriteString(kinds[j%cols][rnd.Intn(len(kinds[j%cols]))])
			}
			b.WriteString(end)
		}
		wholeWay(t, path, b.Bytes())
		if t.Failed() {
			t.Fatalf("%q", b.String())
		}
	}
}

func wholeWay(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := Open(path)
	if err != nil {
		var e *api.Error
		if !errors.As(err, &e) {
			t.Fatalf("no code: %v", err)
		}
		return
	}
	defer file.Close()
	if file.Kind != format.Text {
		return
	}
	p, err := file.Profile(context.Background(), Options{})
	if err != nil {
		var e *api.Error
		if !errors.As(err, &e) {
			t.Fatalf("no code: %v", err)
		}
		return
	}
	r, err := file.Load(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	rows := int64(0)
	nulls := make([]int64, len(p.Columns))
	for r.Next() {
		rows += r.RecordBatch().NumRows()
		for j, c := range r.RecordBatch().Columns() {
			nulls[j] += int64(c.NullN())
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	if rows != p.Rows {
		t.Errorf("%d rows loaded, %d profiled", rows, p.Rows)
	}
	misfits, _ := r.Misfits()
	for j, c := range p.Columns {
		if misfits[j] > 0 {
			t.Errorf("column %q: %d cells are no %s", c.Name, misfits[j], c.Type)
		}
		if nulls[j] != c.Nulls {
			t.Errorf("column %q: %d nulls loaded, %d profiled", c.Name, nulls[j], c.Nulls)
		}
	}
}
