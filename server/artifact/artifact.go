// Package artifact stores the readable part of tables as parquet files, for
// clients that sync whole tables: one file for each table and each set of rights
// on it. A file is rebuilt only if its table has changed. The package knows
// neither users nor sources: a Request says how to get the version and the rows.
//
// Files below the folder, managed by package store:
//
//	TABLE-HASH.json             the record; HASH is the hash of the request's key
//	TABLE-HASH-XXH3.parquet     its data, named by its content
//	TABLE.asked                 when the table was last invalidated
//	.run/ID/                    the engine's spill files
package artifact

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/internal/engine/duckdb"
)

const (
	// Limit on the spill files of the engine that writes a file.
	engineSpill = "20GB"

	maxRecord     = 16 << 20
	keyDigits     = 16 // digits of a key's hash in a name
	contentDigits = 16 // digits of a content's hash in a name
	runDir        = ".run"
	recordExt     = ".json"
	dataExt       = ".parquet"
	retainedFor   = 24 * time.Hour
)

// File is the record of a file.
type File struct {
	api.SyncTable
	Version string    `json:"version"` // of the source
	MadeAt  time.Time `json:"made_at"`
	// CheckedAt is when the source was last asked whether the file is current.
	CheckedAt time.Time `json:"checked_at"`
	Base      string    `json:"file"`
}

// Request identifies a file and says how to make it.
type Request struct {
	TableID string
	Memory  string // the engine's memory limit, in its notation; empty: 80 % of RAM
	Key     string // contains everything that the content depends on, except time
	// Keep is how long a file is valid unless it is invalidated; 0 means until
	// the source has changed, or for Trust if it has no versions.
	Keep  time.Duration
	Trust time.Duration
	// Version asks the source for its version; empty if it has none.
	Version func(context.Context) (string, error)
	// Scan returns the rows, and the columns that have a DateOrder.
	Scan func(context.Context) (rows array.RecordReader, dated []api.Column, err error)
}

// Store is the folder. Servers that share it build each file once.
type Store struct {
	files store.Store
	now   func() time.Time
}

// At returns the store in a folder, which is created with the first file.
func At(dir string, now func() time.Time) *Store {
	return &Store{now: now, files: store.Store{
		Dir: dir, RecordExt: recordExt, DataExt: dataExt, MaxRecord: maxRecord, Name: isName,
		Generation: func(s string) bool { return store.IsHex(s, contentDigits) },
	}}
}

// entryName returns the name of a request's entry.
func entryName(tableID, key string) string {
	sum := sha256.Sum256([]byte(key))
	return tableID + "-" + hex.EncodeToString(sum[:])[:keyDigits]
}

// tableOf returns the table from the name of an entry.
func tableOf(name string) (tableID string, ok bool) {
	tableID, key, ok := strings.Cut(name, "-")
	return tableID, ok && store.IsHex(key, keyDigits) && api.CheckName("table id", tableID) == nil
}

func isName(name string) bool {
	_, ok := tableOf(name)
	return ok
}

// Current returns the existing file for a key, however old.
func (s *Store) Current(tableID, key string) (*File, bool) { return s.load(entryName(tableID, key)) }

func (s *Store) load(name string) (*File, bool) {
	var f File
	err := s.files.Read(name, func(record []byte) (store.Data, error) {
		f = File{}
		err := json.Unmarshal(record, &f)
		if err == nil && f.Base == "" {
			err = errors.New("a record without a file")
		}
		return store.Data{Base: f.Base, Size: f.Bytes}, err
	})
	return &f, err == nil
}

// Open opens the data of a file. The error is fs.ErrNotExist if the file has been
// replaced. An open file can be read to its end.
func (s *Store) Open(f *File) (*os.File, error) { return os.Open(s.files.Path(f.Base)) }

