// Package spool keeps what a server makes for a client until the client has it,
// so that a client whose connection was lost goes on where it stopped, and
// nothing is made twice.
//
// It knows bytes and keys, and nothing of requests and rights: who may read a
// file is for its caller to decide. What it keeps lies in a folder that ends
// with the process; its size, and how long it is kept, are bounded.
package spool

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agnes-data/da/internal/store"
)

// Limits bound a spool.
type Limits struct {
	Bytes int64         // of all files
	For   time.Duration // that a file is kept without a reader
}

// Spool holds files in a folder. Its methods may be called concurrently.
type Spool struct {
	parent string
	limits Limits

	mu     sync.Mutex
	folder *store.Folder // nil: nothing was kept yet
	files  map[string]*File
	bytes  int64

	ending sync.WaitGroup // what is told that its file was dropped
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

// Make begins a file. key is what Open must be given to get it; value is kept
// along with it. dropped is called once, on a goroutine of its own, when the file
// goes, and returns when nobody writes it any more.
func (s *Spool) Make(key string, value any, dropped func()) (*File, error) {
	var tag [16]byte
	_, _ = rand.Read(tag[:]) // never fails
	f := &File{Tag: hex.EncodeToString(tag[:]), Value: value, key: key, spool: s, dropped: dropped}
	f.moved.L = &f.mu
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

// Open returns the file of a tag; nil if it is not there, or was made with
// another key.
func (s *Spool) Open(tag, key string) *File {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.files[tag]; f != nil && f.key == key {
		return f
	}
	return nil
}

// Find returns the file of a tag whatever its key is; nil if it is not there.
func (s *Spool) Find(tag string) *File {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files[tag]
}

// Key returns what Make was given.
func (f *File) Key() string { return f.key }

// errFull is returned to a writer for whom there is no room.
var errFull = errors.New("there is no room to keep what was made")

// take reserves room, for which whole files that nobody reads may go.
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

// idle returns the file without a reader that has been so for longest.
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
