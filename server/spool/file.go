package spool

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// ErrGone is returned to readers of a file that is not kept any more, or not from
// its beginning.
var ErrGone = errors.New("the file is not kept any more")

// errReplaced is returned to a reader in whose place another has come.
var errReplaced = errors.New("another reader has taken the file over")

// File is written once, forward, and read meanwhile and afterwards, by one reader
// at a time.
type File struct {
	// Tag names the file; nobody can guess it.
	Tag string
	// Value is what Make was given.
	Value any

	key     string
	spool   *Spool
	dropped func()

	mu      sync.Mutex
	moved   sync.Cond
	disk    *os.File
	base    int64 // what came before is not kept: there was no room
	size    int64
	held    int64 // bytes reserved in the spool
	whole   bool
	err     error // of the writer
	gone    bool
	reader  *Reader
	left    time.Time // when the last reader left
	expires *time.Timer
}

// Write implements io.Writer. Where there is no room, it waits until the reader
// has everything, and begins to keep anew; without a reader it fails.
func (f *File) Write(p []byte) (int, error) {
	for force := false; !f.spool.take(int64(len(p)), force); {
		if err := f.forget(); err != nil {
			return 0, err
		}
		force = true // as much as is under way is always kept
	}
	f.mu.Lock()
	if f.gone {
		f.mu.Unlock() // the spool's lock comes before a file's
		f.spool.give(int64(len(p)))
		return 0, ErrGone
	}
	defer f.mu.Unlock()
	f.held += int64(len(p))
	n, err := f.disk.WriteAt(p, f.size-f.base)
	f.size += int64(n)
	f.moved.Broadcast()
	return n, err
}

// forget waits for the reader, and lets go of what it has.
func (f *File) forget() error {
	held, err := f.empty()
	f.spool.give(held) // the spool's lock comes before a file's
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

// CloseWithError ends the writing: the file is whole if err is nil.
func (f *File) CloseWithError(err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.whole, f.err = err == nil, err
	f.moved.Broadcast()
	return nil
}

// OpenAt opens the file from an offset; a reader before is turned away. ErrGone
// if that part is not kept.
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

// Drop removes the file. Its writer and its reader end with ErrGone.
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
	_ = os.Remove(f.disk.Name()) // the folder goes with the process
	f.moved.Broadcast()
	f.mu.Unlock()
	f.spool.give(held)
	f.spool.mu.Lock()
	delete(f.spool.files, f.Tag)
	f.spool.mu.Unlock()
	f.spool.ending.Go(f.dropped)
}

func (f *File) idleSince() (time.Time, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.left, f.reader == nil && !f.gone && !f.left.IsZero()
}

// Reader reads a file from where it was opened to its end, waiting for what is
// still being written. It is used by one goroutine, and closed from any.
type Reader struct {
	file *File
	at   int64
}

var _ io.ReadCloser = (*Reader)(nil)

// Read implements io.Reader. It returns io.EOF where the file is whole, and the
// writer's error where it is not.
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

// Close implements io.Closer. The file is kept for a while from then on, if it
// can be read again.
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
		f.expires = time.AfterFunc(f.spool.limits.For, f.Drop)
	}
	f.moved.Broadcast()
	f.mu.Unlock()
	if useless {
		f.Drop()
	}
	return nil
}
