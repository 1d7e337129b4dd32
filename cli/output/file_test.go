package output

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/arrowjson"
)

// onlyFiles fails the test unless the folder holds the files named and nothing
// else.
func onlyFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if fmt.Sprint(got) != fmt.Sprint(names) {
		t.Errorf("the folder holds %q, not %q", got, names)
	}
}

func contents(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestFileAppearsWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.csv")
	summary, err := WriteFile(context.Background(), path, flights(t), CSV, false, Options{MaxRows: 2, Terminal: true, Width: 20})
	if err != nil || summary.Rows != 2 || !summary.Truncated {
		t.Fatalf("%+v, %v", summary, err)
	}
	if got, want := contents(t, path), "date,delay,distance,origin,late\n2001-01-10,14,2475.5,JFK,true\n2001-01-31,-5,190.0,NULL,false\n"; got != want {
		t.Errorf("got %q", got)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(dir, "zz")
	if err := os.WriteFile(plain, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if usual, err := os.Stat(plain); err != nil || info.Mode() != usual.Mode() {
		t.Errorf("permissions %v, those of any new file are %v", info.Mode(), usual.Mode())
	}
	onlyFiles(t, dir, "out.csv", "zz")
}

func TestExistingFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.csv")
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteFile(context.Background(), path, flights(t), CSV, false, Options{}); !api.CodeTargetExists.Is(err) {
		t.Errorf("got %v", err)
	}
	if got := contents(t, path); got != "precious" {
		t.Errorf("it now holds %q", got)
	}
	link := filepath.Join(dir, "link.csv")
	if err := os.Symlink("out.csv", link); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteFile(context.Background(), link, flights(t), NDJSON, true, Options{}); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, path); !strings.HasPrefix(got, `{"date"`) {
		t.Errorf("it was not replaced through the link: %q", got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("permissions are now %v", info.Mode())
	}
	onlyFiles(t, dir, "link.csv", "out.csv")
}

func TestTargetsThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, fifo, "/dev/null", filepath.Join(dir, "missing", "a.csv"), filepath.Join(fifo, "a.csv")} {
		if _, err := WriteFile(context.Background(), path, flights(t), CSV, true, Options{}); !api.CodeNotWritable.Is(err) {
			t.Errorf("%s: got %v", path, err)
		}
	}
	onlyFiles(t, dir, "fifo")
}

func TestAFailureLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, f := range []Format{CSV, JSON, Arrow, Table, Parquet, XLSX} {
		rdr := counting(memory.DefaultAllocator, 2)
		rdr.err = errSource
		if _, err := WriteFile(context.Background(), path, rdr, f, true, Options{WriteParquet: drain, WriteWorkbook: count}); !errors.Is(err, errSource) {
			t.Errorf("%s: got %v", f, err)
		}
		if got := contents(t, path); got != "old" {
			t.Errorf("%s: it now holds %q", f, got)
		}
	}
	onlyFiles(t, dir, "out")
}

// emptyFooter is the end of a parquet file that says nothing.
const emptyFooter = "\x00\x01\x00\x00\x00PAR1"

// drain stands for an engine: it reads everything, and writes the names of the
// columns and the number of rows.
func drain(_ context.Context, path string, rdr array.RecordReader) (int64, error) {
	rdr.Retain()
	defer rdr.Release()
	rows := int64(0)
	for rdr.Next() {
		if !rdr.RecordBatch().Schema().Equal(rdr.Schema()) {
			return 0, errors.New("a batch has another schema than its reader")
		}
		rows += rdr.RecordBatch().NumRows()
	}
	if err := rdr.Err(); err != nil {
		return rows, err
	}
	// As DuckDB does: beside the target first, then over it.
	beside := filepath.Join(filepath.Dir(path), "tmp_engine")
	text := fmt.Sprintf("%q %d", arrowjson.Names(rdr.Schema()), rows) + emptyFooter
	if err := os.WriteFile(beside, []byte(text), 0o644); err != nil {
		return rows, err
	}
	return rows, os.Rename(beside, path)
}

