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

// mountingParts are what children play on file systems of their own.
func mountingParts() map[string]func(args []string) error {
	return map[string]func(args []string) error{"full-disk": childFullDisk, "read-only": childReadOnly}
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
