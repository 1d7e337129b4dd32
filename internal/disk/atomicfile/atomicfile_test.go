package atomicfile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// names lists a folder.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestWriteFileReplacesAndSetsPermissions(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config")
	for _, perm := range []fs.FileMode{0o644, 0o600} {
		if err := WriteFile(path, []byte(perm.String()), perm); err != nil {
			t.Fatal(err)
		}
		if got := mustRead(t, path); got != perm.String() {
			t.Errorf("content %q, want %q", got, perm)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != perm {
			t.Errorf("mode %v, want %v", info.Mode().Perm(), perm)
		}
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("folder holds %v, want config only", got)
	}
}

func TestWriteFileIsNotAppendedToAnOpenOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()
	if err := WriteFile(path, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	held, err := io.ReadAll(reader)
	if err != nil || string(held) != "old" {
		t.Errorf("who had it open reads %q, %v; want the old content", held, err)
	}
}

func TestAFailedWriteLeavesTheOldFileAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	err := Write(path, 0o600, func(w io.Writer) error {
		if _, err := w.Write(bytes.Repeat([]byte("x"), 1<<20)); err != nil {
			return err
		}
		return boom
	})
	if !errors.Is(err, boom) {
		t.Errorf("error %v, want the writer's own", err)
	}
	if got := mustRead(t, path); got != "old" {
		t.Errorf("content %.20q, want the old one", got)
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("folder holds %v, want f only", got)
	}
	// A folder cannot be replaced by a file: the rename itself fails.
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(filepath.Join(dir, "d"), nil, 0o600); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if got := names(t, dir); len(got) != 2 {
		t.Errorf("folder holds %v, want d and f only", got)
	}
}

func TestSymlinksAreReplacedNotFollowed(t *testing.T) {
	dir := t.TempDir()
	victim, path := filepath.Join(dir, "victim"), filepath.Join(dir, "link")
	if err := os.WriteFile(victim, []byte("mine"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("victim", path); err != nil {
		t.Fatal(err)
	}
	if err := SyncFile(path, 0o600); err == nil {
		t.Error("SyncFile followed a symbolic link")
	}
	if err := WriteFile(path, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := mustRead(t, victim); got != "mine" {
		t.Errorf("the target of the link now holds %q", got)
	}
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !info.Mode().IsRegular() {
		t.Errorf("the link is %v, want a file", info.Mode())
	}
}

func TestStageSymlink(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "current")
	for _, target := range []string{"one", "two"} {
		s, err := StageSymlink(target, path)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Commit(); err != nil {
			t.Fatal(err)
		}
		s.Discard()
		if got, err := os.Readlink(path); err != nil || got != target {
			t.Errorf("link says %q, %v; want %q", got, err, target)
		}
	}
	s, err := StageSymlink("three", path)
	if err != nil {
		t.Fatal(err)
	}
	s.Discard()
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("folder holds %v, want current only", got)
	}
}

func TestLeftoverKnowsExactlyOurNames(t *testing.T) {
	dir := t.TempDir()
	for _, base := range []string{"a", ".hidden", "x.tmp-1", "cz_recent.meta.json"} {
		s, err := Stage(filepath.Join(dir, base), 0o600, func(io.Writer) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		if got := filepath.Base(s.temp); !Leftover(got) {
			t.Errorf("Leftover(%q) is false, but Stage made it", got)
		}
		s.Discard()
	}
	for _, base := range []string{
		"", ".", "..", "a", ".a", "a.tmp-0123456789abcdef", ".a.tmp-", ".a.tmp-0123", ".a.tmp-0123456789abcdeg",
		".tmp-0123456789abcdef", ".a.tmp-0123456789abcdef0", ".tmp-0123456789abcdef.parquet",
	} {
		if Leftover(base) {
			t.Errorf("Leftover(%q) is true, but nothing of ours is named so", base)
		}
	}
}

func TestSyncFileSetsPermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := SyncFile(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	if err := SyncFile(path+"x", 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestRelativePaths(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := WriteFile("f", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(names(t, "."), " "); got != "f" {
		t.Errorf("folder holds %q, want f", got)
	}
}
