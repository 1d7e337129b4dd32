package snapshot

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
)

// Beside its record, a snapshot has a profile, which can be made again, and checks, which
// may be a person's work: a refresh keeps these, and a rename takes them along.

func (s *Store) profilePath(name string) string {
	return filepath.Join(s.files.Dir, ".profiles", name+".json")
}

// ChecksPath is the file of what a refresh expects of the rows; it need not exist.
func (s *Store) ChecksPath(name string) string {
	return filepath.Join(s.files.Dir, ".checks", name+".yaml")
}

// PutChecks writes the file of what a refresh expects; nil removes it.
func (s *Store) PutChecks(name string, text []byte) error {
	path := s.ChecksPath(name)
	if text == nil {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return atomicfile.Explain("forget the checks", err)
		}
		return nil
	}
	err := store.MakeDir(filepath.Dir(path))
	if err == nil {
		err = atomicfile.WriteFile(path, text, filePerm)
	}
	return atomicfile.Explain("keep the checks", err)
}

// kept is the file of a profile.
type kept struct {
	ContentHash string          `json:"content_hash"` // of the rows that it is of
	Profile     json.RawMessage `json:"profile"`
}

// Profile returns the profile that is kept of the rows of a snapshot; nil: none is.
func (s *Store) Profile(m Meta) json.RawMessage {
	text, err := store.ReadSmall(s.profilePath(m.Name), maxSidecar)
	var k kept
	if err != nil || json.Unmarshal(text, &k) != nil || k.ContentHash != m.ContentHash {
		return nil
	}
	return k.Profile
}

// PutProfile keeps the profile of the rows of a snapshot. That it cannot be kept is no
// failure: it is made again.
func (s *Store) PutProfile(m Meta, profile json.RawMessage) {
	path := s.profilePath(m.Name)
	text, err := json.Marshal(kept{m.ContentHash, profile})
	if err == nil && len(text) <= maxSidecar && store.MakeDir(filepath.Dir(path)) == nil {
		_ = atomicfile.WriteFile(path, text, filePerm)
	}
}

// moveAbout gives the profile and the checks of a snapshot to another name.
func (s *Store) moveAbout(from, to string) {
	_ = os.Rename(s.profilePath(from), s.profilePath(to))
	_ = os.Rename(s.ChecksPath(from), s.ChecksPath(to))
}

// remove removes snapshots and the files beside them.
func (s *Store) remove(names ...string) error {
	for _, name := range names {
		_ = os.Remove(s.profilePath(name))
		_ = os.Remove(s.ChecksPath(name))
	}
	return s.files.Remove(names...)
}
