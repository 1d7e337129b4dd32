package snapshot

import (
	"encoding/json"
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

// about are the files beside the record of a snapshot.
func (s *Store) about(name string) []string {
	return []string{s.profilePath(name), s.ChecksPath(name), s.ChecksPath(name) + ".json"}
}

// kept is the file of what is known of the rows of a snapshot.
type kept struct {
	ContentHash string          `json:"content_hash"` // of the rows that it is of
	Profile     json.RawMessage `json:"profile,omitempty"`
	// Keys are lists of columns whose values, but for NULL, occur once.
	Keys [][]string `json:"keys,omitempty"`
}

func (s *Store) kept(m Meta) kept {
	text, err := store.ReadSmall(s.profilePath(m.Name), maxSidecar)
	var k kept
	if err != nil || json.Unmarshal(text, &k) != nil || k.ContentHash != m.ContentHash {
		return kept{ContentHash: m.ContentHash}
	}
	return k
}

// keep writes what is known. That it cannot be kept is no failure: it is found out again,
// as is what another process writes at the same time.
func (s *Store) keep(m Meta, k kept) {
	path := s.profilePath(m.Name)
	text, err := json.Marshal(k)
	if err == nil && len(text) <= maxSidecar && store.MakeDir(filepath.Dir(path)) == nil {
		_ = atomicfile.WriteFile(path, text, filePerm)
	}
}

// Profile returns the profile that is kept of the rows of a snapshot; nil: none is.
func (s *Store) Profile(m Meta) json.RawMessage { return s.kept(m).Profile }

// PutProfile keeps the profile of the rows of a snapshot.
func (s *Store) PutProfile(m Meta, profile json.RawMessage) {
	k := s.kept(m)
	k.Profile = profile
	s.keep(m, k)
}

// Keys are the sets of columns whose values are known to occur once in the rows of a
// snapshot, but for NULL.
func (s *Store) Keys(m Meta) [][]string { return s.kept(m).Keys }

// PutKey keeps a set of such columns.
func (s *Store) PutKey(m Meta, columns []string) {
	k := s.kept(m)
	k.Keys = append(k.Keys, columns)
	s.keep(m, k)
}

// moveAbout gives the profile and the checks of a snapshot to another name.
func (s *Store) moveAbout(from, to string) {
	for i, path := range s.about(from) {
		_ = os.Rename(path, s.about(to)[i])
	}
}

// remove removes snapshots and the files beside them.
func (s *Store) remove(names ...string) error {
	for _, name := range names {
		for _, path := range s.about(name) {
			_ = os.Remove(path)
		}
	}
	return s.files.Remove(names...)
}
