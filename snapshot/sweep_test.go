package snapshot

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/agnes-data/da/internal/atomicfile"
)

func mustWrite(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSweepTakesWhatNobodyOwns leaves every kind of orphan, and things that
// only look like one.
func TestSweepTakesWhatNobodyOwns(t *testing.T) {
	home := t.TempDir()
	s := mustOpen(t, home)
	mustPut(t, s, "a", "kept")
	id, gen := newID(), newID()
	for _, base := range []string{
		tempPrefix + id + dataExt, tempPrefix + id + lockExt, scratchPrefix + tempPrefix + id + dataExt,
		tempPrefix + newID() + dataExt, tempPrefix + newID() + lockExt, scratchPrefix + tempPrefix + newID() + dataExt,
		dataName("a", gen), dataName("gone", gen), filepath.Join(usedDir, "gone"), filepath.Join(namesDir, "gone"),
	} {
		mustWrite(t, s.path(base), "orphan")
	}
	if err := os.Symlink(dataName("gone", gen), s.linkPath("gone")); err != nil {
		t.Fatal(err)
	}
	staged, err := atomicfile.Stage(s.sidecarPath("a"), 0o600, nothing)
	if err != nil || staged == nil {
		t.Fatal(err)
	}
	if _, err := atomicfile.StageSymlink("x", s.linkPath("a")); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside")
	mustWrite(t, outside, "not ours")
	reader := s.readerDir(newID())
	if err := os.MkdirAll(filepath.Join(reader, "spill"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(reader, "spill", "link")); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, s.readerLockPath(newID()), "")

	for _, base := range []string{"mine.parquet", "notes.txt", "a-notes.parquet", dataName("B", gen), ".tmp-x.parquet"} {
		mustWrite(t, s.path(base), "not ours")
	}
	if err := os.Symlink(outside, s.path("theirs.parquet")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(s.path(dataName("folder", gen)), 0o700); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, filepath.Join(s.run, "notes"), "not ours")
	mustOpen(t, home)
	wantTree(t, home, holding([]string{"a"},
		"mine.parquet", "notes.txt", "a-notes.parquet", dataName("B", "*"), ".tmp-x.parquet", "theirs.parquet",
		dataName("folder", "*"), "run/notes"))
	if text, err := os.ReadFile(outside); err != nil || string(text) != "not ours" {
		t.Errorf("outside: %q, %v", text, err)
	}
	if err := reads(s, "a", "kept"); err != nil {
		t.Error(err)
	}
}

func TestSweepMendsTheLink(t *testing.T) {
	home := t.TempDir()
	s := mustOpen(t, home)
	mustPut(t, s, "a", "x")
	if err := os.Remove(s.linkPath("a")); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, home)
	if text, err := contentOf(s.linkPath("a")); err != nil || text != "x" {
		t.Errorf("through the link: %q, %v", text, err)
	}
}

// TestSomebodysOwnFileIsNotReplaced puts a file where the link belongs.
func TestSomebodysOwnFileIsNotReplaced(t *testing.T) {
	home := t.TempDir()
	s := mustOpen(t, home)
	mustWrite(t, s.linkPath("a"), "mine")
	if err := put(s, "a", "x"); err == nil {
		t.Error("no warning")
	}
	if err := reads(mustOpen(t, home), "a", "x"); err != nil {
		t.Error(err)
	}
	if _, err := s.Drop("a", nil); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(s.linkPath("a")); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestSweepLeavesALiveWriterAlone has a process write while others open.
func TestSweepLeavesALiveWriterAlone(t *testing.T) {
	home := t.TempDir()
	writer := talk(t, "claim", home)
	writer.hear(t)
	writer.say(t, "go")
	if got := writer.hear(t); got != "won" {
		t.Fatal(got)
	}
	s := mustOpen(t, home)
	l, err := s.list()
	if err != nil || len(l.temps) != 1 {
		t.Fatalf("temporary files %v, %v; want one", l.temps, err)
	}
	var id string
	for id = range l.temps {
		// DuckDB may write beside it and rename it over.
		mustWrite(t, s.path(scratchPrefix+tempPrefix+id+dataExt), "half")
		mustWrite(t, s.tempPath(id), "half")
	}
	for range 20 {
		mustOpen(t, home)
	}
	for _, path := range []string{s.tempPath(id), s.path(scratchPrefix + tempPrefix + id + dataExt), s.tempLockPath(id), s.nameLockPath("a")} {
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("taken from a live writer: %v", err)
		}
	}
	if err := writer.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = writer.cmd.Wait()
	mustOpen(t, home)
	wantTree(t, home, holding(nil))
}

