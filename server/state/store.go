package state

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"sync"
	"time"

	"github.com/agnes-data/da/internal/disk/sqlitedb"
)

// Store is an open state. It is safe for concurrent use. Errors that a caller can
// react to are *api.Error.
type Store struct {
	db     *sqlitedb.DB
	write  *sql.DB // a single connection, because SQLite has one writer
	read   *sqlitedb.Reader
	now    func() time.Time
	key    []byte // for HMACs
	dir    string // the database's folder, for errors
	file   string // the database; empty if it is in memory
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

// change runs f in an exclusive transaction. It completes even if the caller has
// gone away, because what f records has happened. CodeUnavailable means that the
// state cannot be written.
func (s *Store) change(ctx context.Context, f func(*sql.Tx) error) error {
	return s.unwritable(s.db.Change(ctx, f))
}

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
