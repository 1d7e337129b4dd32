package store

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

const idDigits = 16

// NewID returns an id that is never used twice: 16 hex digits.
func NewID() string {
	var b [idDigits / 2]byte
	_, _ = rand.Read(b[:]) // never fails: it would end the process
	return hex.EncodeToString(b[:])
}

// IsID reports whether NewID may have made s.
func IsID(s string) bool { return IsHex(s, idDigits) }

// IsHex reports whether s is that many hex digits.
func IsHex(s string, digits int) bool {
	return len(s) == digits && strings.Trim(s, "0123456789abcdef") == ""
}

// Owned is a lock that says that its process still needs what goes by an id. It
// is made before what it guards, and removed after it.
type Owned struct {
	ID   string
	lock *Lock
}

// Own makes the lock of a new id; path tells where it lies.
func Own(path func(id string) string) (*Owned, error) {
	for range 100 {
		id := NewID()
		f, err := os.OpenFile(path(id), os.O_CREATE|os.O_EXCL|os.O_WRONLY, filePerm)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		_ = f.Close() // nothing was written
		l, err := tryLock(path(id), os.O_RDWR)
		switch {
		case err == nil:
			return &Owned{id, l}, nil
		case !errors.Is(err, ErrBusy) && !errors.Is(err, fs.ErrNotExist):
			_ = os.Remove(path(id))
			return nil, err
		}
		// A sweep came between the making and the locking, and took the file for
		// one without an owner.
	}
	return nil, fmt.Errorf("no free name like %s", path("ID"))
}

// Path returns the lock's file.
func (o *Owned) Path() string { return o.lock.Path() }

// Release ends the ownership.
func (o *Owned) Release() { o.lock.Remove() }

// Reclaim runs remove if no process owns what the lock at path guards, and
// reports whether it did. If remove fails, the lock's file stays for the next
// sweep.
func Reclaim(path string, remove func() error) bool {
	l, err := tryLock(path, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		// What it guards was seen, so the lock had been made before it and was
		// removed since. Ids are not used twice.
		return remove() == nil
	}
	if err != nil {
		return false
	}
	if remove() != nil {
		l.Unlock()
		return false
	}
	l.Remove()
	return true
}
