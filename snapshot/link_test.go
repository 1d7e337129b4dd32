package snapshot

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/store"
)

// cutUsed takes the name out of ".used/NAME".
func cutUsed(rel string) (string, bool) { return strings.CutPrefix(rel, store.UsedDir+"/") }

func TestAReaderKeepsWhatItHolds(t *testing.T) {
	home := t.TempDir()
	s := mustOpen(t, home)
	for _, name := range []string{"a", "b", "c"} {
		mustPut(t, s, name, "old "+name)
	}
	l, err := s.Link([]string{"b", "a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	if l.Direct || len(l.Metas) != 3 || l.Metas[0].Name != "b" || !slices.Equal(l.Names(), []string{"a", "b", "c"}) {
		t.Errorf("held %+v", l)
	}
	if _, err := s.Drop("a", nil); err != nil {
		t.Fatal(err)
	}
	mustPut(t, s, "b", "new b")
	if _, err := s.Prune(PrunePolicy{All: true}, false, nil); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, home) // sweeps
	for _, name := range []string{"a", "b", "c"} {
		if text, err := contentOf(l.Path(name)); err != nil || text != "old "+name {
			t.Errorf("%s: %q, %v; want what was held", name, text, err)
		}
	}
	entries, err := os.ReadDir(l.Dir)
	if err != nil || len(entries) != 3 || filepath.Dir(l.Dir) != s.run {
		t.Errorf("the folder %s holds %v, %v; want the three links alone", l.Dir, entries, err)
	}
	l.Close()
	l.Close()
	wantTree(t, home, holding(nil))
}

// childHold holds a name until its input ends, then reads it.
func childHold(args []string) error {
	s, err := Open(args[0])
	if err != nil {
		return err
	}
	l, err := s.Link([]string{"a"})
	if err != nil {
		return err
	}
	defer l.Close()
	fmt.Fprintln(os.Stdout, "held")
	in := bufio.NewScanner(os.Stdin)
	for told(in) {
		text, err := contentOf(l.Path("a"))
		if err != nil {
			return err
		}
		fmt.Fprintln(os.Stdout, text)
	}
	return nil
}

func TestAReaderInAnotherProcessKeepsWhatItHolds(t *testing.T) {
	home := t.TempDir()
	s := mustOpen(t, home)
	mustPut(t, s, "a", "old")
	reader := talk(t, "hold", home)
	reader.hear(t)
	mustPut(t, s, "a", "new")
	if _, err := s.Drop("a", nil); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, home)
	reader.say(t, "read")
	if got := reader.hear(t); got != "old" {
		t.Errorf("the reader sees %q, want what it held", got)
	}
	reader.end(t)
	wantTree(t, home, holding(nil))
}

func TestWithoutHardLinksTheStoreIsReadDirectly(t *testing.T) {
	home := t.TempDir()
	s := mustOpen(t, home)
	mustPut(t, s, "a", "1")
	mustPut(t, s, "b", "2")
	// A file where the folder should be stands for every reason.
	if err := os.RemoveAll(s.run); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.run, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, home)
	l, err := s.Link([]string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if !l.Direct || l.Dir != s.Dir() {
		t.Errorf("held %+v, want it direct", l)
	}
	for name, want := range map[string]string{"a": "1", "b": "2"} {
		if text, err := contentOf(l.Path(name)); err != nil || text != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

func TestAReaderOfDamageIsTold(t *testing.T) {
	home := t.TempDir()
	s := mustOpen(t, home)
	mustPut(t, s, "a", "1")
	mustPut(t, s, "b", "2")
	m, err := s.Get("a")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(s.DataPath(m)); err != nil {
		t.Fatal(err)
	}
	_, err = s.Link([]string{"b", "a"})
	if e := asCode(t, err, api.CodeReadFailed); e.Kind != api.KindDataMissing {
		t.Errorf("kind %s", e.Kind)
	}
	if left, err := store.BaseNames(s.run); err != nil || len(left) != 0 {
		t.Errorf("left in run: %v, %v", left, err)
	}
	// It is known what was asked for, so a refresh can mend it.
	c, err := s.ClaimExisting("a")
	if err != nil {
		t.Fatal(err)
	}
	c.Release()
	if !reflect.DeepEqual(c.Existing().Request(), m.Request()) {
		t.Errorf("request %+v", c.Existing().Request())
	}
	mustPut(t, s, "a", "3")
	if text, err := read(s, "a"); err != nil || text != "3" {
		t.Errorf("mended: %q, %v", text, err)
	}
}

// TestNothingChangesBetweenTwoNames holds that all names are linked as of one
// moment.
func TestNothingChangesBetweenTwoNames(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	mustPut(t, s, "a", "1")
	mustPut(t, s, "b", "2")
	looks := 0
	s.files.Step = func(step string) {
		if step != stepLoaded {
			return
		}
		looks++
		if lock, err := s.files.TryLock(); err == nil {
			lock.Unlock()
			t.Error("an install could come between two names")
		}
	}
	l, err := s.Link([]string{"a", "b"})
	if err != nil || looks != 2 {
		t.Fatalf("%d looks, %v", looks, err)
	}
	l.Close()
}

// TestAChangeUnderTheEyesOfAReader replaces a snapshot just after a reader has
// read its sidecar, and just before it links the data. The reader has no lock,
// as if the change were made by a process that was stopped for a while.
func TestAChangeUnderTheEyesOfAReader(t *testing.T) {
	for _, moment := range []string{store.StepRecordRead, stepLoaded} {
		t.Run(moment, func(t *testing.T) {
			s := mustOpen(t, t.TempDir(), func(s *Store) { s.readPatience = time.Millisecond })
			mustPut(t, s, "a", "old")
			writer := *s
			c, err := writer.Claim("a", true)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Release()
			if err := fill(c.Temp(), "new"); err != nil {
				t.Fatal(err)
			}
			meta, sidecar, err := c.prepare(described("new"))
			if err != nil {
				t.Fatal(err)
			}
			lock, err := writer.files.TryLock()
			if err != nil {
				t.Fatal(err)
			}
			defer lock.Unlock()
			s.files.Step = func(step string) {
				if step == moment && !c.done {
					if err := c.commit(meta, sidecar); err != nil {
						t.Error(err)
					}
					writer.settle(meta, nil)
				}
			}
			if err := reads(s, "a", "new"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestScratchGoesWithItsHolder(t *testing.T) {
	home := t.TempDir()
	s := mustOpen(t, home)
	c := s.Scratch()
	mustWrite(t, filepath.Join(c.Path, "spill"), "x")
	mustOpen(t, home)
	if _, err := os.Lstat(filepath.Join(c.Path, "spill")); err != nil {
		t.Errorf("swept from a live holder: %v", err)
	}
	c.Close()
	// What a killed process leaves.
	left := filepath.Join(s.run, store.NewID())
	if err := os.Mkdir(left, 0o700); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, left+".lock", "")
	mustOpen(t, home)
	if left, err := store.BaseNames(s.run); err != nil || len(left) != 0 {
		t.Errorf("left in run: %v, %v", left, err)
	}
	d := s.Scratch()
	d.Close()
	d.Close()
	if left, err := store.BaseNames(s.run); err != nil || len(left) != 0 {
		t.Errorf("left in run after closing: %v, %v", left, err)
	}
}