// TestSweepWaitsForNobody opens while an install is at work: what looks odd
// meanwhile is left alone.
func TestSweepWaitsForNobody(t *testing.T) {
	home := t.TempDir()
	s := mustOpen(t, home)
	mustPut(t, s, "a", "old")
	opened := 0
	s.step = func(step string) {
		if step == stepSidecarStaged {
			return // Stage has a test of its own below
		}
		s := mustOpen(t, home)
		if m, err := s.Get("a"); err != nil || m.Damage != nil {
			t.Errorf("at %s: %v", step, err)
		}
		opened++
	}
	mustPut(t, s, "a", "new")
	if opened < 8 {
		t.Errorf("opened at %d steps only", opened)
	}
	s.step = func(string) {}
	if err := reads(s, "a", "new"); err != nil {
		t.Error(err)
	}
}

// TestTheGapBeforeTheLock sweeps between the making of a lock's file and its
// locking.
func TestTheGapBeforeTheLock(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	path := s.tempLockPath(newID())
	l := openLock(path, os.O_RDWR)
	mustWrite(t, path, "")
	held, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Close() }()
	s.sweep()
	if _, err := os.Lstat(path); err == nil {
		t.Fatal("the sweep left a lock that nobody holds")
	}
	mustWrite(t, path, "") // another one of the same name
	if ok, err := l.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if !current(l) {
		t.Error("the lock on the new file does not count")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if current(l) {
		t.Error("a lock on a removed file counts")
	}
}

func TestOwnersAndSweepsTogether(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	stop := make(chan struct{})
	var sweeps sync.WaitGroup
	for range 2 {
		sweeps.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					s.sweep()
				}
			}
		})
	}
	var owners sync.WaitGroup
	for range 4 {
		owners.Go(func() {
			for range 200 {
				o, err := own(s.tempLockPath)
				if err != nil {
					t.Error(err)
					return
				}
				mustWrite(t, s.tempPath(o.id), "x")
				if _, err := os.Lstat(s.tempPath(o.id)); err != nil || !current(o.lock) {
					t.Errorf("taken from its owner: %v", err)
				}
				s.removeTemp(o.id)
				o.release()
			}
		})
	}
	owners.Wait()
	close(stop)
	sweeps.Wait()
	wantTree(t, s.home, []string{namesDir, usedDir})
}

// stock fills a store quickly with n snapshots.
func stock(tb testing.TB, home string, n int) {
	tb.Helper()
	s := mustOpen(tb, home)
	for i := range n {
		m := described("x")
		m.Version, m.Name = 1, "snapshot_"+strconv.Itoa(i)
		m.DataFile, m.BytesLocal = dataName(m.Name, newID()), filled("x")
		m.normalize()
		sidecar, err := m.encode()
		if err != nil {
			tb.Fatal(err)
		}
		if err := fill(s.path(m.DataFile), "x"); err != nil {
			tb.Fatal(err)
		}
		mustWrite(tb, s.sidecarPath(m.Name), string(sidecar))
		if err := os.Symlink(m.DataFile, s.linkPath(m.Name)); err != nil {
			tb.Fatal(err)
		}
	}
}

// TestOpenLooksCloserOnlyIfItMust pins why an Open is quick: it goes by names.
func TestOpenLooksCloserOnlyIfItMust(t *testing.T) {
	home := t.TempDir()
	stock(t, home, 100)
	looks := 0
	count := func(s *Store) {
		s.step = func(step string) {
			if step == stepSweeping {
				looks++
			}
		}
	}
	s := mustOpen(t, home, count)
	if looks != 0 {
		t.Error("a tidy store was looked at closely")
	}
	mustWrite(t, s.path(dataName("snapshot_7", newID())), "orphan")
	mustOpen(t, home, count)
	if looks != 1 {
		t.Errorf("an untidy store was looked at %d times, want once", looks)
	}
	mustOpen(t, home, count)
	if looks != 1 {
		t.Error("it was not tidied")
	}
}

func BenchmarkOpenAndGet(b *testing.B) {
	for _, n := range []int{1, 1000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			home := b.TempDir()
			stock(b, home, n)
			for b.Loop() {
				s := mustOpen(b, home)
				if _, err := s.Get("snapshot_0"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOpenAndLink(b *testing.B) {
	home := b.TempDir()
	stock(b, home, 1000)
	for b.Loop() {
		if err := reads(mustOpen(b, home), "snapshot_0", "x"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkList(b *testing.B) {
	home := b.TempDir()
	stock(b, home, 1000)
	s := mustOpen(b, home)
	for b.Loop() {
		if metas, err := s.List(); err != nil || len(metas) != 1000 {
			b.Fatal(err)
		}
	}
}

func BenchmarkInstall(b *testing.B) {
	s := mustOpen(b, b.TempDir())
	for b.Loop() {
		mustPut(b, s, "a", "x")
	}
}
