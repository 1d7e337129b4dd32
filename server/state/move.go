package state

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/sqlitedb"
	"github.com/agnes-data/da/internal/disk/store"
)

// tables are all that a state has, each behind those that it refers to.
var tables = []string{"settings", "users", "groups", "members", "tokens", "grants", "registered", "usage", "leases", "buried", "sessions",
	"audit", "sign_ins", "known", "quotas", "workspaces", "conversations", "conversation_parts", "model_costs", "deleted_users",
	"devices"}

// movedFile is the name of a database that was moved, in the folder where it was.
const movedFile = databaseFile + ".moved"

// Moved is what a move found to be the same at both places.
type Moved struct {
	From   string       `json:"from"`
	Kept   string       `json:"kept"` // the name that the old database has now
	To     string       `json:"to"`
	Tables []MovedTable `json:"tables"`
	// Replaced counts the texts that hold bytes that PostgreSQL cannot store, each of
	// which is now a replacement character.
	Replaced int64 `json:"replaced_texts"`
}

// MovedTable is a table with the hash of its rows, in whatever order.
type MovedTable struct {
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
	Hash  string `json:"hash"`
}

// Move moves the state of a folder to an empty PostgreSQL database, compares what was
// written with what was read, and only then renames the old database, which no server
// may use meanwhile. It happens completely or not at all: a move that was cut off is
// begun again, and one that has only left the renaming undone does that.
func Move(ctx context.Context, dir, dsn string) (m *Moved, err error) {
	file := databaseIn(dir)
	m = &Moved{From: file, Kept: filepath.Join(dir, movedFile)}
	if _, err := os.Stat(file); err != nil {
		e := &api.Error{Code: api.CodeUsage, Message: "there is no state in " + file, Hint: "Name the instance that was served.", Err: err}
		if _, err := os.Stat(m.Kept); err == nil {
			e.Hint = "It was moved before: " + m.Kept + " is what it was."
		}
		return nil, e
	}
	if _, err := os.Lstat(m.Kept); !errors.Is(err, fs.ErrNotExist) {
		return nil, &api.Error{Code: api.CodeUsage, Message: "there is a " + m.Kept + " from an earlier move", Hint: "Take it away first."}
	}
	old, err := alone(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer old.close()
	p, err := openPostgres(dsn, dir, true)
	if err != nil {
		return nil, err
	}
	defer p.close()
	m.To = p.place
	if err := p.take(ctx, old.tx, m); err != nil {
		return nil, p.explain(err)
	}
	if err = os.Rename(file, m.Kept); err == nil {
		err = atomicfile.SyncDir(dir)
	}
	return m, atomicfile.Explain("rename the old state", err)
}

// lone is a database of SQLite that no other process can open or has open.
type lone struct {
	lock *store.Lock
	db   *sql.DB
	tx   *sql.Conn
}

func (l *lone) close() {
	_ = l.tx.Close()
	_ = l.db.Close()
	l.lock.Unlock()
}

// alone brings the database of a folder up to date, and opens it for nobody else.
func alone(ctx context.Context, dir string) (*lone, error) {
	q, err := openSQLite(dir, false)
	if err != nil {
		return nil, err
	}
	if err := q.close(); err != nil {
		return nil, q.cannotUse(err)
	}
	l := &lone{}
	if l.lock, err = store.WaitLock(ctx, filepath.Join(dir, ".lock"), store.Alone); err != nil { // that of sqlitedb.Open
		return nil, err
	}
	// Whoever has the database open keeps it from leaving its log, and then from
	// being locked, whatever its release.
	dsn := "file:" + (&url.URL{Path: databaseIn(dir)}).EscapedPath() + "?_pragma=busy_timeout(0)&_pragma=locking_mode(EXCLUSIVE)"
	if l.db, err = sql.Open("sqlite", dsn); err != nil {
		l.lock.Unlock()
		return nil, err
	}
	if l.tx, err = l.db.Conn(ctx); err == nil {
		var mode string
		if err = l.tx.QueryRowContext(ctx, "PRAGMA journal_mode(DELETE)").Scan(&mode); err == nil {
			_, err = l.tx.ExecContext(ctx, "BEGIN EXCLUSIVE")
		}
		if err == nil {
			return l, nil
		}
		_ = l.tx.Close()
	}
	_ = l.db.Close()
	l.lock.Unlock()
	if sqlitedb.Locked(err) {
		return nil, &api.Error{Code: api.CodeUnavailable, Kind: api.KindState, Message: "a server or command uses the state in " + dir,
			Hint: "Stop all servers of this instance, also those in containers, and try again.", Err: err}
	}
	return nil, q.cannotUse(err)
}

// take copies all tables in one transaction, or finds that they are there.
func (p *postgres) take(ctx context.Context, old *sql.Conn, m *Moved) error {
	c, err := p.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	tx, err := c.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // after a commit it does nothing
	// No server can begin meanwhile.
	if _, err := tx.Exec(ctx, "LOCK TABLE "+strings.Join(tables, ", ")+" IN ACCESS EXCLUSIVE MODE"); err != nil {
		return err
	}
	var used bool
	if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM settings)").Scan(&used); err != nil {
		return err
	}
	for _, table := range tables {
		read := &counted{}
		columns, err := read.sqlite(ctx, old, table, func(next func() ([]any, error), columns []string) error {
			if used {
				return read.drain(next)
			}
			_, err := tx.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromFunc(next))
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", table, err)
		}
		written := &counted{}
		if err := written.postgres(ctx, tx, table, columns); err != nil {
			return err
		}
		if read.rows != written.rows || read.sum != written.sum {
			if used {
				return &api.Error{Code: api.CodeConfig, Message: fmt.Sprintf("the %s holds another state already: its table %s has %d rows, here are %d", p.place, table, written.rows, read.rows),
					Hint: "Name an empty database. If nobody needs what is there, remove it: DROP SCHEMA " + ownSchema + " CASCADE."}
			}
			return fmt.Errorf("%s: %d rows were read, %d were found afterwards, or they differ", table, read.rows, written.rows)
		}
		m.Replaced += read.replaced
		m.Tables = append(m.Tables, MovedTable{table, read.rows, read.hash()})
	}
	if err := keepNumbers(ctx, old, tx); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// keepNumbers has no id given out again, not even those of what was deleted.