func TestParquet(t *testing.T) {
	const want = `["a" "a_2" "A_3" "a_1"] 1` // and metadata, with what is known
	dir := t.TempDir()
	path := filepath.Join(dir, "out.parquet")
	summary, err := WriteFile(context.Background(), path, twins(t), Parquet, false, Options{WriteParquet: drain})
	if err != nil || summary.Rows != 1 || len(summary.Caveats) != 1 {
		t.Fatalf("%+v, %v", summary, err)
	}
	if got := contents(t, path); !strings.HasPrefix(got, want) || !strings.Contains(got, api.CaveatsKey) {
		t.Errorf("got %s", got)
	}
	onlyFiles(t, dir, "out.parquet")

	temp := t.TempDir()
	var b bytes.Buffer
	summary, err = Write(context.Background(), &b, twins(t), Parquet, Options{WriteParquet: drain, TempDir: temp})
	if err != nil || summary.Rows != 1 || len(summary.Caveats) != 1 || !strings.HasPrefix(b.String(), want) {
		t.Errorf("%+v, %v, %q", summary, err, b.String())
	}
	onlyFiles(t, temp)

	b.Reset()
	summary, err = Write(context.Background(), &b, counting(memory.DefaultAllocator, 3, 3), Parquet, Options{WriteParquet: drain, TempDir: temp, MaxRows: 4})
	if err != nil || summary.Rows != 4 || !summary.Truncated || b.String() != `["n"] 4`+emptyFooter {
		t.Errorf("%+v, %v, %q", summary, err, b.String())
	}
	if _, err := Write(context.Background(), &b, twins(t), Parquet, Options{}); !api.CodeUsage.Is(err) {
		t.Errorf("without an engine: %v", err)
	}
	if _, err := Write(context.Background(), &b, twins(t), Parquet, Options{WriteParquet: drain, TempDir: filepath.Join(temp, "missing")}); err == nil {
		t.Error("no folder for temporary files, and no error")
	}
}

// count stands for a writer of workbooks: it reads everything, writes the
// number of rows and has a warning.
func count(_ context.Context, w io.Writer, rdr api.Rows) ([]api.Caveat, error) {
	rows := int64(0)
	for rdr.Next() {
		rows += rdr.RecordBatch().NumRows()
	}
	if err := rdr.Err(); err != nil {
		return nil, err
	}
	_, err := fmt.Fprintf(w, "%d rows", rows)
	return api.CaveatsOf(api.CaveatOther, "counted"), err
}

func TestWorkbook(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.xlsx")
	o := Options{WriteWorkbook: count, MaxRows: 4}
	summary, err := WriteFile(context.Background(), path, counting(memory.DefaultAllocator, 3, 3), XLSX, false, o)
	if err != nil || summary.Rows != 4 || !summary.Truncated || !slices.Equal(api.Texts(summary.Caveats), []string{"counted"}) {
		t.Fatalf("%+v, %v", summary, err)
	}
	if got := contents(t, path); got != "4 rows" {
		t.Errorf("got %s", got)
	}
	var b bytes.Buffer
	o.Terminal = true
	if _, err := Write(context.Background(), &b, flights(t), XLSX, o); !api.CodeUsage.Is(err) || b.Len() > 0 {
		t.Errorf("to a terminal: %v, %q", err, b.String())
	}
	if _, err := Write(context.Background(), &b, flights(t), XLSX, Options{}); !api.CodeUsage.Is(err) {
		t.Errorf("without a writer: %v", err)
	}
	if _, err := Write(context.Background(), full{}, flights(t), XLSX, Options{WriteWorkbook: count}); !api.CodeDiskFull.Is(err) {
		t.Errorf("to a full disk: %v", err)
	}
}

// full is a file on a disk without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// Of many that write a new file, one succeeds, and the file is whole.
func TestRacingForANewFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.csv")
	var wg sync.WaitGroup
	errs := make([]error, 20)
	for i := range errs {
		wg.Go(func() {
			_, errs[i] = WriteFile(context.Background(), path, counting(memory.NewGoAllocator(), 1000), CSV, false, Options{})
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case !api.CodeTargetExists.Is(err):
			t.Errorf("got %v", err)
		}
	}
	if won != 1 {
		t.Errorf("%d writers believe that they made the file", won)
	}
	if got := strings.Count(contents(t, path), "\n"); got != 1001 {
		t.Errorf("the file has %d lines", got)
	}
	onlyFiles(t, dir, "out.csv")
}