// Get returns the file for a request, and builds it if there is no valid one. It
// does not read a table again that its source reports as unchanged. It waits
// while another process builds the same file. Errors are those of the request, of
// ctx and of the system.
func (s *Store) Get(ctx context.Context, r Request) (*File, error) {
	name := entryName(r.TableID, r.Key)
	if f, ok := s.load(name); ok && s.fresh(f, r) {
		return f, nil
	}
	if err := s.files.Make(store.NamesDir); err != nil {
		return nil, err
	}
	lock, err := store.WaitLock(ctx, filepath.Join(s.files.Dir, store.NamesDir, name), store.Long)
	if err != nil {
		return nil, err
	}
	defer lock.Remove()
	old, whole := s.load(name)
	if whole && s.fresh(old, r) {
		return old, nil
	}
	version, err := r.Version(ctx)
	if err != nil {
		return nil, err
	}
	if whole && old.Version == version {
		asked := s.asked(old)
		switch {
		case version != "" && (asked || r.Keep > 0):
			old.CheckedAt = s.now().UTC()
			return old, s.commit(ctx, name, old, "")
		case version != "", !asked && r.Keep == 0 && s.now().Sub(old.CheckedAt) < r.Trust:
			return old, nil
		}
	}
	return s.make(ctx, name, version, r)
}

// fresh reports whether a file is valid without asking the source.
func (s *Store) fresh(f *File, r Request) bool {
	return s.now().Sub(f.CheckedAt) < r.Keep && !s.asked(f)
}

// make reads all rows into a new file.
func (s *Store) make(ctx context.Context, name, version string, r Request) (*File, error) {
	s.files.Sweep(s.named)
	rows, dated, err := r.Scan(ctx)
	if err != nil {
		return nil, err
	}
	defer rows.Release()
	temp, err := s.files.OwnTemp()
	if err != nil {
		return nil, err
	}
	defer s.files.ReleaseTemp(temp)
	f, err := s.write(ctx, s.files.TempPath(temp.ID), r.Memory, rows)
	if err != nil {
		return nil, err
	}
	f.Caveats, f.Dated = api.SchemaCaveats(rows.Schema()), dated
	f.TableID, f.Version, f.MadeAt, f.CheckedAt = r.TableID, version, s.now().UTC(), s.now().UTC()
	f.Base = s.files.DataName(name, f.XXH3[:contentDigits])
	return f, s.commit(ctx, name, f, s.files.TempPath(temp.ID))
}

// write writes rows to a path, syncs the file, and describes it.
func (s *Store) write(ctx context.Context, path, memory string, rows array.RecordReader) (*File, error) {
	spill, err := store.OpenFolder(s.files.Path(runDir))
	if err != nil {
		return nil, err
	}
	defer spill.Close()
	var f File
	if f.Rows, err = writeParquet(ctx, path, spill.Path, memory, rows); err != nil {
		return nil, err
	}
	if f.Bytes, f.XXH3, err = hash(path); err != nil {
		return nil, err
	}
	return &f, s.files.SyncData(path)
}

func writeParquet(ctx context.Context, path, spill, memory string, rows array.RecordReader) (n int64, err error) {
	db, err := duckdb.Open(duckdb.Options{MemoryLimit: memory, TempDir: spill, MaxTempSize: engineSpill})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	conn, err := db.Conn()
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	return conn.WriteParquet(ctx, path, rows)
}

// hash reads a file once, and returns its size in bytes and its XXH3-128.
func hash(path string) (size int64, sum string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	h := xxh3.New128()
	if size, err = io.CopyBuffer(h, f, make([]byte, 1<<20)); err != nil {
		return 0, "", err
	}
	b := h.Sum128().Bytes()
	return size, hex.EncodeToString(b[:]), nil
}

// commit makes a record the current one. An empty temp keeps the existing data.
func (s *Store) commit(ctx context.Context, name string, f *File, temp string) error {
	record, err := json.Marshal(f)
	if err != nil {
		return err
	}
	lock, err := s.files.Lock(ctx, store.Alone)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if err := s.files.Commit(store.Change{Name: name, Temp: temp, Data: f.Base, Record: record}); err != nil {
		return err
	}
	return s.files.Settle(name, f.Base)
}

// named returns the data file of an entry, for a sweep.
func (s *Store) named(name string) (base string, ok bool) {
	f, ok := s.load(name)
	return f.Base, ok
}

const askedExt = ".asked"

// asked reports whether a file's table was invalidated after the source was last
// asked.
func (s *Store) asked(f *File) bool {
	text, err := os.ReadFile(s.files.Path(f.TableID + askedExt))
	if err != nil {
		return false
	}
	at, err := time.Parse(time.RFC3339Nano, string(text))
	return err != nil || f.CheckedAt.Before(at) // if the marker cannot be read, do not trust old data
}
