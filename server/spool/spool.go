// Package spool keeps files until their client has them, so that a client that
// lost its connection can resume and nothing is made twice.
//
// It knows bytes and keys, but not requests and rights: its caller decides who
// can read a file. Its files are in a folder that is removed with the process;
// their total size and their age are limited.
package spool

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agnes-data/da/internal/disk/store"
)

// Limits bound a spool.
type Limits struct {
	Bytes int64         // of all files
	Files int           // that no one reads; each holds a descriptor
	For   time.Duration // how long a file without a reader is kept
}

// Spool keeps files in a folder. It is safe for concurrent use.
type Spool struct {
	parent string
	limits Limits

	mu     sync.Mutex
	folder *store.Folder // nil: nothing has been kept yet
	files  map[string]*File
	bytes  int64

	ending sync.WaitGroup // running callbacks about dropped files
}

// New returns a spool whose folder lies below parent.
func New(parent string, limits Limits) *Spool {
	return &Spool{parent: parent, limits: limits, files: map[string]*File{}}
}

// Close drops every file, and returns when their writers have ended.
func (s *Spool) Close() {
	s.mu.Lock()
	files := s.files
	s.files = map[string]*File{}
	s.mu.Unlock()
	for _, f := range files {
		f.Drop()
	}
	s.ending.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folder.Close()
	s.folder = nil
}

// Make creates a file. Open needs the same key to return it; value is stored with
// it. dropped is called once, in its own goroutine, when the file is removed; it
// must return only when writing has ended.
func (s *Spool) Make(key string, value any, dropped func()) (*File, error) {
	var tag [16]byte
	_, _ = rand.Read(tag[:]) // never fails
	f := &File{Tag: hex.EncodeToString(tag[:]), Value: value, key: key, keeper: s, keepFor: s.limits.For, dropped: dropped}
	f.moved.L = &f.mu
	s.dropIdle()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.folder == nil {
		folder, err := store.OpenFolder(s.parent)
		if err != nil {
			return nil, err
		}
		s.folder = folder
	}
	var err error
	if f.disk, err = os.OpenFile(filepath.Join(s.folder.Path, f.Tag), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600); err != nil {
		return nil, fmt.Errorf("keep a file: %w", err)
	}
	s.files[f.Tag] = f
	return f, nil
}

// Open returns the file with that tag; nil if there is no such file or its key
// differs.
func (s *Spool) Open(tag, key string) *File {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.files[tag]; f != nil && f.key == key {
		return f
	}
	return nil
}

// Find returns the file with that tag, whatever its key; nil if there is no such
// file.
func (s *Spool) Find(tag string) *File {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files[tag]
}

// dropIdle drops files that no one reads until one more is allowed.
func (s *Spool) dropIdle() {
	for {
		s.mu.Lock()
		victim := (*File)(nil)
		if len(s.files) >= s.limits.Files {
			victim = s.idle()
		}
		s.mu.Unlock()
		if victim == nil {
			return
		}
		victim.Drop()
	}
}

// gone implements keeper.
func (s *Spool) gone(f *File) {
	s.mu.Lock()
	delete(s.files, f.Tag)
	s.mu.Unlock()
	s.ending.Go(f.dropped)
}

// take reserves space. To make room it removes complete files without a reader.
func (s *Spool) take(n int64, force bool) bool {
	for {
		s.mu.Lock()
		if force || s.bytes+n <= s.limits.Bytes {
			s.bytes += n
			s.mu.Unlock()
			return true
		}
		victim := s.idle()
		s.mu.Unlock()
		if victim == nil {
			return false
		}
		victim.Drop()
	}
}

func (s *Spool) give(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes -= n
}

// idle returns the file that has been without a reader for longest.
func (s *Spool) idle() (oldest *File) {
	for _, f := range s.files {
		since, idle := f.idleSince()
		if !idle {
			continue
		}
		if oldest == nil {
			oldest = f
			continue
		}
		if before, _ := oldest.idleSince(); since.Before(before) {
			oldest = f
		}
	}
	return oldest
}
