package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/agnes-data/da/internal/disk/atomicfile"
)

// The names on disk that all stores share; doc.go says what they are.
const (
	lockFile   = ".lock"
	NamesDir   = ".names"
	UsedDir    = ".used"
	tempPrefix = ".tmp-"
	// engineTemp is what DuckDB puts before the name of a file that it is still
	// writing, where a file of that name exists already.
	engineTemp = "tmp_"
)

// Store is a folder of entries. Its fields are set once, by its owner. Errors
// of its methods are those of the system, or named here; the owner puts them
// into words. Methods that change an entry need a lock that keeps others from
// changing it: that of the Store, if the owner has no other.
type Store struct {
	Dir       string // absolute
	RecordExt string // of a record's file, such as ".meta.json"
	DataExt   string // of data, such as ".parquet"; empty: records are all there is
	MaxRecord int64  // bytes; a larger record is not read
	// Name reports whether a text can be a name: what else lies in the folder is
	// left alone.
	Name func(string) bool
	// Generation reports whether a text can be a generation; nil: data is called
	// by its name alone, and each name is used once.
	Generation func(string) bool
	// Linked says that NAME.parquet leads to the data.
	Linked bool
	// Step, if a test sets it, is told each step on disk after it was made.
	Step func(name string)
}

func (s *Store) step(name string) {
	if s.Step != nil {
		s.Step(name)
	}
}

// Path returns the path of a file in the store's folder.
func (s *Store) Path(base string) string { return filepath.Join(s.Dir, base) }

// RecordPath returns the path of a record.
func (s *Store) RecordPath(name string) string { return s.Path(name + s.RecordExt) }

// DataName returns the base name of a generation of an entry's data.
func (s *Store) DataName(name, generation string) string {
	if s.Generation == nil {
		return name + s.DataExt
	}
	return name + "-" + generation + s.DataExt
}

// LinkPath returns the path of the link for other tools.
func (s *Store) LinkPath(name string) string { return s.Path(name + s.DataExt) }

// DataOf returns the name whose data a base name is. Whether it can be a name
// is not looked at.
func (s *Store) DataOf(base string) (name string, ok bool) {
	stem, ok := strings.CutSuffix(base, s.DataExt)
	if !ok || s.DataExt == "" {
		return "", false
	}
	if s.Generation == nil {
		return stem, true
	}
	i := strings.LastIndexByte(stem, '-')
	if i < 0 || !s.Generation(stem[i+1:]) {
		return "", false
	}
	return stem[:i], true
}

// Make makes the folder, and those below it that the store uses.
func (s *Store) Make(below ...string) error {
	for _, dir := range append([]string{""}, below...) {
		if err := MakeDir(filepath.Join(s.Dir, dir)); err != nil {
			return err
		}
	}
	return nil
}

// MakeDir makes a folder that its user alone may enter, and those above it.
func MakeDir(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	err := os.MkdirAll(dir, dirPerm)
	if errors.Is(err, fs.ErrNotExist) {
		// A file system that makes nothing, as /proc is, says so.
		err = &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.EACCES}
	}
	return err
}

// Lock takes the store's lock, and makes the folder if there is none. It gives
// up when ctx is done, with its error.
func (s *Store) Lock(ctx context.Context, mode Mode) (*Lock, error) {
	l, err := WaitLock(ctx, s.Path(lockFile), mode)
	if errors.Is(err, fs.ErrNotExist) {
		if err := s.Make(); err != nil {
			return nil, err
		}
		return WaitLock(ctx, s.Path(lockFile), mode)
	}
	return l, err
}

// TryLock takes the store's lock alone, if it is free now: else ErrBusy.
func (s *Store) TryLock() (*Lock, error) { return TryLock(s.Path(lockFile)) }

// LockPath returns the file of the store's lock.
func (s *Store) LockPath() string { return s.Path(lockFile) }

// UsedPath returns the file whose time is when an entry was last used.
func (s *Store) UsedPath(name string) string { return filepath.Join(s.Dir, UsedDir, name) }

// Use notes that an entry is used now. Nothing depends on its success.
func (s *Store) Use(name string, now time.Time) {
	path := s.UsedPath(name)
	if err := os.Chtimes(path, now, now); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|noFollow, filePerm)
	if err != nil {
		return
	}
	_ = f.Close()
	_ = os.Chtimes(path, now, now)
}

// Used returns when an entry was last used; zero: it is not known.
func (s *Store) Used(name string) time.Time {
	info, err := os.Stat(s.UsedPath(name))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime().UTC()
}

// OwnTemp makes a new name for data that is being made.
func (s *Store) OwnTemp() (*Owned, error) { return Own(s.tempLock) }

// TempPath returns the path for the data of that id. There is no file yet.
func (s *Store) TempPath(id string) string { return s.Path(tempPrefix + id + s.DataExt) }

func (s *Store) tempLock(id string) string { return s.Path(tempPrefix + id + lockExt) }

// ReleaseTemp removes the data, if it is still there, and ends the ownership.
func (s *Store) ReleaseTemp(o *Owned) {
	_ = s.removeTemp(o.ID)
	o.Release()
}

// removeTemp removes the data and what DuckDB has written beside it.
func (s *Store) removeTemp(id string) error {
	return errors.Join(removed(s.TempPath(id)), removed(s.Path(engineTemp+tempPrefix+id+s.DataExt)))
}

// removed removes a file, if it is there.
func removed(path string) error {
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// SyncData makes data that something else has written outlive a power cut: it
// takes long for much data, so it comes before a lock is taken.
func (s *Store) SyncData(path string) error {
	err := atomicfile.SyncFile(path, filePerm)
	s.step(StepTempSynced)
	return err
}
