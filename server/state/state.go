// Package state is the server's persistent state: users, groups, tokens, grants,
// registered tables, quotas, and the audit, in one SQLite database that the processes
// of a machine share, or in PostgreSQL, which servers on several machines share.
//
// It stores and counts; the core decides what a caller is allowed to do. Its only
// predicates are the rules of grants, and its only secret is the key of its own
// hashes. It never stores a token's text.
package state

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"embed"
	"encoding/hex"
	"errors"
	"io/fs"
	"time"
)

//go:embed migrations/*/*.sql
var migrations embed.FS

// schema returns the numbered migration files of a database.
func schema(of string) fs.FS {
	files, err := fs.Sub(migrations, "migrations/"+of)
	if err != nil {
		panic(err) // cannot fail: the folder is embedded
	}
	return files
}

// WithClock replaces the clock, of a database too.
func WithClock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// InPostgres keeps the state in a PostgreSQL database; "" leaves it in the folder.
func InPostgres(dsn string) Option { return func(s *Store) { s.dsn = dsn } }

// InProcess says that the caller is also the operator, as in embedded mode: a
// full disk is then theirs to fix, and waiting does not help.
func InProcess() Option { return func(s *Store) { s.inProcess = true } }

// Open opens the state whose folder is dir, and creates it if it is missing.
func Open(dir string, options ...Option) (*Store, error) {
	s := &Store{dir: dir}
	for _, o := range options {
		o(s)
	}
	var err error
	if s.dsn != "" {
		s.db, err = openPostgres(s.dsn, dir, s.inProcess)
	} else {
		s.db, err = openSQLite(dir, s.inProcess)
	}
	if err != nil {
		return nil, err
	}
	return s.begin()
}

// OpenMemory opens a private state in memory, which ends with the store.
func OpenMemory(options ...Option) (*Store, error) {
	s := &Store{}
	for _, o := range options {
		o(s)
	}
	var err error
	if s.db, err = openMemory(); err != nil {
		return nil, err
	}
	return s.begin()
}

// begin prepares a store whose database is open.
func (s *Store) begin() (*Store, error) {
	s.holder, s.held = randomName(), map[string]*Lease{}
	if s.now == nil {
		s.now = s.db.now
	}
	err := s.loadKey()
	if err == nil {
		err = s.Bury(context.Background())
	}
	if err != nil {
		return nil, errors.Join(s.db.cannotUse(err), s.Close())
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
	return s.db.close()
}

// ID identifies the state. All servers of one state get the same ID; it reveals nothing of the
// key.
func (s *Store) ID() string {
	mac := hmac.New(sha256.New, s.key)
	_, _ = mac.Write([]byte("id of the state")) // never fails
	return hex.EncodeToString(mac.Sum(nil)[:8])
}

// loadKey reads the key for hashes, or creates it.
func (s *Store) loadKey() error {
	return s.change(context.Background(), rights, func(tx conn) error {
		err := tx.QueryRow("SELECT value FROM settings WHERE name = 'hash_key'").Scan(&s.key)
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		s.key = make([]byte, 32)
		_, _ = rand.Read(s.key) // never fails
		_, err = tx.Exec("INSERT INTO settings (name, value) VALUES ('hash_key', $1)", s.key)
		return err
	})
}
