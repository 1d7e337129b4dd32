package spool

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// ErrGone is returned to readers of a file that is no longer kept, or whose
// requested part is not.
var ErrGone = errors.New("the file is not kept any more")

// errReplaced is returned to a reader that another one has replaced.
var errReplaced = errors.New("another reader has taken the file over")

// errFull is returned to a writer if there is no room for the file.
var errFull = errors.New("there is no room to keep what was made")

// keeper has the room for files. Lock order: the keeper before a file.
type keeper interface {
	// take reserves n bytes; false: there is no room. With force there always is.
	take(n int64, force bool) bool
	give(n int64)
	// gone tells that a file has been dropped.
	gone(f *File)
}

// File is written once, forward. Meanwhile and afterwards it can be read, by one
// reader at a time.
type File struct {
	// Tag identifies the file; it cannot be guessed.
	Tag string
	// Value is the value given to Make.
	Value any

	key     string
	keeper  keeper
	keepFor time.Duration // without a reader
	dropped func()

	mu      sync.Mutex
	moved   sync.Cond
	disk    *os.File
	base    int64 // offset of the first byte that is kept
	size    int64
	held    int64 // bytes reserved at the keeper
	whole   bool
	err     error // the writer's error
	gone    bool
	reader  *Reader
	left    time.Time // when the last reader left
	expires *time.Timer
}

// Write implements io.Writer. If there is no room, it waits until the reader has
// read everything, and drops that; without a reader it fails.
func (f *File) Write(p []byte) (int, error) {
	for force := false; !f.keeper.take(int64(len(p)), force); {
		if err := f.forget(); err != nil {
			return 0, err
		}
		force = true // what is in transit is always kept
	}
	f.mu.Lock()
	if f.gone {
		f.mu.Unlock()
		f.keeper.give(int64(len(p)))
		return 0, ErrGone
	}
	defer f.mu.Unlock()
	f.held += int64(len(p))
	n, err := f.disk.WriteAt(p, f.size-f.base)
	f.size += int64(n)
	f.moved.Broadcast()
	return n, err
}

// forget waits for the reader, and drops what it has read.
func (f *File) forget() error {
	held, err := f.empty()
	f.keeper.give(held)
	return err
}

func (f *File) empty() (held int64, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.reader != nil && f.reader.at < f.size && !f.gone {
		f.moved.Wait()
	}
	switch {
	case f.gone:
		return 0, ErrGone
	case f.reader == nil:
		return 0, errFull
	}
	held, f.held, f.base = f.held, 0, f.size
	return held, f.disk.Truncate(0)
}

// CloseWithError ends writing; the file is complete if err is nil.
func (f *File) CloseWithError(err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.whole, f.err = err == nil, err
	f.moved.Broadcast()
	return nil
}

// OpenAt opens the file at an offset, and replaces an earlier reader. It returns
// ErrGone if that part is not kept.
func (f *File) OpenAt(from int64) (*Reader, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gone || from < f.base || from > f.size {
		return nil, ErrGone
	}
	if f.expires != nil {
		f.expires.Stop()
		f.expires = nil
	}
	f.reader = &Reader{file: f, at: from}
	f.moved.Broadcast()
	return f.reader, nil
}

// Drop removes the file. Its writer and its reader get ErrGone.
func (f *File) Drop() {
	f.mu.Lock()
	if f.gone {
		f.mu.Unlock()
		return
	}
	f.gone = true
	if f.expires != nil {
		f.expires.Stop()
	}
	held := f.held
	f.held = 0
	_ = f.disk.Close()
	_ = os.Remove(f.disk.Name()) // the folder is removed with the process
	f.moved.Broadcast()
	f.mu.Unlock()
	f.keeper.give(held)
	f.keeper.gone(f)
}

// Whole returns the file if it is complete and nothing of it was dropped, else nil. It
// can be read while others read, until the file is dropped.
func (f *File) Whole() (data io.ReaderAt, size int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.whole || f.base > 0 || f.gone {
		return nil, 0
	}
	return f.disk, f.size
}

// Key returns the key given to Make.
func (f *File) Key() string { return f.key }

func (f *File) idleSince() (time.Time, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.left, f.reader == nil && !f.gone && !f.left.IsZero()
}

// Reader reads a file from an offset to its end, and waits for data that is still
// being written. One goroutine reads; any can call Close.
type Reader struct {
	file *File
	at   int64
}

var _ io.ReadCloser = (*Reader)(nil)

// Read implements io.Reader. It returns io.EOF at the end of a complete file,
// otherwise the writer's error.
func (r *Reader) Read(p []byte) (int, error) {
	f := r.file
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		switch {
		case f.gone:
			return 0, ErrGone
		case f.reader != r:
			return 0, errReplaced
		case r.at < f.size:
			n, err := f.disk.ReadAt(p[:min(int64(len(p)), f.size-r.at)], r.at-f.base)
			r.at += int64(n)
			f.moved.Broadcast()
			return n, err
		case f.whole:
			return 0, io.EOF
		case f.err != nil:
			return 0, f.err
		}
		f.moved.Wait()
	}
}

// Close implements io.Closer. The file is kept for a while after that, if it can
// be read again.
func (r *Reader) Close() error {
	f := r.file
	f.mu.Lock()
	if f.reader != r || f.gone {
		f.mu.Unlock()
		return nil
	}
	f.reader, f.left = nil, time.Now()
	useless := f.err != nil
	if !useless {
		f.expires = time.AfterFunc(f.keepFor, f.Drop)
	}
	f.moved.Broadcast()
	f.mu.Unlock()
	if useless {
		f.Drop()
	}
	return nil
}
