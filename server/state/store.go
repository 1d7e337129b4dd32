package state

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"sync"
	"time"

	"github.com/agnes-data/da/internal/sqlitedb"
)

// Store is an open state. All methods may be called concurrently; errors that a
// caller can do something about are *api.Error.
type Store struct {
	db     *sqlitedb.DB
	write  *sql.DB // one connection: SQLite has one writer
	read   *sql.DB
	now    func() time.Time
	key    []byte // of HMACs
	dir    string // of the database, for errors
	file   string // the database; empty: it is in memory
	holder string // names this process in leases
	// inProcess: errors are for one who can mend the disk.
	inProcess bool

	mu     sync.Mutex
	held   map[string]*Lease
	stop   chan struct{} // ends the renewal; nil: none runs
	closed bool
}

// Option changes a store that is being opened.
type Option func(*Store)

// change runs f in a transaction that nobody else's interrupts. It is finished
// even if the caller has gone: what f records has happened. A CodeUnavailable
// error says that the state cannot be written.
func (s *Store) change(ctx context.Context, f func(*sql.Tx) error) error {
	return s.unwritable(s.db.Change(ctx, f))
}

func randomName() string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// micros is how times are stored.
func micros(t time.Time) int64 { return t.UnixMicro() }

func fromMicros(n int64) time.Time { return time.UnixMicro(n).UTC() }

func optionalTime(n sql.NullInt64) *time.Time {
	if !n.Valid {
		return nil
	}
	t := fromMicros(n.Int64)
	return &t
}
