package snapshot

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
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
	id, gen := store.NewID(), store.NewID()
	for _, base := range []string{
		".tmp-" + id + dataExt, ".tmp-" + id + ".lock", "tmp_.tmp-" + id + dataExt,
		".tmp-" + store.NewID() + dataExt, ".tmp-" + store.NewID() + ".lock", "tmp_.tmp-" + store.NewID() + dataExt,
		layout.DataName("a", gen), layout.DataName("gone", gen), filepath.Join(store.UsedDir, "gone"), filepath.Join(store.NamesDir, "gone"),
	} {
		mustWrite(t, s.files.Path(base), "orphan")
	}
	if err := os.Symlink(layout.DataName("gone", gen), s.files.LinkPath("gone")); err != nil {
		t.Fatal(err)
	}
	staged, err := atomicfile.Stage(s.files.RecordPath("a"), 0o600, nothing)
	if err != nil || staged == nil {
		t.Fatal(err)
	}
	if _, err := atomicfile.StageSymlink("x", s.files.LinkPath("a")); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside")
	mustWrite(t, outside, "not ours")
	reader := filepath.Join(s.run, store.NewID())
	if err := os.MkdirAll(filepath.Join(reader, "spill"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(reader, "spill", "link")); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, filepath.Join(s.run, store.NewID()+".lock"), "")

	for _, base := range []string{"mine.parquet", "notes.txt", "a-notes.parquet", layout.DataName("B", gen), ".tmp-x.parquet"} {
		mustWrite(t, s.files.Path(base), "not ours")
	}
	if err := os.Symlink(outside, s.files.Path("theirs.parquet")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(s.files.Path(layout.DataName("folder", gen)), 0o700); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, filepath.Join(s.run, "notes"), "not ours")
	mustOpen(t, home)
	wantTree(t, home, holding([]string{"a"},
		"mine.parquet", "notes.txt", "a-notes.parquet", layout.DataName("B", "*"), ".tmp-x.parquet", "theirs.parquet",
		layout.DataName("folder", "*"), "run/notes"))
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
	if err := os.Remove(s.files.LinkPath("a")); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, home)
	if text, err := contentOf(s.files.LinkPath("a")); err != nil || text != "x" {
		t.Errorf("through the link: %q, %v", text, err)
	}
}

// TestSomebodysOwnFileIsNotReplaced puts a file where the link belongs.
func TestSomebodysOwnFileIsNotReplaced(t *testing.T) {
	home := t.TempDir()
	s := mustOpen(t, home)
	mustWrite(t, s.files.LinkPath("a"), "mine")
	if err := put(s, "a", "x"); err == nil {
		t.Error("no warning")
	}
	if err := reads(mustOpen(t, home), "a", "x"); err != nil {
		t.Error(err)
	}
	if _, err := s.Drop("a", nil); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(s.files.LinkPath("a")); err != nil || string(text) != "mine" {
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
	locks, err := filepath.Glob(s.files.Path(".tmp-*.lock"))
	if err != nil || len(locks) != 1 {
		t.Fatalf("temporary files %v, %v; want one", locks, err)
	}
	id := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(locks[0]), ".lock"), ".tmp-")
	// DuckDB may write beside it and rename it over.
	mustWrite(t, s.files.Path("tmp_.tmp-"+id+dataExt), "half")
	mustWrite(t, s.files.TempPath(id), "half")
	for range 20 {
		mustOpen(t, home)
	}
	for _, path := range []string{s.files.TempPath(id), s.files.Path("tmp_.tmp-" + id + dataExt), locks[0], s.files.Path(store.NamesDir + "/a")} {
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
	s.files.Step = func(step string) {
		if step == store.StepRecordStaged {
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
	s.files.Step = func(string) {}
	if err := reads(s, "a", "new"); err != nil {
		t.Error(err)
	}
}

// stock fills a store quickly with n snapshots.
func stock(tb testing.TB, home string, n int) {
	tb.Helper()
	s := mustOpen(tb, home)
	for i := range n {
		m := described("x")
		m.Version, m.Name = 1, "snapshot_"+strconv.Itoa(i)
		m.DataFile, m.BytesLocal = layout.DataName(m.Name, store.NewID()), filled("x")
		m.normalize()
		sidecar, err := m.encode()
		if err != nil {
			tb.Fatal(err)
		}
		if err := fill(s.files.Path(m.DataFile), "x"); err != nil {
			tb.Fatal(err)
		}
		mustWrite(tb, s.files.RecordPath(m.Name), string(sidecar))
		if err := os.Symlink(m.DataFile, s.files.LinkPath(m.Name)); err != nil {
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
		s.files.Step = func(step string) {
			if step == store.StepSweeping {
				looks++
			}
		}
	}
	s := mustOpen(t, home, count)
	if looks != 0 {
		t.Error("a tidy store was looked at closely")
	}
	mustWrite(t, s.files.Path(layout.DataName("snapshot_7", store.NewID())), "orphan")
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
