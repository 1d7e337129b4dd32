package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/sqlitedb"
)

// databaseFile is the database's name in the state folder.
const databaseFile = "state.db"

// readers is how many requests can read concurrently.
const readers = 4

// sqlite is a state in a file, or in memory.
type sqlite struct {
	db        *sqlitedb.DB
	dir       string // for errors
	inProcess bool
}

func openSQLite(dir string, inProcess bool) (*sqlite, error) {
	q := &sqlite{dir: dir, inProcess: inProcess}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, q.cannotUse(err)
	}
	var err error
	q.db, err = sqlitedb.Open(databaseIn(dir), sqlitedb.Options{Migrations: schema("sqlite"), Readers: readers})
	if err == nil && !inProcess { // a server runs for long: better that it does not start
		if err = q.db.Check(); err != nil {
			err = errors.Join(err, q.close())
		}
	}
	if err != nil {
		return nil, q.cannotUse(err)
	}
	return q, nil
}

// databaseIn returns the path of the database of a state folder.
func databaseIn(dir string) string { return filepath.Join(dir, databaseFile) }

func openMemory() (*sqlite, error) {
	q := &sqlite{dir: "memory"}
	var err error
	if q.db, err = sqlitedb.OpenMemory(sqlitedb.Options{Migrations: schema("sqlite")}); err != nil {
		return nil, q.cannotUse(err)
	}
	return q, nil
}

func (q *sqlite) asking(ctx context.Context) conn { return conn{ctx: ctx, db: q.db.Read} }

// change needs no lock: SQLite has one writer.
func (q *sqlite) change(ctx context.Context, _ string, f func(conn) error) error {
	return q.db.Change(ctx, func(tx *sql.Tx) error { return f(conn{ctx: ctx, db: tx}) })
}

func (q *sqlite) now() time.Time { return time.Now() }

func (q *sqlite) close() error { return q.db.Close() }

// cannotUse is the error for a state that cannot be opened: CodeDiskFull or
// CodeNotWritable if the disk is the reason, otherwise CodeConfig.
func (q *sqlite) cannotUse(err error) error {
	dir := q.dir
	if e := onDisk(dir, err); e != nil {
		return e
	}
	err = sqlitedb.Said(err) // drop the wrapping, which describes a server that is already running
	hint := "Check server.state_dir in the instance file."
	switch {
	case sqlitedb.Locked(err):
		hint = "Another program has locked " + databaseFile + " there: end it. Commands of da lock it for moments only."
	case sqlitedb.Damaged(err):
		hint = "Its file " + databaseFile + " is damaged: put the last backup in its place."
	}
	return &api.Error{Code: api.CodeConfig, Message: fmt.Sprintf("cannot use the server's state in %s: %v", dir, err), Hint: hint, Err: err}
}

// explain recognises errors of the disk. They change nothing, and writing
// works again once the disk does. Over HTTP they are CodeUnavailable, because the
// operator has to act and the caller can retry.
func (q *sqlite) explain(err error) error {
	e := onDisk(q.dir, err)
	switch {
	case sqlitedb.Locked(err):
		return &api.Error{Code: api.CodeUnavailable, Kind: api.KindState, Err: err, Message: "another program has locked the server's state",
			Hint: "Try again later. Its operator ends the program that has " + databaseFile + " open."}
	case sqlitedb.Damaged(err):
		return &api.Error{Code: api.CodeUnavailable, Kind: api.KindState, Err: err, Message: "the server's state is damaged",
			Hint: "Its operator puts the last backup in its place."}
	case e == nil:
		return err
	case q.inProcess:
		return e
	}
	return &api.Error{Code: api.CodeUnavailable, Kind: api.KindState, Err: err, Message: "the server cannot write its state",
		Hint: "Try again later. Its operator makes room on the disk that holds the state; then the server goes on by itself."}
}

// onDisk is the error for a full or read-only disk, with the state's folder; nil
// if err has another cause.
func onDisk(dir string, err error) error {
	err = sqlitedb.WithErrno(err)
	if !atomicfile.DiskFull(err) && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return nil
	}
	var e *api.Error
	if !errors.As(atomicfile.Explain("write the record of use", err), &e) {
		return nil
	}
	said := *e
	said.Kind = api.KindState
	said.Details = map[string]any{"path": dir}
	if said.Code == api.CodeNotWritable {
		said.Hint = "Check the permissions of " + dir + ", or set server.state_dir in the instance file to another folder."
	}
	return &said
}
