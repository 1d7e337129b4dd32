// Package sqlitedb opens SQLite databases that several processes share: one
// connection writes, others read, and the schema is brought up to date by
// numbered files. What the tables mean is their owner's business.
package sqlitedb

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/agnes-data/da/internal/disk/store"
)

// Options say what a database is like.
type Options struct {
	// Migrations holds files NNN_WHAT.sql; each is run once, in the order of names.
	Migrations fs.FS
	// Readers is how many connections read at the same time; 0: one connection
	// does everything.
	Readers int
	// Durable makes each commit outlive a power cut. Otherwise the last ones may
	// be lost, but never a part of one.
	Durable bool
}

// DB is an open database.
type DB struct {
	// Write is one connection, since SQLite has one writer. Its transactions
	// begin by taking the write lock.
	Write *sql.DB
	Read  *Reader
}

// Open opens the database in file, and creates it if it is missing. Its folder
// exists. Another process that opens it meanwhile waits. Errors are those of the
// system, of SQLite, and of a schema from a newer release.
func Open(file string, o Options) (*DB, error) {
	// A change of the journal is the one thing that SQLite does not wait for by
	// itself, so one process at a time prepares the database.
	lock, err := store.WaitLock(context.Background(), filepath.Join(filepath.Dir(file), ".lock"), store.Alone)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return open("file:"+(&url.URL{Path: file}).EscapedPath()+"?", o)
}

// OpenMemory opens a database that nobody else sees and that ends with the DB.
func OpenMemory(o Options) (*DB, error) {
	var name [12]byte
	_, _ = rand.Read(name[:]) // never fails
	o.Readers = 0
	return open("file:"+hex.EncodeToString(name[:])+"?mode=memory&cache=shared&", o)
}

func open(dsn string, o Options) (*DB, error) {
	level := "NORMAL"
	if o.Durable {
		level = "FULL"
	}
	dsn += "_pragma=busy_timeout(20000)&_pragma=journal_mode(WAL)&_pragma=synchronous(" + level +
		")&_pragma=foreign_keys(1)&_time_format=sqlite"
	write, err := sql.Open("sqlite", dsn+"&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1)
	read := write
	if o.Readers > 0 {
		if read, err = sql.Open("sqlite", dsn); err != nil {
			return nil, errors.Join(err, write.Close())
		}
		read.SetMaxOpenConns(o.Readers)
		read.SetMaxIdleConns(o.Readers)
	}
	d := &DB{Write: write, Read: &Reader{DB: read}}
	if err := d.migrate(o.Migrations); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Close closes the connections.
func (d *DB) Close() error {
	err := d.Write.Close()
	if d.Read.DB != d.Write {
		err = errors.Join(err, d.Read.Close())
	}
	return err
}

// migrate runs the files that this database has not seen.
func (d *DB) migrate(migrations fs.FS) error {
	files, err := fs.Glob(migrations, "*.sql")
	if err != nil {
		return err
	}
	slices.Sort(files)
	var version int
	if err := d.Write.QueryRow("PRAGMA user_version").Scan(&version); err != nil || version == len(files) {
		return err
	}
	return d.Change(context.Background(), func(tx *sql.Tx) error {
		if err := tx.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		if version > len(files) {
			return fmt.Errorf("it was written by a newer release of da (schema %d, this one knows %d)", version, len(files))
		}
		for i, file := range files[version:] {
			text, err := fs.ReadFile(migrations, file)
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

// Change runs f in a transaction that nobody else's interrupts. It is finished
// even if the caller has gone.
func (d *DB) Change(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := d.Write.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// Querier is a database or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Each runs a query and calls f for each row, in the order of the rows.
func Each(ctx context.Context, q Querier, f func(*sql.Rows) error, query string, args ...any) error {
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

// Said returns SQLite's own error out of err; err itself if it is not one.
func Said(err error) error {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e
	}
	return err
}

// Locked reports whether an error means that another program kept the database locked
// for longer than SQLite waits.
func Locked(err error) bool { return hasCode(err, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) }

// Damaged reports whether an error means that the file is no sound database.
func Damaged(err error) bool {
	return errors.Is(err, errDamaged) || hasCode(err, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
}

func hasCode(err error, codes ...int) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && slices.Contains(codes, e.Code()&0xff)
}

var errDamaged = errors.New("the database is damaged")

// Check reads the whole file and returns an error if it is damaged.
func (d *DB) Check() error {
	var said string
	err := d.Read.QueryRow("PRAGMA quick_check(1)").Scan(&said)
	if err == nil && said != "ok" {
		err = fmt.Errorf("%w: %s", errDamaged, said)
	}
	return err
}

// WithErrno returns SQLite's error together with the system's, since SQLite has
// numbers of its own; any other error as it is.
func WithErrno(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch code := e.Code(); {
	case code&0xff == sqlite3.SQLITE_FULL, code == sqlite3.SQLITE_IOERR_WRITE, code == sqlite3.SQLITE_IOERR_SHMSIZE:
		return fmt.Errorf("%w: %w", syscall.ENOSPC, e)
	case code&0xff == sqlite3.SQLITE_IOERR, code&0xff == sqlite3.SQLITE_READONLY, code&0xff == sqlite3.SQLITE_CANTOPEN:
		return fmt.Errorf("%w: %w", syscall.EACCES, e)
	}
	return err
}
