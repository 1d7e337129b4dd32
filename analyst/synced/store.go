// Package synced is the user's folder of whole tables: parquet files that are
// copies of a server's tables, pulled in chunks and installed as a whole. It
// knows neither server nor engine, and touches no snapshot.
//
// Below HOME/parquet, for each table:
//
//	ID.meta.json             the commit record, replaced by one rename
//	ID-HASH.parquet          the data that it names; never rewritten
//	ID.parquet               a symbolic link to it, for other tools
//	.part-ID-HASH.parquet    a file that is being pulled; may have holes
//	.part-ID-HASH.done       the chunks of it that have arrived, one per line
//	.lock                    held by the one process that changes this folder
//
// A reader links the data into a folder of its own, so that it cannot be removed
// under the reader. A part survives its process: the next pull resumes it.
package synced

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
)

const (
	dataExt    = ".parquet"
	doneExt    = ".done"
	partPrefix = ".part-"
	filePerm   = 0o600
	format     = 1
	maxRecord  = 16 << 20
	hashDigits = 32
)

// Meta is the record of a table.
type Meta struct {
	api.SyncTable
	Format   int       `json:"format"`
	Server   string    `json:"server"` // the server it came from
	SyncedAt time.Time `json:"synced_at"`
	DataFile string    `json:"data_file"`
}

// Store is the folder. Reading needs no lock; only the holder of Lock may change
// it.
type Store struct{ files store.Store }

// At returns the store below a home folder. The folder is created by Lock.
func At(home string) *Store {
	return &Store{store.Store{
		Dir: filepath.Join(home, "parquet"), RecordExt: ".meta.json", DataExt: dataExt, MaxRecord: maxRecord, Linked: true,
		Name:       func(id string) bool { return api.CheckName("table id", id) == nil },
		Generation: func(hash string) bool { return store.IsHex(hash, hashDigits) },
	}}
}

func (s *Store) step(name string) {
	if s.files.Step != nil {
		s.files.Step(name)
	}
}

// ChecksPath is the file of what a sync expects of the rows of a table; it need not exist.
func (s *Store) ChecksPath(id string) string { return filepath.Join(s.Dir(), ".checks", id+".yaml") }

// Dir returns the folder.
func (s *Store) Dir() string { return s.files.Dir }

// Lock takes the exclusive right to change the store, or fails with
// CodeSnapshotBusy.
func (s *Store) Lock() (unlock func(), err error) {
	err = s.files.Make()
	var lock *store.Lock
	if err == nil {
		lock, err = s.files.TryLock()
	}
	if errors.Is(err, store.ErrBusy) {
		return nil, &api.Error{Code: api.CodeSnapshotBusy, Kind: api.KindSyncBusy, Message: "another sync is running",
			Hint: "Wait for it to end."}
	}
	if err != nil {
		return nil, atomicfile.Explain("sync tables", err)
	}
	return lock.Unlock, nil
}

// Get returns the record of a table if both the record and its data exist.
func (s *Store) Get(id string) (m Meta, ok bool) {
	if !s.files.Name(id) {
		return Meta{}, false
	}
	err := s.files.Read(id, func(record []byte) (store.Data, error) {
		m = Meta{}
		err := json.Unmarshal(record, &m)
		if err == nil && (m.Format != format || m.TableID != id || m.DataFile != dataName(m.SyncTable)) {
			err = errors.New("a record of something else")
		}
		return store.Data{Base: m.DataFile, Size: m.Bytes}, err
	})
	return m, err == nil
}

// List returns the records, ordered by table.
func (s *Store) List() (all []Meta) {
	ids, _ := s.files.Names() // if there is no folder, nothing was synced
	for _, id := range ids {
		if m, ok := s.Get(id); ok {
			all = append(all, m)
		}
	}
	return all
}

// Link links a table's data into the reader's folder, which must be in the same
// home, and returns the path there. If dir is empty, it returns the path of the
// data itself. ok is false if the table is not here.
func (s *Store) Link(id, dir string) (path string, m Meta, ok bool, err error) {
	if dir == "" {
		m, ok = s.Get(id)
		return s.files.Path(m.DataFile), m, ok, nil
	}
	path = filepath.Join(dir, id+dataExt)
	err = s.files.Hold(path, func() (string, error) {
		if m, ok = s.Get(id); !ok {
			return "", fs.ErrNotExist
		}
		return m.DataFile, nil
	})
	if !ok {
		return "", m, false, nil
	}
	return path, m, true, atomicfile.Explain(fmt.Sprintf("read table '%s'", id), err)
}

// Point makes the symbolic link of a table point to its data. If a process is
// killed between writing the record and the link, the link still points to the
// old data.
func (s *Store) Point(m Meta) error { return s.files.Point(m.TableID, m.DataFile) }

// Remove removes a table, and what is expected of its rows: that has values of them.
func (s *Store) Remove(m Meta) error {
	err := s.files.Remove(m.TableID)
	for _, ext := range []string{"", ".json"} {
		if gone := os.Remove(s.ChecksPath(m.TableID) + ext); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return atomicfile.Explain(fmt.Sprintf("remove table '%s'", m.TableID), err)
}

// Sweep removes what is no longer needed: parts of files that are unwanted or
// already installed, unreadable records, and data without a record.
func (s *Store) Sweep(wanted []api.SyncTable) {
	keep, ids := map[string]bool{}, map[string]bool{}
	for _, t := range wanted {
		keep[partName(t)], keep[doneName(t)], ids[t.TableID] = true, true, true
	}
	for _, m := range s.List() {
		delete(keep, partName(m.SyncTable))
		delete(keep, doneName(m.SyncTable))
		ids[m.TableID] = true
	}
	bases, _ := store.BaseNames(s.Dir())
	for _, base := range bases {
		if strings.HasPrefix(base, partPrefix) && !keep[base] {
			_ = os.Remove(s.files.Path(base))
		}
	}
	_ = s.files.RemoveUnless(func(id string) bool { return ids[id] })
	s.files.Tidy(func(id string) (string, bool) {
		m, ok := s.Get(id)
		return m.DataFile, ok
	})
}

func dataName(t api.SyncTable) string { return t.TableID + "-" + t.XXH3 + dataExt }
func partName(t api.SyncTable) string { return partPrefix + dataName(t) }
func doneName(t api.SyncTable) string { return partPrefix + t.TableID + "-" + t.XXH3 + doneExt }
