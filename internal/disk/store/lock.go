package store

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

const (
	dirPerm  = 0o700
	filePerm = 0o600
	// noFollow keeps an open from following a symbolic link.
	noFollow = syscall.O_NOFOLLOW
	// pollEvery is how often a lock that may be held for long is tried.
	pollEvery = 15 * time.Millisecond
)

// ErrBusy says that somebody else holds a lock.
var ErrBusy = errors.New("locked by another process")

// Lock is a lock on a file, which ends with its process at the latest.
type Lock struct{ file *flock.Flock }

// Mode says how a lock is waited for.
type Mode int

// The modes of a lock.
const (
	Alone  Mode = iota // exclusive; others hold it for moments
	Shared             // with others that share it
	Long               // exclusive; others may hold it for minutes
)

// TryLock takes a lock if it is free, and makes its file if there is none.
// Errors are ErrBusy and those of the system.
func TryLock(path string) (*Lock, error) {
	return tryLock(path, os.O_CREATE|os.O_RDWR)
}

func tryLock(path string, flags int) (*Lock, error) {
	return take(path, flags, func(l *flock.Flock) error {
		ok, err := l.TryLock()
		if err == nil && !ok {
			err = ErrBusy
		}
		return err
	})
}

// WaitLock takes a lock as soon as it is free, and makes its file if there is
// none. It fails with the error of ctx when that ends first.
func WaitLock(ctx context.Context, path string, mode Mode) (*Lock, error) {
	flags := os.O_CREATE | os.O_RDWR // some network file systems insist on writing
	if mode == Shared {
		flags = os.O_CREATE | os.O_RDONLY
	}
	return take(path, flags, func(l *flock.Flock) error {
		switch mode {
		case Shared:
			return await(ctx, l.TryRLock, l.RLock, l.Unlock)
		case Long:
			_, err := l.TryLockContext(ctx, pollEvery)
			return err
		}
		return await(ctx, l.TryLock, l.Lock, l.Unlock)
	})
}

// take opens and locks a file until the lock is on the file that has its name.
// One that its last holder has removed locks nothing.
func take(path string, flags int, lock func(*flock.Flock) error) (*Lock, error) {
	for {
		l := &Lock{flock.New(path, flock.SetFlag(flags|noFollow), flock.SetPermissions(filePerm))}
		if err := lock(l.file); err != nil {
			return nil, err
		}
		if l.current() {
			return l, nil
		}
		l.Unlock()
	}
}

// await blocks in the kernel, which wakes those who wait in turn. If ctx ends
// first, the lock is given back as soon as it comes.
func await(ctx context.Context, try func() (bool, error), block, unlock func() error) error {
	if ok, err := try(); ok || err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	got := make(chan error, 1)
	go func() { got <- block() }()
	select {
	case err := <-got:
		return err
	case <-ctx.Done():
		go func() {
			if <-got == nil {
				_ = unlock()
			}
		}()
		return ctx.Err()
	}
}

// current reports whether the lock is on the file that has its name now.
func (l *Lock) current() bool {
	held, err := l.file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(l.file.Path())
	return err == nil && os.SameFile(held, named)
}

// Path returns the lock's file. Only the holder may write to it.
func (l *Lock) Path() string { return l.file.Path() }

// Unlock gives the lock back and leaves its file. It may be called more than
// once.
func (l *Lock) Unlock() { _ = l.file.Unlock() }

// Remove removes the lock's file, unless another has taken its name, and gives
// the lock back.
func (l *Lock) Remove() {
	if l.current() {
		_ = os.Remove(l.Path())
	}
	l.Unlock()
}
