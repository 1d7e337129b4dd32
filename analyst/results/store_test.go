package results

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
)

func newStore(t *testing.T) *Store {
	t.Helper()
	return At(t.TempDir(), time.Now)
}

// add keeps a result of so many bytes.
func add(t *testing.T, s *Store, size int) (Meta, []Meta, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	return s.Add(file, Meta{SQL: "SELECT 1", Rows: 1, Columns: []string{"n"}})
}

func names(metas []Meta) string {
	var all []string
	for _, m := range metas {
		all = append(all, m.Name)
	}
	return strings.Join(all, " ")
}

func TestOldestGoFirst(t *testing.T) {
	s := newStore(t)
	s.maxResults, s.maxBytes = 3, 100
	for i, tt := range []struct {
		size    int
		evicted string
		left    string
	}{
		{10, "", "@r1"}, {10, "", "@r1 @r2"}, {10, "", "@r1 @r2 @r3"},
		{10, "@r1", "@r2 @r3 @r4"}, {75, "@r2", "@r3 @r4 @r5"}, {100, "@r3 @r4 @r5", "@r6"},
	} {
		m, evicted, err := add(t, s, tt.size)
		if err != nil || m.Name != fmt.Sprintf("@r%d", i+1) || names(evicted) != tt.evicted || names(s.List()) != tt.left {
			t.Errorf("%d: %s, evicted %q, left %q, %v", i, m.Name, names(evicted), names(s.List()), err)
		}
	}
	if _, _, err := add(t, s, 101); !errors.Is(err, &api.Error{Code: api.CodeDiskFull, Kind: "result_too_large"}) || names(s.List()) != "@r6" {
		t.Errorf("got %v, left %q", err, names(s.List()))
	}
	entries, err := os.ReadDir(s.Dir())
	if err != nil || len(entries) != 4 { // data, record, number, lock
		t.Errorf("%v, %v", entries, err)
	}
}

func TestNumbersAreUsedOnce(t *testing.T) {
	s := newStore(t)
	for range 3 {
		if _, _, err := add(t, s, 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Drop([]string{"@r2", "@r9"}); !api.CodeUnknownSnapshot.Is(err) || names(s.List()) != "@r1 @r2 @r3" {
		t.Errorf("%v, %q", err, names(s.List()))
	}
	if err := s.Drop([]string{"@r3", "@r2"}); err != nil {
		t.Fatal(err)
	}
	if m, _, err := add(t, s, 1); err != nil || m.Name != "@r4" {
		t.Errorf("%s, %v", m.Name, err)
	}
	// Nor again if the file that counts is gone or torn.
	for _, text := range []string{"", "x", "1"} {
		if err := os.WriteFile(s.files.Path(nextFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		before := s.List()
		m, _, err := add(t, s, 1)
		if err != nil || strings.Contains(names(before)+" ", m.Name+" ") {
			t.Errorf("%q: %s among %q, %v", text, m.Name, names(before), err)
		}
	}
}

func TestManyAddAtOnce(t *testing.T) {
	s := newStore(t)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, _, err := add(t, s, 5); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(s.List()); n != 20 {
		t.Errorf("%d results", n)
	}
}

func TestDamageIsNoResult(t *testing.T) {
	s := newStore(t)
	for range 4 {
		if _, _, err := add(t, s, 7); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{
		s.files.RecordPath("r1"): "{", s.dataPath("@r2"): "short", s.files.RecordPath("r01"): "{}", s.dataPath("@r77"): "left by a crash",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if names(s.List()) != "@r3 @r4" {
		t.Errorf("got %q", names(s.List()))
	}
	for _, name := range []string{"@r1", "@r2", "@r77", "@r01", "r3", "@r../r3", ""} {
		if _, err := s.Get(name); !errors.Is(err, &api.Error{Code: api.CodeUnknownSnapshot, Kind: "result"}) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if m, _, err := add(t, s, 7); err != nil || m.Name != "@r78" {
		t.Errorf("%s, %v", m.Name, err)
	}
	if _, err := os.Stat(s.dataPath("@r77")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what a crash left stays: %v", err)
	}
}

// TestWhatEarlierReleasesWrote reads a folder as an earlier release left it.
func TestWhatEarlierReleasesWrote(t *testing.T) {
	home := t.TempDir()
	if err := os.CopyFS(home, os.DirFS("testdata/v1")); err != nil {
		t.Fatal(err)
	}
	s := At(home, time.Now)
	m, err := s.Get("@r1")
	if err != nil || m.Rows != 4000 || names(s.List()) != "@r1" {
		t.Errorf("%+v, %v; listed %s", m, err, names(s.List()))
	}
	if path, _, err := s.Link("@r1", t.TempDir()); err != nil {
		t.Errorf("%s: %v", path, err)
	}
	if m, _, err := add(t, s, 7); err != nil || m.Name != "@r2" {
		t.Errorf("the next is %s, %v", m.Name, err)
	}
}
