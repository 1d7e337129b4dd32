// Package scratch keeps folders for what a process cannot hold in memory, each
// locked by its process for as long as it lives. Whatever a process that was
// killed has left is removed when the next one asks for a folder. Nothing that
// is to last may lie there.
package scratch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/gofrs/flock"
)

const (
	prefix   = "run-"
	hidden   = ".da-out-"
	lockName = ".lock" // behind the name of the folder
)

// Dir is a folder of this process.
type Dir struct {
	Path   string
	lock   *flock.Flock // nil: the file system has none
	closed bool
}

// Open makes a folder below parent, which it makes if need be, and removes
// those whose processes are gone. The caller closes it.
func Open(parent string) (*Dir, error) {
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, fmt.Errorf("make a folder for scratch files: %w", err)
	}
	return open(parent, prefix)
}

// Beside makes a hidden folder in one of the user's, for a file that will be
// renamed into it, and removes those there whose processes are gone. The errors
// are the system's. The caller closes it.
func Beside(parent string) (*Dir, error) { return open(parent, hidden) }

func open(parent, prefix string) (*Dir, error) {
	sweep(parent, prefix)
	for {
		f, err := os.CreateTemp(parent, prefix+"*"+lockName)
		if err != nil {
			return nil, fmt.Errorf("make a folder for scratch files: %w", err)
		}
		lock := flock.New(f.Name())
		got, err := lock.TryLock()
		same := present(f)
		_ = f.Close() // nothing was written
		if err != nil {
			_ = os.Remove(f.Name())
			if prefix == hidden {
				return unlocked(parent)
			}
			return nil, fmt.Errorf("lock a folder for scratch files: %w", err)
		}
		if !got || !same { // a sweep came between
			if got {
				_ = os.Remove(f.Name()) // locking created it again
			}
			_ = lock.Close()
			continue
		}
		dir := strings.TrimSuffix(f.Name(), lockName)
		if err := os.Mkdir(dir, 0o700); err != nil {
			_ = lock.Close()
			return nil, fmt.Errorf("make a folder for scratch files: %w", err)
		}
		return &Dir{Path: dir, lock: lock}, nil
	}
}

// unlocked makes a folder where the file system has no locks. What a killed
// process leaves there stays.
func unlocked(parent string) (*Dir, error) {
	dir, err := os.MkdirTemp(parent, hidden+"*")
	if err != nil {
		return nil, fmt.Errorf("make a folder for scratch files: %w", err)
	}
	return &Dir{Path: dir}, nil
}

// present reports whether a lock file is still the one that was made: one that a
// sweep has removed locks nothing, and locking has made another in its place.
func present(f *os.File) bool {
	made, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(made, now)
}

// sweep removes what nobody holds. What cannot be removed stays for the next.
func sweep(parent, prefix string) {
	locks, err := filepath.Glob(filepath.Join(escape(parent), prefix+"*"+lockName))
	if err != nil {
		return
	}
	for _, path := range locks {
		if !ours(path) {
			continue // in a folder that others use, too
		}
		lock := flock.New(path)
		if got, err := lock.TryLock(); err != nil || !got {
			continue
		}
		if os.RemoveAll(strings.TrimSuffix(path, lockName)) == nil {
			_ = os.Remove(path)
		}
		_ = lock.Close()
	}
}

// ours reports whether this user has made a lock.
func ours(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(stat.Uid) == os.Geteuid()
}

// escape keeps a folder's name from being read as a pattern.
func escape(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// Close removes the folder. It may be called more than once.
func (d *Dir) Close() {
	if d.closed {
		return
	}
	d.closed = true
	_ = os.RemoveAll(d.Path) // what stays goes with the next sweep
	if d.lock != nil {
		_ = os.Remove(d.lock.Path())
		_ = d.lock.Close()
	}
}
