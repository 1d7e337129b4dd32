package state

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Store is an open state. All methods may be called concurrently; errors that a
// caller can do something about are *api.Error.
type Store struct {
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
	tx, err := s.write.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return s.unwritable(fmt.Errorf("begin: %w", err))
	}
	if err := f(tx); err != nil {
		return s.unwritable(errors.Join(err, tx.Rollback()))
	}
	return s.unwritable(tx.Commit())
}

// each runs a query and calls f for each row, in which the rows stand.
func each(ctx context.Context, q querier, f func(*sql.Rows) error, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
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
