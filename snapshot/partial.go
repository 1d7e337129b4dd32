package snapshot

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
)

const (
	partialDir  = ".partial"
	partialExt  = ".part"
	partialNote = ".json"
	// partialFor is how long a part stays useful after its last byte: a little
	// longer than servers keep the rest.
	partialFor = api.FileKeptFor + 5*time.Minute
	// maxPartialNote limits how much of a note is read, in bytes.
	maxPartialNote = 64 << 10
)

// Partial is the part of the file that has arrived for a claimed name. Unlike the
// file at Temp it survives when the process is killed, so that the next fetch of
// the same data can resume. Only the holder of the claim uses it.
type Partial struct {
	// PartialNote is the note of the part on disk; zero if there is no part.
	PartialNote
	// Size of that part, in bytes.
	Size int64

	claim   *Claim
	request string
}

// PartialNote says which request a part belongs to. Only a fetch with an equal
// Request resumes it.
type PartialNote struct {
	Request string    `json:"request"`
	Tag     string    `json:"tag"` // identifies the complete file at the server
	Version string    `json:"version,omitempty"`
	Begun   time.Time `json:"begun"`
}

// Partial returns what an earlier process has received for the claimed name and
// the same request. It removes the part of another request.
func (c *Claim) Partial(request string) *Partial {
	p := &Partial{claim: c, request: request}
	text, err := store.ReadSmall(p.path(partialNote), maxPartialNote)
	if errors.Is(err, fs.ErrNotExist) {
		return p
	}
	var note PartialNote
	info, statErr := os.Lstat(p.path(partialExt))
	if err != nil || statErr != nil || json.Unmarshal(text, &note) != nil || note.Request != request || note.Tag == "" ||
		!info.Mode().IsRegular() {
		p.Drop()
		return p
	}
	p.PartialNote, p.Size = note, info.Size()
	return p
}

func (p *Partial) path(ext string) string {
	return filepath.Join(p.claim.s.files.Dir, partialDir, p.claim.name+ext)
}

// Begin removes the old part and writes the note of the new one; its Request is
// that given to Partial. There is no part until Open creates the file.
func (p *Partial) Begin(note PartialNote) error {
	p.Drop()
	note.Request = p.request
	text, err := json.Marshal(note)
	if err == nil {
		err = store.MakeDir(filepath.Dir(p.path("")))
	}
	if err == nil {
		// No fsync: losing a part to a power cut is fine, and half a note is
		// ignored.
		err = os.WriteFile(p.path(partialNote), text, filePerm)
	}
	if err != nil {
		return atomicfile.Explain("write the result", err)
	}
	p.PartialNote = note
	return nil
}

// Open opens the file of the part, and creates it if it is missing.
func (p *Partial) Open() (*os.File, error) {
	return os.OpenFile(p.path(partialExt), os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, filePerm)
}

// Arrived returns the size of the part on disk, in bytes.
func (p *Partial) Arrived() int64 {
	info, err := os.Lstat(p.path(partialExt))
	if err != nil {
		return 0
	}
	return info.Size()
}

// Finish moves the complete part to the claim's Temp.
func (p *Partial) Finish() error {
	if err := os.Rename(p.path(partialExt), p.claim.Temp()); err != nil {
		return atomicfile.Explain("write the result", err)
	}
	p.Drop()
	return nil
}

// Drop removes the part. The note is removed last, because a part without a note
// is never looked at.
func (p *Partial) Drop() {
	removePartial(p.claim.s.files.Dir, p.claim.name)
	p.PartialNote, p.Size = PartialNote{}, 0
}

func removePartial(dir, name string) {
	_ = os.Remove(filepath.Join(dir, partialDir, name+partialExt)) // a sweep removes what remains
	_ = os.Remove(filepath.Join(dir, partialDir, name+partialNote))
}

// sweepPartials removes parts that are too old to use. If there are no parts, it
// costs only one directory listing.
func (s *Store) sweepPartials() {
	dir := filepath.Join(s.files.Dir, partialDir)
	bases, _ := store.BaseNames(dir)
	old := map[string]bool{}
	for _, base := range bases {
		name := strings.TrimSuffix(strings.TrimSuffix(base, partialExt), partialNote)
		if info, err := os.Lstat(filepath.Join(dir, base)); err == nil && s.files.Name(name) {
			young := s.now().Sub(info.ModTime()) < partialFor
			was, seen := old[name]
			old[name] = !young && (was || !seen)
		}
	}
	for name, gone := range old {
		if gone {
			s.dropPartial(name)
		}
	}
}

// dropPartial removes the part of a name, unless a fetch of that name is running.
func (s *Store) dropPartial(name string) {
	lock, err := s.files.TryLock()
	if err != nil {
		return // the next sweep does it
	}
	defer lock.Unlock()
	if s.files.Idle(name) == nil {
		removePartial(s.files.Dir, name)
	}
}
