package mirror

import (
	"context"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// lockFile waits for the lock of a file, which may be removed with it. Who
// waited for one that was removed meanwhile has locked what nobody else finds
// any more, and tries anew.
func lockFile(ctx context.Context, path string, retry time.Duration) (*flock.Flock, error) {
	for {
		lock := flock.New(path)
		if _, err := lock.TryLockContext(ctx, retry); err != nil {
			return nil, err
		}
		if standing(lock) {
			return lock, nil
		}
		_ = lock.Close()
	}
}

// unlockFile gives a lock back and removes its file, which comes first: after
// that it could be the lock of another.
func unlockFile(lock *flock.Flock) {
	if standing(lock) {
		_ = os.Remove(lock.Path()) // else it goes when a lake is opened
	}
	_ = lock.Close()
}

// standing reports whether a locked file is still the one at its path.
func standing(lock *flock.Flock) bool {
	locked, err := lock.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(lock.Path())
	return err == nil && os.SameFile(locked, there)
}
