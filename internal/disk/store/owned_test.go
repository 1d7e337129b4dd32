package store

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestALockOfARemovedFileDoesNotCount removes and replaces the file of a lock
// while it is locked.
func TestALockOfARemovedFileDoesNotCount(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := TryLock(path); !errors.Is(err, ErrBusy) {
		t.Errorf("a second: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	second, err := TryLock(path)
	if err != nil || first.current() || !second.current() {
		t.Fatalf("%v; the first counts: %t, the second: %t", err, first.current(), second.current())
	}
	first.Remove()
	if !second.current() {
		t.Error("the lock of another was removed")
	}
	second.Remove()
	if exists(path) {
		t.Error("it is still there")
	}
}

// TestAWaiterGetsTheFileThatIsThere waits for a lock whose holder removes it.
func TestAWaiterGetsTheFileThatIsThere(t *testing.T) {
	for _, mode := range []Mode{Alone, Shared, Long} {
		path := filepath.Join(t.TempDir(), "lock")
		first, err := TryLock(path)
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan *Lock)
		go func() {
			l, err := WaitLock(t.Context(), path, mode)
			if err != nil {
				t.Error(err)
			}
			got <- l
		}()
		first.Remove()
		if l := <-got; !l.current() {
			t.Errorf("mode %d: locked a file that is gone", mode)
		} else {
			l.Unlock()
		}
	}
}

// TestOneAtATimeHoldsALock has many take a lock whose file goes with each holder.
func TestOneAtATimeHoldsALock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var inside atomic.Int64
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 200 {
				l, err := WaitLock(t.Context(), path, Alone)
				if err != nil {
					t.Error(err)
					return
				}
				if n := inside.Add(1); n != 1 || !l.current() {
					t.Errorf("%d hold one lock; the last counts: %t", n, l.current())
				}
				inside.Add(-1)
				l.Remove()
			}
		})
	}
	group.Wait()
	if exists(path) {
		t.Error("it is still there")
	}
}

// TestOwnersAndSweepsTogether sweeps between the making of a lock's file and
// its locking.
func TestOwnersAndSweepsTogether(t *testing.T) {
	s := &Store{Dir: t.TempDir(), RecordExt: ".json", DataExt: ".data", Name: func(string) bool { return true }, Generation: IsID}
	stop := make(chan struct{})
	var sweeps sync.WaitGroup
	for range 2 {
		sweeps.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					s.Sweep(nil)
				}
			}
		})
	}
	var owners sync.WaitGroup
	for range 4 {
		owners.Go(func() {
			for range 200 {
				o, err := s.OwnTemp()
				if err != nil {
					t.Error(err)
					return
				}
				write(t, s.TempPath(o.ID), "x")
				if !exists(s.TempPath(o.ID)) || !o.lock.current() {
					t.Error("taken from its owner")
				}
				s.ReleaseTemp(o)
			}
		})
	}
	owners.Wait()
	close(stop)
	sweeps.Wait()
	if left, err := BaseNames(s.Dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