func keepNumbers(ctx context.Context, old *sql.Conn, tx pgx.Tx) error {
	return sqlitedb.Each(ctx, old, func(rows *sql.Rows) error {
		var table string
		var last int64
		if err := rows.Scan(&table, &last); err != nil || last < 1 {
			return err
		}
		_, err := tx.Exec(ctx, "SELECT setval(pg_get_serial_sequence($1, 'id'), $2)", table, last)
		return err
	}, "SELECT name, seq FROM sqlite_sequence")
}

// counted counts the rows of a table, and sums their hashes.
type counted struct {
	rows, replaced int64
	sum            [4]uint64
}

func (c *counted) add(values []any) error {
	h := sha256.New()
	for _, v := range values {
		var kind byte
		var data []byte
		switch v := v.(type) {
		case nil:
		case int64:
			kind, data = 'i', binary.BigEndian.AppendUint64(nil, uint64(v))
		case string:
			kind, data = 't', []byte(v)
		case []byte:
			kind, data = 'b', v
		default:
			return fmt.Errorf("a value of type %T", v)
		}
		_, _ = h.Write(binary.BigEndian.AppendUint64([]byte{kind}, uint64(len(data)))) // never fails
		_, _ = h.Write(data)
	}
	sum := h.Sum(nil)
	for i := range c.sum {
		c.sum[i] += binary.BigEndian.Uint64(sum[8*i:])
	}
	c.rows++
	return nil
}

func (c *counted) hash() string {
	var b []byte
	for _, n := range c.sum {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return hex.EncodeToString(b)
}

// drain counts the rows that next returns until nil.
func (c *counted) drain(next func() ([]any, error)) error {
	for {
		if values, err := next(); err != nil || values == nil {
			return err
		}
	}
}

// sqlite counts the rows of a table while f gets them, as PostgreSQL can store them.
func (c *counted) sqlite(ctx context.Context, old *sql.Conn, table string,
	f func(next func() ([]any, error), columns []string) error) (columns []string, err error) {
	rows, err := old.QueryContext(ctx, "SELECT * FROM "+table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	if columns, err = rows.Columns(); err != nil {
		return nil, err
	}
	return columns, f(func() ([]any, error) {
		if !rows.Next() {
			return nil, rows.Err()
		}
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		for i, v := range values {
			switch v := v.(type) {
			case []byte:
				if len(v) == 0 { // which is nil, and would be written as NULL
					values[i] = []byte{}
				}
			case string:
				if values[i] = text(v); values[i] != v {
					c.replaced++
				}
			}
		}
		return values, c.add(values)
	}, columns)
}

func (c *counted) postgres(ctx context.Context, tx pgx.Tx, table string, columns []string) error {
	rows, err := tx.Query(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+table)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		values, err := rows.Values()
		if err == nil {
			err = c.add(values)
		}
		if err != nil {
			return err
		}
	}
	return rows.Err()
}
