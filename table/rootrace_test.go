package table

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestRootRace reads and writes below a root while somebody keeps replacing a
// folder by a link to one outside: at no time may the outside be read, or
// written to.
func TestRootRace(t *testing.T) {
	const rounds = 1000
	dir := t.TempDir()
	root, outside := filepath.Join(dir, "root"), filepath.Join(dir, "outside")
	inside := filepath.Join(root, "folder")
	for _, d := range []string{outside, inside} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, root, "still.csv", "a\n1\n")
	write(t, inside, "in.csv", "a\n1\n")
	write(t, outside, "in.csv", "secret\n1\n2\n3\n")
	write(t, inside, "in.jsonl", `{"a":1}`+"\n")
	write(t, outside, "in.jsonl", `{"secret":1}`+"\n")
	aside := filepath.Join(root, "aside")
	stop, done := make(chan struct{}), make(chan struct{})
	var swaps atomic.Int64
	go func() { // the folder, then a link outside in its place, then the folder
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if os.Rename(inside, aside) != nil || os.Symlink(outside, inside) != nil || os.Remove(inside) != nil || os.Rename(aside, inside) != nil {
				return
			}
			swaps.Add(1)
		}
	}()
	ts, err := New(Config{Dir: filepath.Join(dir, "cache"), WorkDir: root, Root: root})
	if err != nil {
		t.Fatal(err)
	}
	defer ts.Close()
	ctx := context.Background()
	read, refused := 0, 0
	for i := range rounds {
		name := []string{"folder/in.csv", "folder/in.jsonl"}[i%2]
		m, err := ts.Map(ctx, MapRequest{Source: Source{Path: name}})
		switch {
		case err == nil && m.Columns[0].Name != "a":
			t.Fatalf("round %d: the file outside was read: %+v", i, m.Columns)
		case err == nil:
			read++
		case api.CodeSandbox.Is(err):
			refused++
		case !api.CodeReadFailed.Is(err):
			t.Fatalf("round %d: %v", i, err)
		}
		_, err = ts.Export(ctx, ExportRequest{Source: Source{Path: "still.csv"}, TargetPath: "folder/out.csv", Force: true})
		if err != nil && !api.CodeSandbox.Is(err) && !api.CodeWriteFailed.Is(err) {
			t.Fatalf("round %d: %v", i, err)
		}
	}
	close(stop)
	<-done
	left, err := os.ReadDir(outside)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range left {
		if !strings.HasPrefix(f.Name(), "in.") {
			t.Errorf("%s was written outside", f.Name())
		}
	}
	if read == 0 || refused == 0 || swaps.Load() < rounds {
		t.Errorf("%d read, %d refused, %d swaps: the race was not run", read, refused, swaps.Load())
	}
}
