package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/gofrs/flock"
)

// owned is a lock that says that its process still needs what goes by an id:
// a temporary file, or a reader's folder. It is made before what it guards,
// and removed after it.
type owned struct {
	id   string
	lock *flock.Flock
}

// own makes the lock of a new id; path tells where.
func own(path func(id string) string) (*owned, error) {
	for range 100 {
		id := newID()
		l := openLock(path(id), os.O_CREATE|os.O_EXCL|os.O_RDWR)
		ok, err := l.TryLock()
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		// A sweep may have come between the making and the locking, and have
		// taken the file for one without an owner.
		if ok && current(l) {
			return &owned{id, l}, nil
		}
		_ = l.Unlock()
	}
	return nil, fmt.Errorf("no free name like %s", path("ID"))
}

func (o *owned) release() {
	_ = os.Remove(o.lock.Path())
	_ = o.lock.Unlock()
}

// orphaned reports whether what the lock at path guards has no owner any more.
// If so, the caller removes that and calls release.
func orphaned(path string) (release func(), ok bool) {
	l := openLock(path, os.O_RDWR)
	ok, err := l.TryLock()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// What it guards was seen, so the lock had been made before it and
		// was removed by somebody since. Ids are not used twice.
		return func() {}, true
	case err != nil || !ok:
		return nil, false
	}
	return func() { (&owned{lock: l}).release() }, true
}
