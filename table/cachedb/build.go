package cachedb

import (
	"context"
	"os"
	"path/filepath"

	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/table/intake"
)

// building is the name of a database that is not complete.
const building = "rows.duckdb"

// Table is the table of each database.
const Table = "data"

// Builder fills the table named by Table in an empty database.
type Builder func(ctx context.Context, c *duckdb.Conn, e *Entry) error

// Database returns the path of the database with a file's rows, and builds it if
// necessary. Of concurrent first calls one builds and the others wait. The
// database can be removed at any time, but not before it could be opened: if
// opening fails, call Database again.
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
	folder, err := s.Scratch()
	if err != nil {
		return "", nil, err
	}
	defer folder.Close()
	temp := filepath.Join(folder.Path, building)
	if err := s.build(ctx, temp, e, build); err != nil {
		return "", nil, err
	}
	if err := s.files.SyncData(temp); err != nil {
		return "", nil, kept("keep the file's rows", err)
	}
	e.Head.Database = s.files.DataName(key, newGeneration())
	if err := s.save(ctx, key, e, temp); err != nil {
		return "", nil, atomicfile.Explain("keep the file's rows", err)
	}
	s.Sweep(key) // enforce the limit now, not at the next command
	return s.files.Path(e.Head.Database), e, nil
}

// Scratch makes a folder for temporary files, which goes with this process if it
// was not closed.
func (s *Store) Scratch() (*store.Folder, error) {
	f, err := store.OpenFolder(s.files.Path(runDir))
	return f, kept("keep the file's rows", err)
}

// Part builds a database for a single use; build may leave out columns. use opens
// it, and then its file is removed.
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
	folder, err := s.Scratch()
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	temp := filepath.Join(folder.Path, building)
	if err := s.build(ctx, temp, e, build); err != nil {
		return nil, err
	}
	return e, use(temp)
}

// exists returns the entry's database if it is there, and notes its use.
func (s *Store) exists(e *Entry) (path string, ok bool) {
	if e.Head.Database == "" {
		return "", false
	}
	path = s.files.Path(e.Head.Database)
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
	// The engine reports a folder that is not writable only in its error text, so
	// check first.
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
