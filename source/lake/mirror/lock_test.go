package mirror

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// TestALockThatIsRemoved is of those who wait for it.
func TestALockThatIsRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var group sync.WaitGroup
	var inside, taken atomic.Int64
	for range 8 {
		group.Go(func() {
			for range 500 {
				lock, err := lockFile(t.Context(), path, time.Microsecond)
				if err != nil {
					t.Error(err)
					return
				}
				if n := inside.Add(1); n != 1 {
					t.Errorf("%d have one lock", n)
				}
				taken.Add(1)
				if !standing(lock) {
					t.Error("what is locked is not what the others find")
				}
				inside.Add(-1)
				unlockFile(lock)
			}
		})
	}
	group.Wait()
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) || taken.Load() != 4000 {
		t.Errorf("taken %d times, then %v", taken.Load(), err)
	}
	// The lock of another stays, and a file that has gone is nobody's.
	lock := flock.New(path)
	if ok, err := lock.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if !standing(lock) {
		t.Error("a lock that was just taken is not seen")
	}
	for _, change := range []func() error{
		func() error { return os.Remove(path) },
		func() error { return os.WriteFile(path, nil, 0o600) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if standing(lock) {
			t.Error("a file that was removed is taken for the lock")
		}
	}
	unlockFile(lock)
	if _, err := os.Stat(path); err != nil {
		t.Errorf("another's lock: %v", err)
	}
}
