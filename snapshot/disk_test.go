package snapshot

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/store"
)

// want makes an error unless err has the code; children use it.
func want(what string, err error, code api.Code) error {
	var e *api.Error
	if !errors.As(err, &e) || e.Code != code {
		return fmt.Errorf("%s: got %w, want %s", what, err, code)
	}
	if e.Hint == "" && len(e.Next) == 0 {
		return fmt.Errorf("%s: no hint", what)
	}
	return nil
}

func reads(s *Store, name, content string) error {
	if text, err := read(s, name); err != nil || text != content {
		return fmt.Errorf("%s reads %q, %w; want %q", name, text, err, content)
	}
	return nil
}

// childFileSize installs where no file may pass 64 kB: the data fits, its
// description does not.
func childFileSize(args []string) error {
	s, err := Open(args[0])
	if err != nil {
		return err
	}
	limit := syscall.Rlimit{Cur: 64 << 10, Max: 64 << 10}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	err = put(s, "a", "new", func(m *Meta) {
		where := strings.Repeat("x", 100<<10)
		m.Where = &where
	})
	if !errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("got %w, want that the file is too big", err)
	}
	return errors.Join(want("install", err, api.CodeDiskFull), reads(s, "a", "old"))
}

func TestAFullDiskLeavesTheOldSnapshot(t *testing.T) {
	home := t.TempDir()
	mustPut(t, mustOpen(t, home), "a", "old")
	if err := child("file-size", home).Run(); err != nil {
		t.Fatal(err)
	}
	wantTree(t, home, holding([]string{"a"}, ".used/a"))
}

// readsOnly checks what works, and what says why it does not, in a home where
// nothing can be written and "a" is the only snapshot.
func readsOnly(home string) error {
	s, err := Open(home)
	if err != nil {
		return err
	}
	metas, err := s.List()
	if err != nil || len(metas) != 1 || metas[0].Damage != nil {
		return fmt.Errorf("list: %+v, %w", metas, err)
	}
	l, err := s.Link([]string{"a"})
	if err != nil {
		return err
	}
	if text, err := contentOf(l.Path("a")); err != nil || text != "old" || !l.Direct {
		return fmt.Errorf("direct %v: %q, %w", l.Direct, text, err)
	}
	l.Close()
	r, err := s.Prune(PrunePolicy{All: true}, true, nil)
	if err != nil || len(r.Removed) != 1 {
		return fmt.Errorf("dry run: %+v, %w", r, err)
	}
	_, claimErr := s.Claim("b", false)
	_, dropErr := s.Drop("a", nil)
	_, pruneErr := s.Prune(PrunePolicy{All: true}, false, nil)
	_, unknownErr := s.Link([]string{"b"})
	return errors.Join(
		want("claim", claimErr, api.CodeNotWritable), want("drop", dropErr, api.CodeNotWritable),
		want("prune", pruneErr, api.CodeNotWritable), want("unknown", unknownErr, api.CodeUnknownSnapshot),
		reads(s, "a", "old"),
	)
}

// leaveUntidy makes a store with a snapshot and something that the next
// command would sweep.
func leaveUntidy(home string) error {
	s, err := Open(home)
	if err != nil {
		return err
	}
	if err := put(s, "a", "old"); err != nil {
		return err
	}
	return errors.Join(
		fill(s.files.TempPath(store.NewID()), "x"), fill(s.files.Path(layout.DataName("a", store.NewID())), "x"), os.Mkdir(filepath.Join(s.run, store.NewID()), 0o700),
	)
}

// childNoRights reads a home whose folders it may not change. The
// administrator may change everything, and so becomes somebody else.
func childNoRights(args []string) error {
	home := args[0]
	if err := leaveUntidy(home); err != nil {
		return err
	}
	const nobody = 65534
	var dirs []string
	err := filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			dirs = append(dirs, path)
		}
		if err == nil && os.Getuid() == 0 {
			err = os.Lchown(path, nobody, nobody)
		}
		return err
	})
	for _, dir := range dirs {
		err = errors.Join(err, os.Chmod(dir, 0o500))
	}
	if err == nil && os.Getuid() == 0 {
		err = errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody))
	}
	if err != nil {
		return err
	}
	return readsOnly(home)
}

func TestAFolderWithoutRightsCanBeRead(t *testing.T) {
	home, err := os.MkdirTemp("", "da-no-rights-") // t.TempDir lies in a folder that only its owner may enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
			if d.IsDir() {
				_ = os.Chmod(path, 0o700)
			}
			return nil
		})
		if err := os.RemoveAll(home); err != nil {
			t.Error(err)
		}
	})
	if err := child("no-rights", home).Run(); err != nil {
		t.Fatal(err)
	}
}
