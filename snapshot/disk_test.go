package snapshot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agnes-data/da/api"
)

// want makes an error unless err has the code; children use it.
func want(what string, err error, code api.Code) error {
	var e *api.Error
	if !errors.As(err, &e) || e.Code != code {
		return fmt.Errorf("%s: got %w, want %s", what, err, code)
	}
	if e.Hint == "" {
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

// noMount is the exit code of a child that may not mount.
const noMount = 77

// mounter is a child that may mount file systems nobody else sees. A machine
// that forbids it is said to, in the one place that skips.
func mounter(t *testing.T, part string, args ...string) {
	t.Helper()
	cmd := child(part, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	err := cmd.Start()
	if err == nil {
		err = cmd.Wait()
	}
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) || cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == noMount {
		t.Skipf("this machine lets tests mount nothing: %v; a limit on file sizes stands in", err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// mountSmall mounts a file system in memory.
func mountSmall(dir, options string) {
	err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "")
	if err == nil {
		err = syscall.Mount("tmpfs", dir, "tmpfs", 0, options)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mount:", err)
		os.Exit(noMount) //nolint:forbidigo // a child is a process of its own
	}
}

// childFullDisk fills a small disk to the last byte.
func childFullDisk(args []string) error {
	home := args[0]
	mountSmall(home, "size=256k")
	s, err := Open(home)
	if err != nil {
		return err
	}
	if err := errors.Join(put(s, "a", "old"), put(s, "b", strings.Repeat("b", 40<<10))); err != nil {
		return err
	}
	c, err := s.Claim("a", true)
	if err != nil {
		return err
	}
	if err := fill(c.Temp(), "new"); err != nil {
		return err
	}
	ballast, err := os.Create(filepath.Join(home, "ballast"))
	if err != nil {
		return err
	}
	for err == nil {
		_, err = ballast.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("the disk did not fill: %w", err)
	}
	if s, err = Open(home); err != nil {
		return fmt.Errorf("on a full disk: %w", err)
	}
	_, _, err = c.Install(context.Background(), described("new"), func([]Meta) error { return nil })
	if err := errors.Join(want("install", err, api.CodeDiskFull), reads(s, "a", "old")); err != nil {
		return err
	}
	c.Release()
	if u, err := s.DiskUsage(); err != nil || u.FreeBytes > 16<<10 || u.UsedBytes != filled("old")+(40<<10)+12 {
		return fmt.Errorf("usage %+v, %w", u, err)
	}
	// Making room must work just now.
	if _, err := s.Drop("b", func([]Meta) error { return nil }); err != nil {
		return err
	}
	return errors.Join(put(s, "a", "new"), reads(s, "a", "new"))
}

func TestOnAFullDiskWhatIsThereWorks(t *testing.T) { mounter(t, "full-disk", t.TempDir()) }

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
		fill(s.tempPath(newID()), "x"), fill(s.path(dataName("a", newID())), "x"), os.Mkdir(s.readerDir(newID()), dirPerm),
	)
}

func childReadOnly(args []string) error {
	home := filepath.Join(args[0], "home")
	mountSmall(args[0], "size=1m")
	if err := leaveUntidy(home); err != nil {
		return err
	}
	remount := func() error {
		return syscall.Mount("", args[0], "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "")
	}
	if err := remount(); err != nil {
		return err
	}
	if err := readsOnly(home); err != nil {
		return err
	}
	// A home that cannot even be made is an empty one.
	s, err := Open(filepath.Join(args[0], "other"))
	if err != nil {
		return err
	}
	metas, err := s.List()
	_, claimErr := s.Claim("b", false)
	_, linkErr := s.Link([]string{"b"})
	return errors.Join(
		err, want("claim", claimErr, api.CodeNotWritable), want("link", linkErr, api.CodeUnknownSnapshot),
		map[bool]error{true: errors.New("a home that is not there has snapshots")}[len(metas) > 0],
	)
}

func TestAReadOnlyDiskCanBeRead(t *testing.T) { mounter(t, "read-only", t.TempDir()) }

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
