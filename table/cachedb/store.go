package cachedb

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/table/intake"
)

const (
	// DefaultMax bounds the databases of a store, in bytes.
	DefaultMax = 20 << 30
	maxRecord  = 1 << 30 // bytes; profiles of wide tables are large
	runDir     = ".run"
	dataExt    = ".duckdb"
	keyDigits  = 32
	// settled is how old a file's times must be to prove that it has not changed
	// since, because the clocks of file systems are coarse.
	settled = 2 * time.Second
	// abandoned is the age at which unused copies of input are removed.
	abandoned = 24 * time.Hour
)

// Profiler reads a whole file once.
type Profiler func(ctx context.Context, f *intake.File, o intake.Options) (*intake.Profile, error)

// Open creates the folder if necessary. Its databases are limited to max bytes in
// total; 0 means DefaultMax.
func Open(dir string, max int64, now func() time.Time, profile Profiler) (*Store, error) {
	if max <= 0 {
		max = DefaultMax
	}
	s := &Store{max: max, now: now, profile: profile, files: store.Store{
		Dir: dir, RecordExt: ".json", DataExt: dataExt, MaxRecord: maxRecord,
		Name: func(s string) bool { return store.IsHex(s, keyDigits) }, Generation: isGeneration,
	}}
	err := s.files.Make(store.NamesDir)
	if err == nil {
		err = writable(s.files.Path("copy-" + rand.Text())) // the folder may be there, and not ours
	}
	if err != nil {
		return nil, atomicfile.Explain("make the folder for tables", err)
	}
	return s, nil
}

// newGeneration returns the name of a new database, which isGeneration
// recognises.
func newGeneration() string { return rand.Text()[:generationDigits] }

func isGeneration(s string) bool {
	return len(s) == generationDigits && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

const generationDigits = 12

// Dir returns the folder.
func (s *Store) Dir() string { return s.files.Dir }

func (s *Store) namePath(key string) string { return s.files.Path(filepath.Join(store.NamesDir, key)) }

// lock waits for the right to change the entry of a key.
func (s *Store) lock(ctx context.Context, key string) (unlock func(), err error) {
	l, err := store.WaitLock(ctx, s.namePath(key), store.Long)
	if err != nil {
		return nil, storeError("lock what is kept of the file", err)
	}
	return l.Remove, nil
}

// storeError words an error in the store's own folder: no space, or not writable. It
// must not look like an error of the file being read.
func storeError(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case atomicfile.DiskFull(err) || atomicfile.NotWritable(err):
		return atomicfile.Explain(doing, err)
	case duckdb.IsDiskFull(err):
		return &api.Error{
			Code: api.CodeDiskFull, Message: "cannot " + doing + ": no space left",
			Hint: "Free some space where DA_HOME is.", Next: []api.Step{api.Do(api.ActionDiskUsage, "see what da itself takes")}, Err: err,
		}
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// Sweep removes entries whose source no longer exists, leftovers of builders that
// died and, beyond the limit, the least recently used databases. keep is the key
// of an entry to keep. It waits for no builder: locked entries are left for the
// next time. Its errors do not matter to the caller.
func (s *Store) Sweep(keep string) {
	store.SweepFolders(s.files.Path(runDir))
	s.files.Sweep(s.named)
	s.sweepCopies()
	names, err := s.files.Names()
	if err != nil {
		return
	}
	var databases []store.Item
	for _, key := range names {
		h, err := s.head(key)
		if err != nil || h.orphan() {
			s.change(key, s.dropOrphan)
			continue
		}
		if info, err := os.Lstat(s.files.Path(h.Database)); err == nil && h.Database != "" {
			databases = append(databases, store.Item{Name: key, Bytes: info.Size(), Used: info.ModTime(), Held: key == keep})
		}
	}
	_, _ = store.Evict(databases, store.Budget{Bytes: s.max}, func(d store.Item) (bool, error) {
		return s.change(d.Name, s.dropRows), nil
	})
}

// named returns the database of an entry's record.
func (s *Store) named(key string) (base string, ok bool) {
	h, err := s.head(key)
	return h.Database, err == nil
}

// dropOrphan drops an entry whose source no longer exists or whose record cannot
// be read.
func (s *Store) dropOrphan(key string) error {
	if e, err := s.load(key); err == nil && !e.Head.orphan() {
		return nil // it was built again meanwhile
	}
	return s.files.Remove(key)
}

// dropRows drops an entry's database, and keeps everything else.
func (s *Store) dropRows(key string) error {
	e, err := s.load(key)
	if err != nil || e.Head.Database == "" {
		return err
	}
	e.Head.Database = ""
	return s.commit(key, e, "")
}

// sweepCopies removes copies whose process died before it could.
func (s *Store) sweepCopies() {
	copies, _ := filepath.Glob(s.files.Path("copy-*")) // the pattern is a good one
	for _, path := range copies {
		if info, err := os.Lstat(path); err == nil && s.now().Sub(info.ModTime()) > abandoned {
			_ = os.Remove(path)
		}
	}
}

// change changes an entry if no builder has it now, and reports whether it did.
func (s *Store) change(key string, f func(key string) error) bool {
	all, err := s.files.TryLock()
	if err != nil {
		return false
	}
	defer all.Unlock()
	one, err := store.TryLock(s.namePath(key))
	if err != nil {
		return false
	}
	defer one.Remove()
	return f(key) == nil
}

// save makes an entry's record the current one. temp is the path of its new
// database, or "". The caller holds the entry's lock.
func (s *Store) save(ctx context.Context, key string, e *Entry, temp string) error {
	all, err := s.files.Lock(ctx, store.Alone)
	if err != nil {
		return err
	}
	defer all.Unlock()
	return s.commit(key, e, temp)
}

// commit is save for a caller that also holds the store's lock.
func (s *Store) commit(key string, e *Entry, temp string) error {
	record, err := e.record()
	if err != nil {
		return err
	}
	if err := s.files.Commit(store.Change{Name: key, Temp: temp, Data: e.Head.Database, Record: record}); err != nil {
		return err
	}
	return s.files.Settle(key, e.Head.Database)
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
