package lake

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/embedded"
)

// TestAScanReadsWhatWasChecked replaces a file by a link that leads out of the
// root, at the worst moments.
func TestAScanReadsWhatWasChecked(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	for _, format := range []string{".parquet", ".csv", ".jsonl"} {
		f := openFolder(t, t.TempDir(), Options{Threads: 1}) // so that the engine opens one file after the other
		f.copy(t, "out"+format, "SELECT 666 AS n FROM range(100000)", formatOption(format))
		if err := os.Rename(f.path(t, "out"+format), outside+format); err != nil {
			t.Fatal(err)
		}
		const files = 8
		for i := range files {
			f.copy(t, fmt.Sprintf("in/%d%s", i, format), "SELECT 1 AS n FROM range(100000)", formatOption(format))
		}
		last := f.path(t, fmt.Sprintf("in/%d%s", files-1, format))
		scan := f.scan(t, "in/*"+format, "", "n")
		r, err := f.lake.Scan(t.Context(), scan)
		if err != nil || !r.Next() {
			t.Fatal(err)
		}
		begun := int(r.RecordBatch().NumRows())
		if err := os.Rename(last, f.path(t, "aside"+format)); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside+format, last); err != nil {
			t.Fatal(err)
		}
		rest, err := values(r)
		if err != nil || rest["1"] != files*100000-begun || len(rest) != 1 {
			t.Errorf("%s: rows by their values: %v, %v", format, rest, err)
		}
		r.Release()
		_, err = f.lake.Scan(t.Context(), scan)
		refused(t, f, err, "source_failed", "leads out of the source's root")
	}
}

// TestListedIsNotOpened replaces a file between the listing and the opening.
func TestListedIsNotOpened(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.WriteFile(outside, []byte("n\n6\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := newFolder(t)
	f.write(t, "a.csv", "n\n1\n")
	set, err := f.lake.resolve(t.Context(), "a.csv")
	if err != nil {
		t.Fatal(err)
	}
	own := f.path(t, "a.csv")
	for _, x := range []struct {
		becomes func() error
		says    string
	}{
		{func() error { return os.Symlink(outside, own) }, "leads out of the source's root"},
		{func() error { return os.WriteFile(own, []byte("n\n12\n"), 0o600) }, "changed meanwhile"},
		{func() error { return os.Mkdir(own, 0o700) }, "changed meanwhile"},
		{func() error { return nil }, "changed meanwhile"},
	} {
		if err := os.RemoveAll(own); err != nil {
			t.Fatal(err)
		}
		if err := x.becomes(); err != nil {
			t.Fatal(err)
		}
		_, err := f.lake.link(set, set.files)
		refused(t, f, err, "source_failed", x.says)
	}
	if embedded.Openable.Used() != 0 {
		t.Errorf("%d files count as open", embedded.Openable.Used())
	}
}

// TestNothingStaysOpen counts descriptors and links after requests of all kinds.
func TestNothingStaysOpen(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "a.parquet", "SELECT 1 AS n")
	f.write(t, "b.jsonl", "{\"n\":1}\n")
	for _, name := range []string{"a.parquet", "b.jsonl"} {
		f.rows(t, f.scan(t, name, "n = 1"))
		tables := map[string]source.Relation{"t": {Name: name}}
		r, err := f.lake.Query(t.Context(), "SELECT * FROM t", tables)
		if err != nil {
			t.Fatal(err)
		}
		r.Release()
		if _, err := f.lake.Query(t.Context(), "SELECT nothing FROM t", tables); err == nil {
			t.Error("no error")
		}
	}
	left, err := os.ReadDir(f.lake.links)
	if err != nil || len(left) > 0 || embedded.Openable.Used() != 0 {
		t.Errorf("left: %v, %d files, %v", left, embedded.Openable.Used(), err)
	}
}
