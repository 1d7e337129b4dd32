package state

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"sync"
	"time"
)

// Store is an open state. It is safe for concurrent use. Errors that a caller can
// react to are *api.Error.
type Store struct {
	db     database
	now    func() time.Time
	key    []byte // for HMACs
	dir    string // the folder of what lies beside the database; empty in memory
	dsn    string // empty: the database is in the folder
	holder string // identifies this process in leases
	// inProcess means that the caller can fix the disk.
	inProcess bool

	mu     sync.Mutex
	held   map[string]*Lease
	stop   chan struct{} // ends the renewal; nil if it is not running
	closed bool
}

// Option changes a store that is being opened.
type Option func(*Store)

// database is SQLite or PostgreSQL.
type database interface {
	// asking returns the database as it is outside of transactions.
	asking(ctx context.Context) conn
	// change runs f in a transaction while nobody else changes what lock names. It is
	// finished even if the caller has gone away.
	change(ctx context.Context, lock string, f func(conn) error) error
	// now returns the time of all who share the database, as of the last change.
	now() time.Time
	// cannotUse returns the error of a start that failed.
	cannotUse(err error) error
	// explain returns what an error of the database means to a caller, or the error
	// itself. Without a database to change, it is CodeUnavailable.
	explain(err error) error
	close() error
}

// What a change locks, if it is not the usage of one user, by name.
const (
	unlocked = ""       // its rows alone
	rights   = "rights" // all but usage and audit
)

// change runs f in a transaction while nobody else changes what lock names. It
// completes even if the caller has gone away, because what f records has happened.
// CodeUnavailable means that the state cannot be written.
func (s *Store) change(ctx context.Context, lock string, f func(conn) error) error {
	return s.db.explain(s.db.change(context.WithoutCancel(ctx), lock, f))
}

// Now returns the time that all who share the state have, however wrong this machine's clock is.
func (s *Store) Now() time.Time { return s.now() }

// InPostgres reports whether servers of other machines may use the state.
func (s *Store) InPostgres() bool { return s.dsn != "" }

// Versions change with the registered tables, and with what users may read of any table.
// Who keeps what was read at a version asks for it first, and reads anew at another one.
type Versions struct{ Tables, Grants string }

// Names of the versions among the settings.
const (
	ofTables = "version_tables"
	ofGrants = "version_grants"
)

// Versions returns the versions as they are now.
func (s *Store) Versions(ctx context.Context) (v Versions, err error) {
	err = s.asking(ctx).each(func(rows *sql.Rows) error {
		var name string
		var value []byte
		if err := rows.Scan(&name, &value); err != nil {
			return err
		}
		if name == ofTables {
			v.Tables = string(value)
		} else {
			v.Grants = string(value)
		}
		return nil
	}, "SELECT name, value FROM settings WHERE name IN ($1, $2)", ofTables, ofGrants)
	return v, err
}

// renew changes rights, and with them a version.
func (s *Store) renew(ctx context.Context, version string, f func(conn) error) error {
	return s.change(ctx, rights, func(tx conn) error {
		if err := f(tx); err != nil {
			return err
		}
		_, err := tx.Exec("INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
			version, []byte(randomName()))
		return err
	})
}

// Ready returns an error if the state cannot be read, as CodeUnavailable if its
// database is away.
func (s *Store) Ready(ctx context.Context) error {
	var key []byte
	return s.asking(ctx).QueryRow("SELECT value FROM settings WHERE name = 'hash_key'").Scan(&key)
}

// asking returns the database for questions.
func (s *Store) asking(ctx context.Context) conn { return s.db.asking(ctx) }

func randomName() string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// micros is the stored form of a time.
func micros(t time.Time) int64 { return t.UnixMicro() }

func fromMicros(n int64) time.Time { return time.UnixMicro(n).UTC() }

func optionalTime(n sql.NullInt64) *time.Time {
	if !n.Valid {
		return nil
	}
	t := fromMicros(n.Int64)
	return &t
}
