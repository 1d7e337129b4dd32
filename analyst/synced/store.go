// Package synced is the user's folder of whole tables: parquet files that are
// copies of what a server holds, pulled in parts and installed whole. It knows
// neither server nor engine, and touches no snapshot.
//
// Below HOME/parquet, for each table:
//
//	ID.meta.json             the commit record, replaced by one rename
//	ID-HASH.parquet          the data that it names; never written again
//	ID.parquet               a symbolic link to it, for other tools
//	.part-ID-HASH.parquet    a file that is being pulled, holes and all
//	.part-ID-HASH.done       the chunks of it that have arrived, one a line
//	.lock                    held by the one process that changes any of this
//
// A reader links the data into a folder of its own, so that nothing is taken
// from it. A part outlives its process: the next pull goes on with it.
package synced

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/atomicfile"
)

const (
	recordExt  = ".meta.json"
	dataExt    = ".parquet"
	doneExt    = ".done"
	partPrefix = ".part-"
	lockFile   = ".lock"
	dirPerm    = 0o700
	filePerm   = 0o600
	format     = 1
)

// Meta is the record of a table.
type Meta struct {
	api.SyncTable
	Format   int       `json:"format"`
	Server   string    `json:"server"` // that it comes from
	SyncedAt time.Time `json:"synced_at"`
	DataFile string    `json:"data_file"`
}

// Store is the folder. Reading needs no lock; changing is for the holder of
// Lock.
type Store struct {
	dir string
	// step, if a test sets it, is called after each change on disk.
	step func(string)
}

// At returns the store below a home folder. Nothing is made until it is locked.
func At(home string) *Store {
	return &Store{dir: filepath.Join(home, "parquet"), step: func(string) {}}
}

// Dir returns the folder.
func (s *Store) Dir() string { return s.dir }

// Lock makes the caller the only one who changes the store, or fails with
// CodeSnapshotBusy.
func (s *Store) Lock() (unlock func(), err error) {
	if err := os.MkdirAll(s.dir, dirPerm); err != nil {
		return nil, atomicfile.Explain("sync tables", err)
	}
	l := flock.New(filepath.Join(s.dir, lockFile), flock.SetPermissions(filePerm))
	ok, err := l.TryLock()
	if err != nil {
		return nil, atomicfile.Explain("sync tables", err)
	}
	if !ok {
		return nil, &api.Error{Code: api.CodeSnapshotBusy, Kind: "sync_busy", Message: "another sync is running", Hint: "Wait for it to end."}
	}
	return func() { _ = l.Unlock() }, nil
}

// Get returns the record of a table, if there is one and its data is there.
func (s *Store) Get(id string) (Meta, bool) {
	if api.CheckName("table id", id) != nil {
		return Meta{}, false
	}
	data, err := os.ReadFile(s.path(id + recordExt))
	if err != nil {
		return Meta{}, false
	}
	var m Meta
	if json.Unmarshal(data, &m) != nil || m.Format != format || m.TableID != id || m.DataFile != dataName(m.SyncTable) {
		return Meta{}, false
	}
	info, err := os.Lstat(s.path(m.DataFile))
	return m, err == nil && info.Mode().IsRegular() && info.Size() == m.Bytes
}

// List returns the records, ordered by table.
func (s *Store) List() []Meta {
	var all []Meta
	entries, _ := os.ReadDir(s.dir) // no folder: nothing was synced
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), recordExt); ok && api.CheckName("table id", id) == nil {
			if m, ok := s.Get(id); ok {
				all = append(all, m)
			}
		}
	}
	slices.SortFunc(all, func(a, b Meta) int { return strings.Compare(a.TableID, b.TableID) })
	return all
}

// Link gives a reader a table's data in a folder of the reader's own, which
// lies in the same home, and returns the path there; with no folder, the path of
// the data itself. ok is false if the table
// is not here.
func (s *Store) Link(id, dir string) (path string, m Meta, ok bool, err error) {
	for {
		if m, ok = s.Get(id); !ok {
			return "", m, false, nil
		}
		if dir == "" {
			return s.path(m.DataFile), m, true, nil
		}
		path = filepath.Join(dir, id+dataExt)
		err = os.Link(s.path(m.DataFile), path)
		if errors.Is(err, fs.ErrNotExist) {
			if _, statErr := os.Lstat(dir); statErr == nil {
				continue // replaced since it was looked up
			}
		}
		if err != nil {
			return "", m, true, atomicfile.Explain(fmt.Sprintf("read table '%s'", id), err)
		}
		return path, m, true, nil
	}
}

// Point makes the link of a table lead to its data. A process that is killed
// between the record and the link leaves it where it led before.
func (s *Store) Point(m Meta) error {
	at := s.path(m.TableID + dataExt)
	if to, err := os.Readlink(at); err == nil && to == m.DataFile {
		return nil
	}
	link, err := atomicfile.StageSymlink(m.DataFile, at)
	if err != nil {
		return err
	}
	defer link.Discard()
	return link.Commit()
}

// Remove removes a table. The record goes first.
func (s *Store) Remove(m Meta) error {
	for _, base := range []string{m.TableID + recordExt, m.TableID + dataExt, m.DataFile} {
		if err := os.Remove(s.path(base)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return atomicfile.Explain(fmt.Sprintf("remove table '%s'", m.TableID), err)
		}
	}
	return nil
}

// Sweep removes what nothing needs: parts of files that are not wanted any
// more or are here already, and data without a record.
func (s *Store) Sweep(wanted []api.SyncTable) {
	keep := map[string]bool{}
	for _, t := range wanted {
		keep[partName(t)], keep[doneName(t)] = true, true
	}
	for _, m := range s.List() {
		keep[m.DataFile] = true
		delete(keep, partName(m.SyncTable))
		delete(keep, doneName(m.SyncTable))
	}
	entries, _ := os.ReadDir(s.dir)
	for _, e := range entries {
		base := e.Name()
		part := strings.HasPrefix(base, partPrefix)
		data := strings.HasSuffix(base, dataExt) && strings.Contains(base, "-")
		if (part || data || atomicfile.Leftover(base)) && !keep[base] {
			_ = os.Remove(s.path(base))
		}
	}
}

func (s *Store) path(base string) string { return filepath.Join(s.dir, base) }

func dataName(t api.SyncTable) string { return t.TableID + "-" + t.XXH3 + dataExt }
func partName(t api.SyncTable) string { return partPrefix + dataName(t) }
func doneName(t api.SyncTable) string { return partPrefix + t.TableID + "-" + t.XXH3 + doneExt }
