package core

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/atomicfile"
	"github.com/agnes-data/da/internal/duckdb"
)

// shelf keeps tables as parquet files, one for each table and each set of
// rights on it, and makes one anew only when its table has changed.
//
// A file is named after its content and never written again. The record beside
// it is the commit: it is replaced by one rename.
type shelf struct {
	dir string
	now func() time.Time

	mu    sync.Mutex
	locks map[string]*sync.Mutex // by key: of one file only one is made at a time
}

// Bounds of the engine that writes a file.
const (
	shelfMemory = "512MB"
	shelfSpill  = "20GB"
	// abandonedAfter is the age of a file that no running server still writes.
	abandonedAfter = 24 * time.Hour
	shelfTemp      = ".tmp-"
	askedExt       = ".asked"
)

// material is the record of a file.
type material struct {
	api.SyncTable
	Version string    `json:"version"` // of the source
	MadeAt  time.Time `json:"made_at"`
	// CheckedAt is when the source was last asked whether this is still so.
	CheckedAt time.Time `json:"checked_at"`
	File      string    `json:"file"`
}

func newShelf(dir string, now func() time.Time) *shelf {
	return &shelf{dir: dir, now: now, locks: map[string]*sync.Mutex{}}
}

// lock holds one key.
func (s *shelf) lock(key string) (unlock func()) {
	s.mu.Lock()
	l := s.locks[key]
	if l == nil {
		l = &sync.Mutex{}
		s.locks[key] = l
	}
	s.mu.Unlock()
	l.Lock()
	return l.Unlock
}

// recordPath is where the record of a key lies.
func (s *shelf) recordPath(tableID, key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(s.dir, tableID+"-"+hex.EncodeToString(sum[:8])+".json")
}

// askedPath is where the time lies at which a table was asked for anew.
func (s *shelf) askedPath(tableID string) string { return filepath.Join(s.dir, tableID+askedExt) }

// askAnew makes every file of a table one that has to be looked at again, also
// those of other rights, and in other processes.
func (s *shelf) askAnew(tableID string) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	return atomicfile.WriteFile(s.askedPath(tableID), []byte(s.now().UTC().Format(time.RFC3339Nano)), 0o600)
}

// askedAt is when a table was last asked for anew; zero: never.
func (s *shelf) askedAt(tableID string) time.Time {
	data, err := os.ReadFile(s.askedPath(tableID))
	if err != nil {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339Nano, string(data))
	if err != nil {
		return s.now() // a file that cannot be read is no reason to trust old data
	}
	return at
}

func (m *material) save(path string) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(path, data, 0o600)
}

func loadMaterial(path string) (*material, bool) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, false
	}
	var m material
	if json.Unmarshal(data, &m) != nil || m.File == "" || m.File != filepath.Base(m.File) {
		return nil, false
	}
	info, err := os.Stat(filepath.Join(filepath.Dir(path), m.File))
	return &m, err == nil && info.Size() == m.Bytes
}

// order names a wanted file and how to make it.
type order struct {
	tableID string
	key     string // names everything that the file's content depends on, but for time
	// keep is how long a file is good that nobody asks anew for; 0: until the
	// source has changed, or for trust if it cannot tell.
	keep  time.Duration
	trust time.Duration
	// version is the source's, and empty if it cannot tell.
	version func(context.Context) (string, error)
	scan    func(context.Context) (array.RecordReader, error)
}

// get returns the file that is wanted, and makes it if there is none that is
// good. What the source says is unchanged is not read again.
func (s *shelf) get(ctx context.Context, o order) (*material, error) {
	defer s.lock(o.key)()
	record := s.recordPath(o.tableID, o.key)
	old, whole := loadMaterial(record)
	asked := whole && old.CheckedAt.Before(s.askedAt(o.tableID))
	if whole && !asked && s.now().Sub(old.CheckedAt) < o.keep {
		return old, nil
	}
	version, err := o.version(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case !whole || old.Version != version: // made anew
	case version != "" && (asked || o.keep > 0):
		old.CheckedAt = s.now().UTC()
		return old, old.save(record)
	case version != "", !asked && o.keep == 0 && s.now().Sub(old.CheckedAt) < o.trust:
		return old, nil
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	s.sweep()
	rdr, err := o.scan(ctx)
	if err != nil {
		return nil, err
	}
	defer rdr.Release()
	m, err := s.write(ctx, strings.TrimSuffix(filepath.Base(record), ".json"), rdr)
	if err != nil {
		return nil, err
	}
	m.Warnings = (&api.Stream{Batches: rdr}).Warnings()
	m.TableID, m.Version, m.MadeAt, m.CheckedAt = o.tableID, version, s.now().UTC(), s.now().UTC()
	if err := m.save(record); err != nil {
		return nil, err
	}
	if old != nil && old.File != m.File {
		_ = os.Remove(filepath.Join(s.dir, old.File)) // whoever reads it has it open
	}
	return m, nil
}

// write writes all rows to a new file, named after its content.
func (s *shelf) write(ctx context.Context, stem string, rdr array.RecordReader) (*material, error) {
	temp, err := os.MkdirTemp(s.dir, shelfTemp)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	path := filepath.Join(temp, "data.parquet")
	var m material
	if m.Rows, err = writeParquet(ctx, path, temp, rdr); err != nil {
		return nil, err
	}
	if m.Bytes, m.XXH3, err = hashFile(path); err != nil {
		return nil, err
	}
	if err := atomicfile.SyncFile(path, 0o600); err != nil {
		return nil, err
	}
	m.File = stem + "-" + m.XXH3[:16] + ".parquet"
	if err := os.Rename(path, filepath.Join(s.dir, m.File)); err != nil {
		return nil, err
	}
	return &m, atomicfile.SyncDir(s.dir)
}

func writeParquet(ctx context.Context, path, spill string, rdr array.RecordReader) (rows int64, err error) {
	db, err := duckdb.Open(duckdb.Options{MemoryLimit: shelfMemory, TempDir: spill, MaxTempSize: shelfSpill})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	conn, err := db.Conn()
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	return conn.WriteParquet(ctx, path, rdr)
}

// hashFile reads a file once.
func hashFile(path string) (size int64, hash string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	h := xxh3.New128()
	if size, err = io.CopyBuffer(h, f, make([]byte, 1<<20)); err != nil {
		return 0, "", err
	}
	sum := h.Sum128().Bytes()
	return size, hex.EncodeToString(sum[:]), nil
}

// sweep removes what servers that were killed had begun.
func (s *shelf) sweep() {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), shelfTemp) && s.now().Sub(info.ModTime()) > abandonedAfter {
			_ = os.RemoveAll(filepath.Join(s.dir, e.Name()))
		}
	}
}

// keep removes the files of tables that are not for sync any more. Servers of
// one state may differ for a while in the tables that they know, as in an
// upgrade: what was written in the last day stays.
func (s *shelf) keep(known func(tableID string) bool) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return // nothing was made yet
	}
	for _, e := range entries {
		id, isAsked := strings.CutSuffix(e.Name(), askedExt)
		if !isAsked {
			var isFile bool
			if id, _, isFile = strings.Cut(e.Name(), "-"); !isFile {
				continue
			}
		}
		if known(id) || api.CheckName("table id", id) != nil || s.lately(e) {
			continue
		}
		_ = os.Remove(filepath.Join(s.dir, e.Name())) // whoever reads it has it open
	}
}

// lately reports whether a file was written in the last day.
func (s *shelf) lately(e fs.DirEntry) bool {
	info, err := e.Info()
	return err != nil || s.now().Sub(info.ModTime()) < abandonedAfter
}
