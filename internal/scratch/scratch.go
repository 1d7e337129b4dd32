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

	"github.com/gofrs/flock"
)

const (
	prefix   = "run-"
	lockName = ".lock" // behind the name of the folder
)

// Dir is a folder of this process.
type Dir struct {
	Path string
	lock *flock.Flock
}

// Open makes a folder below parent, which it makes if need be, and removes
// those whose processes are gone. The caller closes it.
func Open(parent string) (*Dir, error) {
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, fmt.Errorf("make a folder for scratch files: %w", err)
	}
	sweep(parent)
	for {
		f, err := os.CreateTemp(parent, prefix+"*"+lockName)
		if err != nil {
			return nil, fmt.Errorf("make a folder for scratch files: %w", err)
		}
		_ = f.Close() // nothing was written
		lock := flock.New(f.Name())
		if ours, err := lock.TryLock(); err != nil {
			return nil, fmt.Errorf("lock a folder for scratch files: %w", err)
		} else if !ours || !present(f.Name()) {
			_ = lock.Close() // a sweep came between
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

// present reports whether a lock file is still there: one that a sweep has
// removed locks nothing. Its names are not used again.
func present(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// sweep removes what nobody holds. What cannot be removed stays for the next.
func sweep(parent string) {
	locks, err := filepath.Glob(filepath.Join(escape(parent), prefix+"*"+lockName))
	if err != nil {
		return
	}
	for _, path := range locks {
		lock := flock.New(path)
		if ours, err := lock.TryLock(); err != nil || !ours {
			continue
		}
		if os.RemoveAll(strings.TrimSuffix(path, lockName)) == nil {
			_ = os.Remove(path)
		}
		_ = lock.Close()
	}
}

// escape keeps a folder's name from being read as a pattern.
func escape(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// Close removes the folder. It may be called more than once.
func (d *Dir) Close() {
	if d.lock == nil {
		return
	}
	_ = os.RemoveAll(d.Path) // what stays goes with the next sweep
	_ = os.Remove(d.lock.Path())
	_ = d.lock.Close()
	d.lock = nil
}
