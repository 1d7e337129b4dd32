// Package state is the server's memory on disk: users, groups, tokens, grants,
// registered tables, quotas, and the audit, in one SQLite database that several
// processes may share.
//
// It stores and counts; whether a caller may do something is the core's to
// decide. It holds no predicate but the rules of grants, no secret but the key
// of its own hashes, and never a token's text.
package state

import (
	"context"
	"crypto/rand"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agnes-data/da/internal/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// databaseFile is the database's name in the state folder.
const databaseFile = "state.db"

// readers is how many requests read at the same time.
const readers = 4

// WithClock replaces the clock.
func WithClock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// Open opens the state in dir, and makes it if there is none.
func Open(dir string, options ...Option) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, cannotUse(dir, err)
	}
	// One process at a time prepares the database, others wait here: a change of
	// its journal is the one thing that SQLite does not wait for by itself.
	lock, err := store.WaitLock(context.Background(), filepath.Join(dir, ".lock"), store.Alone)
	if err != nil {
		return nil, cannotUse(dir, err)
	}
	defer lock.Unlock()
	file := filepath.Join(dir, databaseFile)
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, cannotUse(dir, err)
	}
	if err := f.Close(); err != nil {
		return nil, cannotUse(dir, err)
	}
	s, err := open("file:"+(&url.URL{Path: file}).EscapedPath(), dir, readers, options)
	if err == nil {
		s.file = file
	}
	return s, err
}

// OpenMemory opens a state that nobody else sees and that ends with the store.
func OpenMemory(options ...Option) (*Store, error) {
	return open("file:"+randomName()+"?mode=memory&cache=shared", "memory", 0, options)
}

func open(dsn, dir string, readers int, options []Option) (*Store, error) {
	sep := "?"
	if readers == 0 {
		sep = "&"
	}
	dsn += sep + "_pragma=busy_timeout(20000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=foreign_keys(1)&_time_format=sqlite"
	s := &Store{now: time.Now, dir: dir, holder: randomName(), held: map[string]*Lease{}}
	for _, o := range options {
		o(s)
	}
	var err error
	if s.write, err = sql.Open("sqlite", dsn+"&_txlock=immediate"); err != nil {
		return nil, cannotUse(dir, err)
	}
	s.write.SetMaxOpenConns(1)
	s.read = s.write
	if readers > 0 {
		if s.read, err = sql.Open("sqlite", dsn); err != nil {
			return nil, errors.Join(cannotUse(dir, err), s.write.Close())
		}
		s.read.SetMaxOpenConns(readers)
		s.read.SetMaxIdleConns(readers)
	}
	err = errors.Join(s.migrate(), s.loadKey())
	if err == nil {
		err = s.Bury(context.Background())
	}
	if err != nil {
		return nil, errors.Join(cannotUse(dir, err), s.Close())
	}
	return s, nil
}

// Close ends the store. Leases that are still held are left to run out.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.stop != nil {
		close(s.stop)
		s.stop = nil
	}
	s.closed = true
	s.mu.Unlock()
	err := s.write.Close()
	if s.read != s.write {
		err = errors.Join(err, s.read.Close())
	}
	return err
}

// migrate brings the schema up to date, each numbered file once.
func (s *Store) migrate() error {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	slices.Sort(files)
	return s.change(context.Background(), func(tx *sql.Tx) error {
		var version int
		if err := tx.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		if version > len(files) {
			return fmt.Errorf("it was written by a newer release of da (schema %d, this one knows %d)", version, len(files))
		}
		for i, file := range files[version:] {
			text, err := migrations.ReadFile(file)
			if err != nil {
				return err
			}
			if _, err := tx.Exec(string(text)); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			if _, err := tx.Exec(fmt.Sprintf("PRAGMA user_version = %d", version+i+1)); err != nil {
				return err
			}
		}
		return nil
	})
}

// loadKey reads the key of hashes, or makes it.
func (s *Store) loadKey() error {
	return s.change(context.Background(), func(tx *sql.Tx) error {
		err := tx.QueryRow("SELECT value FROM settings WHERE name = 'hash_key'").Scan(&s.key)
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		s.key = make([]byte, 32)
		_, _ = rand.Read(s.key) // never fails
		_, err = tx.Exec("INSERT INTO settings (name, value) VALUES ('hash_key', ?)", s.key)
		return err
	})
}
