package table

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/table/intake"
)

// swapped makes a root with a folder, runs before, replaces the folder by a
// link to one outside, and runs after: what somebody could do at the worst
// moment.
func swapped(t *testing.T, before, after func(ts *Tables)) (aside, outside string) {
	t.Helper()
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	folder, aside, outside := filepath.Join(root, "folder"), filepath.Join(root, "aside"), filepath.Join(dir, "outside")
	for _, d := range []string{outside, folder} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"in.csv": "a\n1\n", "in.jsonl": `{"a":1}` + "\n"} {
		write(t, folder, name, text)
		write(t, outside, name, "secret"+text)
	}
	ts, err := New(Config{Dir: filepath.Join(dir, "cache"), WorkDir: root, Root: root})
	if err != nil {
		t.Fatal(err)
	}
	defer ts.Close()
	before(ts)
	if err := os.Rename(folder, aside); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, folder); err != nil {
		t.Fatal(err)
	}
	after(ts)
	return aside, outside
}

// TestSwappedBeforeOpen replaces the folder between the check of a path and the
// opening.
func TestSwappedBeforeOpen(t *testing.T) {
	var source, target string
	swapped(t, func(ts *Tables) {
		var err error
		if source, err = ts.resolve("folder/in.csv"); err != nil {
			t.Fatal(err)
		}
		if target, err = ts.resolveTarget("folder/out.csv"); err != nil {
			t.Fatal(err)
		}
	}, func(ts *Tables) {
		if f, err := intake.OpenWith(source, ts.opener(source)); !api.CodeSandbox.Is(err) {
			t.Errorf("opening: %v, %v", f, err)
		}
		if path, _, err := ts.throughHandle(target); !api.CodeSandbox.Is(err) {
			t.Errorf("holding: %s, %v", path, err)
		}
	})
}

// TestSwappedAfterOpen replaces the folder once the file is open, and before the
// engine reads it or the target is written.
func TestSwappedAfterOpen(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("the system has no paths to open files")
	}
	ctx := context.Background()
	var f *intake.File
	var path string
	var release func()
	aside, outside := swapped(t, func(ts *Tables) {
		source, err := ts.resolve("folder/in.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		if f, err = intake.OpenWith(source, ts.opener(source)); err != nil {
			t.Fatal(err)
		}
		target, err := ts.resolveTarget("folder/out.csv")
		if err != nil {
			t.Fatal(err)
		}
		if path, release, err = ts.throughHandle(target); err != nil {
			t.Fatal(err)
		}
	}, func(ts *Tables) {
		defer release()
		defer f.Close()
		p, err := ts.profile(ctx, f, intake.Options{})
		if err != nil || p.Columns[0].Name != "a" {
			t.Errorf("the engine read %+v, %v", p, err)
		}
		out, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(out, "x"); err != nil {
			t.Fatal(err)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
	})
	if _, err := os.Stat(filepath.Join(aside, "out.csv")); err != nil {
		t.Errorf("the target is not in the folder: %v", err)
	}
	if _, err := os.Stat(filepath.Join(outside, "out.csv")); err == nil {
		t.Error("the target was written outside")
	}
}
