package cachedb

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"

	"github.com/agnes-data/da/internal/atomicfile"
	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/table/intake"
)

// building marks the name of a database that is not complete.
const building = ".building"

// Table is the table of each database.
const Table = "data"

// Builder fills the table named by Table in an empty database.
type Builder func(ctx context.Context, c *duckdb.Conn, e *Entry) error

// Database returns the path of the database of a file's rows, building it if
// there is none. Of concurrent first calls one builds, the others wait. The
// path may go away at any time, but not before it could be opened: on a
// failure to open it, ask again.
func (s *Store) Database(ctx context.Context, src Source, file *intake.File, build Builder) (path string, e *Entry, err error) {
	key := src.Key()
	if e, err := s.load(key); err == nil && e.fresh(stampOf(file.Info)) {
		if path, ok := s.exists(e); ok {
			return path, e, nil
		}
	}
	unlock, err := s.lock(ctx, key)
	if err != nil {
		return "", nil, err
	}
	defer unlock()
	if e, err = s.look(ctx, key, src, file); err != nil {
		return "", nil, err
	}
	if path, ok := s.exists(e); ok {
		return path, e, nil
	}
	tmp := s.unfinished(key)
	path = strings.TrimSuffix(tmp, building) + ".duckdb"
	defer discard(tmp)
	if err := s.build(ctx, tmp, e, build); err != nil {
		return "", nil, err
	}
	if err := os.Rename(tmp, path); err != nil {
		return "", nil, atomicfile.Explain("keep the file's rows", err)
	}
	e.Head.Database = filepath.Base(path)
	if err := s.save(key, e); err != nil {
		return "", nil, atomicfile.Explain("keep the file's rows", err)
	}
	s.Sweep(key) // the bound holds at once, not at the next command
	return path, e, nil
}

// Part makes a database for one use, of rows of which build may leave columns
// out. use opens it, after which its file is gone.
func (s *Store) Part(ctx context.Context, src Source, file *intake.File, build Builder, use func(path string) error) (*Entry, error) {
	key := src.Key()
	unlock, err := s.lock(ctx, key)
	if err != nil {
		return nil, err
	}
	defer unlock()
	e, err := s.look(ctx, key, src, file)
	if err != nil {
		return nil, err
	}
	tmp := s.unfinished(key)
	defer discard(tmp)
	if err := s.build(ctx, tmp, e, build); err != nil {
		return nil, err
	}
	return e, use(tmp)
}

// unfinished is the name of a new database that is being built.
func (s *Store) unfinished(key string) string {
	return filepath.Join(s.dir, key+"-"+rand.Text()[:12]+building)
}

// discard removes an unfinished database. What cannot be removed while it is
// open goes with the next sweep.
func discard(tmp string) {
	_ = os.Remove(tmp)
	_ = os.Remove(tmp + ".wal")
}

// exists returns the entry's database if it is there, and notes its use.
func (s *Store) exists(e *Entry) (path string, ok bool) {
	if e.Head.Database == "" {
		return "", false
	}
	path = filepath.Join(s.dir, e.Head.Database)
	now := s.now()
	return path, os.Chtimes(path, now, now) == nil
}

// writable makes the file at path, and removes it again.
func writable(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_ = f.Close() // nothing was written
	return os.Remove(path)
}

func (s *Store) build(ctx context.Context, tmp string, e *Entry, build Builder) (err error) {
	// The engine tells of a folder that it cannot write to in words only.
	if err := writable(tmp); err != nil {
		return kept("keep the file's rows", err)
	}
	db, err := duckdb.OpenFile(tmp, false, duckdb.Options{PreserveOrder: true, MemoryLimit: "2GB", TempDir: tmp + ".tmp"})
	if err != nil {
		return kept("make a database", err)
	}
	defer func() {
		if cerr := db.Close(); err == nil && cerr != nil {
			err = kept("close the database", cerr)
		}
		_ = os.RemoveAll(tmp + ".tmp")
	}()
	// Before there are rows in it: the engine makes files as the umask says.
	if err := os.Chmod(tmp, 0o600); err != nil {
		return kept("make a database", err)
	}
	c, err := db.Conn()
	if err != nil {
		return err
	}
	if err := build(ctx, c, e); err != nil {
		return err
	}
	if err := c.Exec(ctx, "CHECKPOINT"); err != nil {
		return kept("keep the file's rows", err)
	}
	return c.Close()
}
