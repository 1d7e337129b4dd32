package storetest

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Store is a store as the suite drives it: texts by name. The names are "a" and
// "b"; a store with names of its own maps them.
type Store interface {
	// Put gives a name a new text.
	Put(name, text string) error
	// Get returns a name's text; its error is fs.ErrNotExist if there is none.
	Get(name string) (string, error)
	// Drop removes a name, which may not be there.
	Drop(name string) error
	// Sweep does what the next command does for what killed processes left.
	Sweep() error
}

// Holder is a Store whose readers hold what they read.
type Holder interface {
	// Hold returns a function that reads the text as it was.
	Hold(name string) (read func() (string, error), release func(), err error)
}

// Owner is how the suite comes to a store.
type Owner struct {
	// Open opens the store below home; step is told each step on disk.
	Open func(home string, step func(string)) (Store, error)
	// Busy reports whether an error only says that another is at work; nil:
	// nobody is turned away.
	Busy func(error) bool
	// Derived says that the store keeps what it can make again: after a crash
	// there may be nothing, never something old that passes for new.
	Derived bool
	// ReadsLocked says that readers keep changes out while they look.
	ReadsLocked bool
}

func (o Owner) mustOpen(t *testing.T, home string) Store {
	t.Helper()
	s, err := o.Open(home, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func must(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// wantText wants a name's text; empty: that there is none.
func wantText(t *testing.T, s Store, name string, want ...string) {
	t.Helper()
	got, err := s.Get(name)
	if errors.Is(err, fs.ErrNotExist) {
		got, err = "", nil
	}
	if err != nil || !slices.Contains(want, got) {
		t.Errorf("%s is %.60q, %v; want one of %.60q", name, got, err, want)
	}
}

func (o Owner) lives(t *testing.T) {
	s := o.mustOpen(t, t.TempDir())
	wantText(t, s, "a", "")
	must(t, "put", s.Put("a", "one"))
	wantText(t, s, "a", "one")
	must(t, "replace", s.Put("a", "two"))
	must(t, "put another", s.Put("b", "three"))
	must(t, "sweep", s.Sweep())
	wantText(t, s, "a", "two")
	must(t, "drop", s.Drop("a"))
	wantText(t, s, "a", "")
	wantText(t, s, "b", "three")
}

// cleanTree is what a store leaves in its folders that was used and has no
// entries any more.
func (o Owner) cleanTree(t *testing.T) []string {
	t.Helper()
	home := t.TempDir()
	s := o.mustOpen(t, home)
	must(t, "put", s.Put("a", "one"))
	wantText(t, s, "a", "one")
	must(t, "replace", s.Put("a", "two"))
	o.empty(t, home)
	return tree(t, home)
}

// empty drops all there is, as two later commands do.
func (o Owner) empty(t *testing.T, home string) {
	t.Helper()
	s := o.mustOpen(t, home)
	for _, name := range []string{"a", "b"} {
		must(t, "drop", s.Drop(name))
	}
	s = o.mustOpen(t, home)
	must(t, "sweep", s.Sweep())
}

func tree(t *testing.T, home string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(home, func(path string, _ fs.DirEntry, err error) error {
		paths = append(paths, random.ReplaceAllString(strings.TrimPrefix(path, home), "*"))
		return err
	})
	must(t, "list the folder", err)
	slices.Sort(paths)
	return slices.Compact(paths)
}

// wantTidy fails the test if anything is left once all entries are dropped.
func (o Owner) wantTidy(t *testing.T, home string, clean []string) {
	t.Helper()
	o.empty(t, home)
	if got := tree(t, home); !slices.Equal(got, clean) {
		t.Errorf("left in the folder:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(clean, "\n"))
	}
}

// long is a text that is seen to be whole, or not: n times its first word.
func long(word string, n int) string { return strings.Repeat(word+" ", n) }

func wholeText(text string) error {
	word, _, _ := strings.Cut(text, " ")
	if n := strings.Count(text, word+" "); word == "" || long(word, n) != text {
		return fmt.Errorf("a torn text: %.60q", text)
	}
	return nil
}

// checkModes fails the test if others than the owner can read what lies below home.
func checkModes(home string) error {
	var bad []error
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == home || d.Type() == fs.ModeSymlink {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			bad = append(bad, fmt.Errorf("%s has mode %v", path, info.Mode()))
		}
		return err
	})
	return errors.Join(append(bad, err)...)
}
