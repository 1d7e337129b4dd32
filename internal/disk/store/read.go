package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// What may be wrong with the data that a record names.
var (
	ErrDataMissing = errors.New("its data file is missing")
	ErrDataChanged = errors.New("its data file is not the one that was written")
)

// Data locates a record's data; an empty Base means no data.
type Data struct {
	Base string
	Size int64 // in bytes; negative: any
}

// Read reads an entry's record and looks whether its data is there, without a
// lock: a commit comes before the old data is removed, so data that is missing
// counts only if the record still names it. parse returns what the record
// names; its error is returned as it is. Without a record the error is
// fs.ErrNotExist.
func (s *Store) Read(name string, parse func(record []byte) (Data, error)) error {
	missing := ""
	for {
		record, err := ReadSmall(s.RecordPath(name), s.MaxRecord)
		if err != nil {
			return err
		}
		data, err := parse(record)
		if err != nil || data.Base == "" {
			return err
		}
		s.step(StepRecordRead)
		err = s.check(name, data)
		if !errors.Is(err, ErrDataMissing) || missing == data.Base {
			return err
		}
		missing = data.Base
	}
}

// StepRecordRead lies between two looks, and is not a change.
const StepRecordRead = "record-read"

// check looks at data without opening it.
func (s *Store) check(name string, data Data) error {
	if of, ok := s.DataOf(data.Base); !ok || of != name {
		return ErrDataChanged // a record leads to no file of others
	}
	info, err := os.Lstat(s.Path(data.Base))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ErrDataMissing
	case err != nil:
		return err
	case !info.Mode().IsRegular() || data.Size >= 0 && info.Size() != data.Size:
		return ErrDataChanged
	}
	return nil
}

// ReadSmall reads a regular file of at most limit bytes. It follows no
// symbolic link and waits for no pipe.
func ReadSmall(path string, limit int64) ([]byte, error) {
	f, err := OpenRecord(path, limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s has over %d bytes", filepath.Base(path), limit)
	}
	return data, err
}

// OpenRecord opens what ReadSmall reads, for records that are read in parts.
func OpenRecord(path string, limit int64) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is not a file", info.Name())
	case info.Size() > limit:
		err = fmt.Errorf("%s has over %d bytes", info.Name(), limit)
	default:
		return f, nil
	}
	_ = f.Close()
	return nil, err
}

// Hold gives a reader data under a path in a Folder of its own, by a hard link.
// find reads the entry, and is asked again if it was changed since; its error
// is returned as it is. Where there are no hard links, the error is an
// *os.LinkError.
func (s *Store) Hold(path string, find func() (base string, err error)) error {
	for {
		base, err := find()
		if err != nil {
			return err
		}
		err = os.Link(s.Path(base), path)
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if _, gone := os.Lstat(filepath.Dir(path)); gone != nil {
			return err
		}
	}
}
