package cachedb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/table/intake"
)

// place is a folder with a file and stores that share a folder, as processes
// would.
type place struct {
	t        *testing.T
	dir      string
	profiles atomic.Int64
	builds   atomic.Int64
	now      atomic.Int64 // seconds ahead of the clock
}

func newPlace(t *testing.T) *place { return &place{t: t, dir: t.TempDir()} }

func (p *place) store(max int64) *Store {
	p.t.Helper()
	s, err := Open(filepath.Join(p.dir, "cache"), max, func() time.Time {
		return time.Now().Add(time.Duration(p.now.Load()) * time.Second)
	}, func(ctx context.Context, f *intake.File, o intake.Options) (*intake.Profile, error) {
		p.profiles.Add(1)
		return f.Profile(ctx, o)
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

func (p *place) write(name, text string) Source {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return Source{Path: path}
}

func (p *place) database(s *Store, src Source) (string, *Entry) {
	p.t.Helper()
	path, e, err := p.tryDatabase(s, src)
	if err != nil {
		p.t.Fatal(err)
	}
	return path, e
}

func (p *place) tryDatabase(s *Store, src Source) (string, *Entry, error) {
	f, err := intake.Open(src.Path)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	return s.Database(context.Background(), src, f, func(ctx context.Context, c *duckdb.Conn, e *Entry) error {
		p.builds.Add(1)
		return c.Exec(ctx, fmt.Sprintf("CREATE TABLE data AS SELECT %d AS rows", e.Profile.Rows))
	})
}

func (p *place) names(pattern string) int {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.dir, "cache", pattern))
	if err != nil {
		p.t.Fatal(err)
	}
	return len(files)
}

func TestConcurrentFirstCallsBuildOnce(t *testing.T) {
	p := newPlace(t)
	src := p.write("x.csv", "a\n1\n2\n")
	var wg sync.WaitGroup
	paths := make([]string, 12)
	for i := range paths {
		s := p.store(0)
		wg.Go(func() {
			path, _, err := p.tryDatabase(s, src)
			if err != nil {
				t.Error(err)
			}
			paths[i] = path
		})
	}
	wg.Wait()
	for _, path := range paths {
		if path != paths[0] {
			t.Errorf("two databases: %s and %s", path, paths[0])
		}
	}
	if p.builds.Load() != 1 || p.profiles.Load() != 1 {
		t.Errorf("%d builds, %d profiles", p.builds.Load(), p.profiles.Load())
	}
	db, err := duckdb.OpenFile(paths[0], true, duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var rows int64
	if err := c.QueryRow(context.Background(), "SELECT rows FROM data", nil, &rows); err != nil || rows != 2 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

func TestContentDecides(t *testing.T) {
	p := newPlace(t)
	s := p.store(0)
	src := p.write("x.csv", "a\n1\n")
	first, _ := p.database(s, src)

	// Touched, but the same: the database stays.
	later := time.Now().Add(-time.Hour)
	if err := os.Chtimes(src.Path, later, later); err != nil {
		t.Fatal(err)
	}
	if again, _ := p.database(s, src); again != first || p.builds.Load() != 1 {
		t.Errorf("a touched file was built again")
	}

	// Another content of the same size and the same time of modification.
	p.write("x.csv", "a\n2\n")
	if err := os.Chtimes(src.Path, later, later); err != nil {
		t.Fatal(err)
	}
	second, e := p.database(s, src)
	if second == first || p.builds.Load() != 2 {
		t.Errorf("a changed file was not built again")
	}
	if _, err := os.Stat(first); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old database is still there: %v", err)
	}

	// Answers belong to a content.
	s.Remember(context.Background(), src, "another", "stats", 1)
	s.Remember(context.Background(), src, e.Head.Hash, "distinct", 2)
	_, e = p.database(s, src)
	if fmt.Sprint(e.Answers) != fmt.Sprint(map[string]json.RawMessage{"distinct": json.RawMessage("2")}) {
		t.Errorf("answers %s", e.Answers)
	}

	// Another way of reading is another entry.
	other := src
	other.Options.NoHeader = true
	if path, _ := p.database(s, other); path == second {
		t.Errorf("two ways of reading share a database")
	}
}

// TestFreshNeedsAge holds that a stamp proves nothing while the file is so new
// that a later change could have the same times.
func TestFreshNeedsAge(t *testing.T) {
	p := newPlace(t)
	s := p.store(0)
	src := p.write("x.csv", "a\n1\n")
	f, err := intake.Open(src.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e, err := s.Look(context.Background(), src, f)
	if err != nil {
		t.Fatal(err)
	}
	if e.fresh(stampOf(f.Info)) {
		t.Errorf("a file of this moment is taken for settled")
	}
	p.now.Store(10)
	if e, err = s.Look(context.Background(), src, f); err != nil || !e.fresh(stampOf(f.Info)) {
		t.Errorf("an old file is not taken for settled: %v", err)
	}
	if p.profiles.Load() != 1 {
		t.Errorf("%d profiles of the same content", p.profiles.Load())
	}
}

func TestSweep(t *testing.T) {
	p := newPlace(t)
	s := p.store(0)
	a, b := p.write("a.csv", "a\n1\n"), p.write("b.csv", "b\n1\n")
	pa, _ := p.database(s, a)
	p.database(s, b)
	dead := filepath.Join(s.Dir(), a.Key()+"-"+newGeneration()+dataExt) // its builder died before the record was written
	if err := os.WriteFile(dead, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(b.Path); err != nil {
		t.Fatal(err)
	}
	s.Sweep("")
	if n, m := p.names("*.duckdb"), p.names("*.json"); n != 1 || m != 1 {
		t.Errorf("%d databases and %d entries of one file", n, m)
	}
	if _, err := os.Stat(dead); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a leftover was not cleared: %v", err)
	}
	if _, err := os.Stat(pa); err != nil {
		t.Errorf("a database in use is gone: %v", err)
	}
}

func TestEviction(t *testing.T) {
	p := newPlace(t)
	big := p.store(0)
	var srcs []Source
	for i := range 4 {
		src := p.write(fmt.Sprintf("%d.csv", i), fmt.Sprintf("a\n%d\n", i))
		srcs = append(srcs, src)
		p.database(big, src)
		p.now.Add(60)
	}
	p.database(big, srcs[0]) // used last
	files, err := filepath.Glob(filepath.Join(big.Dir(), "*.duckdb"))
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(files[0])
	if err != nil {
		t.Fatal(err)
	}
	small := p.store(2*info.Size() + 1)
	small.Sweep("")
	if n := p.names("*.duckdb"); n != 2 {
		t.Errorf("%d databases stayed, want 2", n)
	}
	before := p.builds.Load()
	p.database(small, srcs[0])
	p.database(small, srcs[3])
	if p.builds.Load() != before {
		t.Errorf("the databases used last were evicted")
	}
	p.database(small, srcs[1]) // evicted: built again
	if p.builds.Load() != before+1 {
		t.Errorf("%d builds", p.builds.Load()-before)
	}
	if p.profiles.Load() != 4 {
		t.Errorf("%d profiles: eviction forgot more than rows", p.profiles.Load())
	}
}

func TestDamagedEntry(t *testing.T) {
	p := newPlace(t)
	s := p.store(0)
	src := p.write("x.csv", "a\n1\n")
	p.database(s, src)
	for _, text := range []string{"", "{", "{}\n{}\n{}\n", "null\nnull\nnull\n"} {
		if err := os.WriteFile(s.files.RecordPath(src.Key()), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, e := p.database(s, src); e.Profile.Rows != 1 {
			t.Errorf("%q: %+v", text, e)
		}
	}
	s.Sweep("")
	if n := p.names("*.duckdb"); n != 1 {
		t.Errorf("%d databases of one file", n)
	}
}

func TestFailedBuildLeavesNothing(t *testing.T) {
	p := newPlace(t)
	s := p.store(0)
	src := p.write("x.csv", "a\n1\n")
	f, err := intake.Open(src.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	broken := errors.New("broken")
	_, _, err = s.Database(context.Background(), src, f, func(context.Context, *duckdb.Conn, *Entry) error { return broken })
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if n := p.names("*.duckdb") + p.names(runDir+"/*"); n != 0 {
		t.Errorf("%d files were left", n)
	}
	ctx, cancel := context.WithCancel(context.Background())
	unlock, err := s.lock(context.Background(), src.Key())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	cancel()
	if _, err := s.lock(ctx, src.Key()); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that was cancelled: %v", err)
	}
}

// TestAFolderThatCannotBeWritten is not a fault of the file that is read. The lock
// that is there already can be had; a folder in the way of what is to be
// written stands for a file system that is read-only, which root may not pass
// either.
func TestAFolderThatCannotBeWritten(t *testing.T) {
	p := newPlace(t)
	s := p.store(0)
	src := p.write("x.csv", "a\n1\n")
	f, err := intake.Open(src.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Mkdir(s.namePath(src.Key()), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Look(context.Background(), src, f); !api.CodeNotWritable.Is(err) {
		t.Errorf("the lock: %v", err)
	}
	if err := s.build(context.Background(), filepath.Join(src.Path, building), &Entry{}, nil); !api.CodeNotWritable.Is(err) {
		t.Errorf("the database: %v", err)
	}
	for _, err := range []error{syscall.ENOSPC, &duckdb.Error{Type: "IO", Message: "Could not write file: " + syscall.ENOSPC.Error()}} {
		if err := storeError("make a database", err); !api.CodeDiskFull.Is(err) {
			t.Errorf("got %v", err)
		}
	}
}
