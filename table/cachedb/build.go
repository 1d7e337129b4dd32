package cachedb

import (
	"bytes"
	"context"
	"encoding/json"
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
	if e, err = s.lookLocked(ctx, key, src, file); err != nil {
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
		return "", nil, storeError("keep the file's rows", err)
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
	return f, storeError("keep the file's rows", err)
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
	e, err := s.lookLocked(ctx, key, src, file)
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

func (s *Store) build(ctx context.Context, tmp string, e *Entry, build Builder) (err error) {
	// The engine reports a folder that is not writable only in its error text, so
	// check first.
	if err := writable(tmp); err != nil {
		return storeError("keep the file's rows", err)
	}
	db, err := duckdb.OpenFile(tmp, false, duckdb.Options{PreserveOrder: true, MemoryLimit: "2GB", TempDir: tmp + ".tmp"})
	if err != nil {
		return storeError("make a database", err)
	}
	defer func() {
		if cerr := db.Close(); err == nil && cerr != nil {
			err = storeError("close the database", cerr)
		}
	}()
	// Before there are rows in it: the engine makes files as the umask says.
	if err := os.Chmod(tmp, 0o600); err != nil {
		return storeError("make a database", err)
	}
	c, err := db.Conn()
	if err != nil {
		return err
	}
	if err := build(ctx, c, e); err != nil {
		return err
	}
	if err := c.Exec(ctx, "CHECKPOINT"); err != nil {
		return storeError("keep the file's rows", err)
	}
	return c.Close()
}

// Look returns the entry of a file, and reads the file only if it is new or has
// changed. file must be the open source. Concurrent first calls read it only
// once.
func (s *Store) Look(ctx context.Context, src Source, file *intake.File) (*Entry, error) {
	key := src.Key()
	st := stampOf(file.Info)
	if e, err := s.load(key); err == nil && e.fresh(st) {
		return e, nil
	}
	unlock, err := s.lock(ctx, key)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return s.lookLocked(ctx, key, src, file)
}

// lookLocked is Look under the lock.
func (s *Store) lookLocked(ctx context.Context, key string, src Source, file *intake.File) (*Entry, error) {
	st := stampOf(file.Info)
	now := s.now()
	old, err := s.load(key)
	if err == nil {
		if old.fresh(st) {
			return old, nil
		}
		if old.Head.Stamp.Size == st.Size {
			hash, err := file.Hash(ctx)
			if err != nil {
				return nil, err
			}
			if hash == old.Head.Hash {
				old.Head.Stamp, old.Head.Checked = st, now
				return old, storeError("keep what was learnt about the file", s.save(ctx, key, old, ""))
			}
		}
	}
	e := &Entry{
		Head:    Head{Version: Version, Engine: duckdb.Version, Path: src.Path, Stamp: st, Checked: now},
		Answers: map[string]json.RawMessage{},
	}
	if e.Profile, err = s.profile(ctx, file, src.Options); err != nil {
		return nil, err
	}
	e.Head.Hash = e.Profile.Hash
	// The rows of the old content are removed together with its record.
	if err := s.save(ctx, key, e, ""); err != nil {
		return nil, atomicfile.Explain("keep what was learnt about the file", err)
	}
	return e, nil
}

// Remember stores an answer in an entry, if the entry is still about the same
// content. If it fails, the next caller has to compute the answer again.
func (s *Store) Remember(ctx context.Context, src Source, hash, name string, answer any) {
	var data bytes.Buffer
	enc := json.NewEncoder(&data)
	enc.SetEscapeHTML(false)
	if enc.Encode(answer) != nil {
		return
	}
	key := src.Key()
	unlock, err := s.lock(ctx, key)
	if err != nil {
		return
	}
	defer unlock()
	e, err := s.load(key)
	if err != nil || e.Head.Hash != hash {
		return
	}
	if e.Answers == nil {
		e.Answers = map[string]json.RawMessage{}
	}
	e.Answers[name] = data.Bytes()
	_ = s.save(ctx, key, e, "")
}
