package store

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// maxHolder bounds what is read of a name's lock file.
const maxHolder = 4 << 10

// Holder says who has claimed a name.
type Holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

func (s *Store) namePath(name string) string { return filepath.Join(s.Dir, NamesDir, name) }

// Claim takes the lock of a name, which the one process holds that makes new
// data for it: ErrBusy if another does. The caller holds the store's lock,
// shared or alone, so that it never mistakes a sweep for a claim. Remove of the
// lock ends the claim.
func (s *Store) Claim(name string, now time.Time) (*Lock, error) {
	l, err := TryLock(s.namePath(name))
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	if text, err := json.Marshal(Holder{os.Getpid(), host, now.UTC()}); err == nil {
		_ = os.WriteFile(l.Path(), text, filePerm) // it only helps a message
	}
	return l, nil
}

// Idle makes sure that nobody has claimed a name: ErrBusy if somebody does. The
// caller holds the store's lock alone, so nobody can begin to.
func (s *Store) Idle(name string) error {
	l, err := tryLock(s.namePath(name), os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	l.Remove() // of a process that died
	return nil
}

// Claimed reports whether a name seems to be claimed. It disturbs nobody, so it
// takes the lock of a process that died for a claim.
func (s *Store) Claimed(name string) bool {
	_, err := os.Lstat(s.namePath(name))
	return err == nil
}

// Holder returns who has claimed a name, if that can be known.
func (s *Store) Holder(name string) (h Holder, ok bool) {
	text, err := ReadSmall(s.namePath(name), maxHolder)
	ok = err == nil && json.Unmarshal(text, &h) == nil && h.PID > 0 && !h.Since.IsZero()
	return h, ok
}
