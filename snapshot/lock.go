package snapshot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/atomicfile"
)

// openLock prepares a lock on a file. flags are those of open(2); a symbolic
// link is never followed.
func openLock(path string, flags int) *flock.Flock {
	return flock.New(path, flock.SetFlag(flags|noFollow), flock.SetPermissions(filePerm))
}

// current reports whether a lock that is held is on the file that has its name
// now, and not on one that has been removed or replaced.
func current(l *flock.Flock) bool {
	held, err := l.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(l.Path())
	return err == nil && os.SameFile(held, named)
}

// lockAlone takes the store's lock for a change that is made in moments.
func (s *Store) lockAlone() (unlock func(), err error) {
	return s.lock(context.Background(), true, s.patience)
}

// lock takes the store's lock, alone or shared. It gives up when ctx is done,
// or when patience has run out.
func (s *Store) lock(ctx context.Context, alone bool, patience time.Duration) (unlock func(), err error) {
	flags := os.O_CREATE | os.O_RDONLY
	if alone {
		flags = os.O_CREATE | os.O_RDWR // some network file systems insist
	}
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		l := openLock(s.path(lockFile), flags)
		if err := await(wait, l, alone); err != nil {
			if wait.Err() != nil && ctx.Err() == nil {
				return nil, s.stuck(err)
			}
			if errors.Is(err, fs.ErrNotExist) { // no folder for it: why?
				if cause := s.makeFolders(); cause != nil {
					err = cause
				}
			}
			return nil, atomicfile.Explain("lock the snapshots", err)
		}
		if current(l) {
			return func() { _ = l.Unlock() }, nil
		}
		_ = l.Unlock()
	}
}

// tryLock takes the store's lock alone if it is free now.
func (s *Store) tryLock() (unlock func(), ok bool) {
	l := openLock(s.path(lockFile), os.O_CREATE|os.O_RDWR)
	if ok, err := l.TryLock(); !ok || err != nil {
		return nil, false
	}
	return func() { _ = l.Unlock() }, true
}

// await takes a lock as soon as it is free. It blocks in the kernel, which
// wakes those who wait in turn; if ctx ends first, the lock is given back as
// soon as it comes.
func await(ctx context.Context, l *flock.Flock, alone bool) error {
	try, block := l.TryRLock, l.RLock
	if alone {
		try, block = l.TryLock, l.Lock
	}
	if ok, err := try(); ok || err != nil {
		return err
	}
	got := make(chan error, 1)
	go func() { got <- block() }()
	select {
	case err := <-got:
		return err
	case <-ctx.Done():
		go func() {
			if <-got == nil {
				_ = l.Unlock()
			}
		}()
		return ctx.Err()
	}
}

// stuck says that a lock that is held for moments does not come free.
func (s *Store) stuck(err error) error {
	return &api.Error{
		Code:    api.CodeSnapshotBusy,
		Message: "another process has been changing the snapshots for very long",
		Hint:    "If a process of da was suspended, resume or end it, then try again.",
		Details: map[string]any{"lock": s.path(lockFile)},
		Err:     err,
	}
}

// holder is what a name's lock file says about who holds it.
type holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

// lockName takes the lock of a name for a fetch, without waiting: busy if
// somebody has it. The caller holds the store's lock, shared or alone.
func (s *Store) lockName(name string) (*flock.Flock, error) {
	path := s.nameLockPath(name)
	for {
		l := openLock(path, os.O_CREATE|os.O_RDWR)
		ok, err := l.TryLock()
		if err != nil {
			return nil, atomicfile.Explain(fmt.Sprintf("lock snapshot '%s'", name), err)
		}
		if !ok {
			return nil, s.busy(name)
		}
		if !current(l) { // its last holder has just removed it
			_ = l.Unlock()
			continue
		}
		host, _ := os.Hostname()
		text, err := json.Marshal(holder{PID: os.Getpid(), Host: host, Since: s.now().UTC()})
		if err == nil { // it only helps a message: nothing depends on it
			_ = os.WriteFile(path, text, filePerm)
		}
		return l, nil
	}
}

// unlockName gives a name's lock back and removes its file.
func unlockName(l *flock.Flock) {
	_ = os.Remove(l.Path())
	_ = l.Unlock()
}

// idle makes sure that nobody fetches a name, and clears away the lock of a
// process that died: busy if somebody does. The caller holds the store's lock
// alone, so nobody can begin to.
func (s *Store) idle(name string) error {
	l := openLock(s.nameLockPath(name), os.O_RDWR)
	ok, err := l.TryLock()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return atomicfile.Explain(fmt.Sprintf("lock snapshot '%s'", name), err)
	case !ok:
		return s.busy(name)
	}
	unlockName(l)
	return nil
}

// busy makes the error for a name that is being fetched, naming who does it.
func (s *Store) busy(name string) error {
	e := &api.Error{
		Code:    api.CodeSnapshotBusy,
		Message: fmt.Sprintf("snapshot '%s' is being fetched right now", name),
		Hint:    "Wait for that fetch to end, or use another name.",
		Details: map[string]any{"snapshot": name},
	}
	text, err := readSmall(s.nameLockPath(name), 4<<10)
	var h holder
	if err != nil || json.Unmarshal(text, &h) != nil || h.PID <= 0 || h.Since.IsZero() {
		return e
	}
	e.Message += fmt.Sprintf(" (by process %d, started %s)", h.PID, ago(s.now().Sub(h.Since)))
	e.Details["pid"], e.Details["host"], e.Details["since"] = h.PID, h.Host, h.Since
	return e
}
