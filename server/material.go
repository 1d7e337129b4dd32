package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
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
)

// material is the record of a file.
type material struct {
	api.SyncTable
	Version string    `json:"version"` // of the source
	MadeAt  time.Time `json:"made_at"`
	File    string    `json:"file"`
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

// get returns the file of a key at a version, and makes it if there is none.
// Without a version, one that is younger than maxAge is good.
func (s *shelf) get(ctx context.Context, tableID, key, version string, maxAge time.Duration,
	scan func(context.Context) (array.RecordReader, error)) (*material, error) {
	defer s.lock(key)()
	record := s.recordPath(tableID, key)
	old, whole := loadMaterial(record)
	if whole && old.Version == version && (version != "" || s.now().Sub(old.MadeAt) < maxAge) {
		return old, nil
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	s.sweep()
	rdr, err := scan(ctx)
	if err != nil {
		return nil, err
	}
	defer rdr.Release()
	m, err := s.write(ctx, strings.TrimSuffix(filepath.Base(record), ".json"), rdr)
	if err != nil {
		return nil, err
	}
	m.TableID, m.Version, m.MadeAt = tableID, version, s.now().UTC()
	data, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	if err := atomicfile.WriteFile(record, data, 0o600); err != nil {
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
	sql := fmt.Sprintf("COPY (SELECT * FROM incoming) TO %s (FORMAT parquet, PARQUET_VERSION V2, COMPRESSION snappy)", duckdb.Literal(path))
	if err := conn.Import(ctx, "incoming", rdr, sql); err != nil {
		return 0, err
	}
	err = conn.QueryRow(ctx, "SELECT sum(num_rows)::BIGINT FROM parquet_file_metadata("+duckdb.Literal(path)+")", nil, &rows)
	return rows, err
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
