// Package state is the server's persistent state: users, groups, tokens, grants,
// registered tables, quotas, and the audit, in one SQLite database that several
// processes can share.
//
// It stores and counts; the core decides what a caller is allowed to do. Its only
// predicates are the rules of grants, and its only secret is the key of its own
// hashes. It never stores a token's text.
package state

import (
	"context"
	"crypto/rand"
	"database/sql"
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agnes-data/da/internal/disk/sqlitedb"
)

//go:embed migrations/*.sql
var migrations embed.FS

// databaseFile is the database's name in the state folder.
const databaseFile = "state.db"

// readers is how many requests can read concurrently.
const readers = 4

// WithClock replaces the clock.
func WithClock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// Open opens the state in dir, and creates it if it is missing.
func Open(dir string, options ...Option) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, cannotUse(dir, err)
	}
	file := filepath.Join(dir, databaseFile)
	db, err := sqlitedb.Open(file, sqlitedb.Options{Migrations: schema(), Readers: readers})
	if err != nil {
		return nil, cannotUse(dir, err)
	}
	return open(db, dir, file, options)
}

// OpenMemory opens a private state in memory, which ends with the store.
func OpenMemory(options ...Option) (*Store, error) {
	db, err := sqlitedb.OpenMemory(sqlitedb.Options{Migrations: schema()})
	if err != nil {
		return nil, cannotUse("memory", err)
	}
	return open(db, "memory", "", options)
}

// schema returns the numbered migration files.
func schema() fs.FS {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // cannot fail: the folder is embedded
	}
	return files
}

func open(db *sqlitedb.DB, dir, file string, options []Option) (*Store, error) {
	s := &Store{now: time.Now, dir: dir, file: file, holder: randomName(), held: map[string]*Lease{}, db: db, write: db.Write, read: db.Read}
	for _, o := range options {
		o(s)
	}
	var err error
	if file != "" && !s.inProcess { // a server runs for long: better that it does not start
		err = db.Check()
	}
	if err == nil {
		err = s.loadKey()
	}
	if err == nil {
		err = s.Bury(context.Background())
	}
	if err != nil {
		return nil, errors.Join(cannotUse(dir, err), s.Close())
	}
	return s, nil
}

// Close closes the store. Leases that are still held expire.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.stop != nil {
		close(s.stop)
		s.stop = nil
	}
	s.closed = true
	s.mu.Unlock()
	return s.db.Close()
}

// loadKey reads the key for hashes, or creates it.
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
