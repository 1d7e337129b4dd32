package cachedb

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/atomicfile"
	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/internal/store"
	"github.com/agnes-data/da/table/intake"
)

const (
	// DefaultMax bounds the databases of a store, in bytes.
	DefaultMax = 20 << 30
	shards     = 64
	// settled is how old a file's times must be to prove that it has not
	// changed since: clocks of file systems are coarse.
	settled = 2 * time.Second
	// abandoned is how old a copy of what is read is that nobody uses.
	abandoned = 24 * time.Hour
)

// Store is the folder of all entries. It is safe for concurrent use, also by
// several processes.
type Store struct {
	dir     string
	max     int64
	now     func() time.Time
	profile Profiler
}

// Profiler reads a whole file once.
type Profiler func(ctx context.Context, f *intake.File, o intake.Options) (*intake.Profile, error)

// Open makes the folder if need be. Its databases are held below max bytes in
// all, 0 means DefaultMax.
func Open(dir string, max int64, now func() time.Time, profile Profiler) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, atomicfile.Explain("make the folder for tables", err)
	}
	if max <= 0 {
		max = DefaultMax
	}
	return &Store{dir: dir, max: max, now: now, profile: profile}, nil
}

// Dir returns the folder.
func (s *Store) Dir() string { return s.dir }

// lock waits for the right to change the entry of a key.
func (s *Store) lock(ctx context.Context, key string) (unlock func(), err error) {
	l, err := store.WaitLock(ctx, s.shard(key), store.Long)
	if err != nil {
		return nil, kept("lock what is kept of the file", err)
	}
	return l.Unlock, nil
}

// kept words a failure in the store's own folder: no room, or not writable. It
// must not look like one of the file that is read.
func kept(doing string, err error) error {
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

func (s *Store) shard(key string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key))
	return filepath.Join(s.dir, fmt.Sprintf("lock-%02d", h.Sum32()%shards))
}

func (s *Store) meta(key string) string { return filepath.Join(s.dir, key+".json") }

// database is a file of an entry, as Sweep sees it.
type database struct {
	name string
	size int64
	used time.Time
}

// Sweep removes the entries whose source is gone, leftovers of builders that
// died, and, beyond the bound, the databases that were not used for longest.
// keep is the key of an entry that stays. It never waits: what is locked is
// left for the next time. Its errors don't matter to the caller's work.
func (s *Store) Sweep(keep string) {
	files, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	var dbs []database
	var total int64
	for _, f := range files {
		name := f.Name()
		key, isMeta := strings.CutSuffix(name, ".json")
		switch {
		case isMeta && !atomicfile.Leftover(name):
			if h, err := s.head(key); err != nil || h.orphan() {
				s.remove(key)
			}
		case strings.HasSuffix(name, ".duckdb"):
			if info, err := f.Info(); err == nil {
				dbs = append(dbs, database{name, info.Size(), info.ModTime()})
				total += info.Size()
			}
		case strings.HasPrefix(name, "copy-"):
			// Removed by the process that made it, unless it died.
			if info, err := f.Info(); err == nil && s.now().Sub(info.ModTime()) > abandoned {
				_ = os.Remove(filepath.Join(s.dir, name))
			}
		case strings.Contains(name, building) || atomicfile.Leftover(name):
			s.clear(name)
		}
	}
	slices.SortFunc(dbs, func(a, b database) int { return a.used.Compare(b.used) })
	for _, d := range dbs {
		key, _, _ := strings.Cut(d.name, "-")
		h, err := s.head(key)
		stray := err != nil || h.Database != d.name
		if !stray && (total <= s.max || key == keep) {
			continue
		}
		if s.unlessLocked(key, func() {
			if e, err := s.load(key); err == nil && e.Head.Database == d.name {
				if total <= s.max {
					return
				}
				e.Head.Database = ""
				if s.save(key, e) != nil {
					return
				}
			}
			_ = os.Remove(filepath.Join(s.dir, d.name))
		}) {
			total -= d.size
		}
	}
}

// remove drops a whole entry.
func (s *Store) remove(key string) {
	s.unlessLocked(key, func() {
		e, err := s.load(key)
		if err == nil && !e.Head.orphan() {
			return
		}
		if err == nil && e.Head.Database != "" {
			_ = os.Remove(filepath.Join(s.dir, e.Head.Database))
		}
		if !errors.Is(err, fs.ErrNotExist) {
			_ = os.Remove(s.meta(key))
		}
	})
}

// clear drops what a builder left behind when it died.
func (s *Store) clear(name string) {
	key, _, _ := strings.Cut(strings.TrimLeft(name, "."), "-")
	key, _, _ = strings.Cut(key, ".")
	s.unlessLocked(key, func() { _ = os.Remove(filepath.Join(s.dir, name)) })
}

// unlessLocked runs f under the key's lock and reports whether it could.
func (s *Store) unlessLocked(key string, f func()) bool {
	l, err := store.TryLock(s.shard(key))
	if err != nil {
		return false
	}
	defer l.Unlock()
	f()
	return true
}
