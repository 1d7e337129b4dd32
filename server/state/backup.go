package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/sqlitedb"
)

// Content counts what a state holds.
type Content struct {
	Users  int64 `json:"users"`
	Tokens int64 `json:"tokens"` // including revoked and expired ones
	Grants int64 `json:"grants"`
	Audit  int64 `json:"audit_rows"`
}

// Backup writes a consistent copy of the state to a file that only its owner can
// read, replacing an existing file, and returns what it contains. It can run
// while servers use the state. The file appears when it is complete, checked and
// on disk; Open accepts it as a state.db.
func (s *Store) Backup(ctx context.Context, file string) (Content, error) {
	db, ok := s.db.(*sqlite)
	if !ok {
		return Content{}, &api.Error{Code: api.CodeUsage, Message: "the state is in PostgreSQL",
			Hint: "Back that database up with its own tools, as pg_dump is one."}
	}
	if s.own(file) {
		return Content{}, bad(api.KindOwnFile, "%s is a file of the state itself", file)
	}
	// On the same disk as the file, and private.
	temp, err := os.MkdirTemp(filepath.Dir(file), "."+filepath.Base(file)+".tmp-")
	if err != nil {
		return Content{}, atomicfile.Explain("write the backup", err)
	}
	defer os.RemoveAll(temp)
	made := filepath.Join(temp, databaseFile)
	if _, err := db.db.Read.ExecContext(ctx, "VACUUM INTO ?", made); err != nil {
		return Content{}, backupFailed(file, err)
	}
	holds, err := inspect(ctx, made)
	if err != nil {
		return Content{}, backupFailed(file, err)
	}
	err = atomicfile.SyncFile(made, 0o600)
	if err == nil {
		err = os.Rename(made, file)
	}
	if err == nil {
		err = atomicfile.SyncDir(filepath.Dir(file))
	}
	return holds, atomicfile.Explain("write the backup", err)
}

// own reports whether a file belongs to the state itself or to SQLite: servers
// would go on writing to the replaced file.
func (s *Store) own(file string) bool {
	if s.dir == "" {
		return false
	}
	ours, err := os.Stat(s.dir)
	theirs, otherErr := os.Stat(filepath.Dir(file))
	if err != nil || otherErr != nil || !os.SameFile(ours, theirs) {
		return false
	}
	for _, ending := range []string{"", "-wal", "-shm", "-journal"} {
		if filepath.Base(file) == databaseFile+ending {
			return true
		}
	}
	return false
}

// inspect reads a database file completely, and counts its contents.
func inspect(ctx context.Context, file string) (Content, error) {
	var c Content
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: file}).EscapedPath()+"?mode=ro&immutable=1")
	if err != nil {
		return c, err
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&verdict); err != nil {
		return c, err
	}
	if verdict != "ok" {
		return c, fmt.Errorf("the copy is damaged, and so may be the state: %s", verdict)
	}
	err = db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM users), (SELECT count(*) FROM tokens), (SELECT count(*) FROM grants),
		(SELECT count(*) FROM audit)`).Scan(&c.Users, &c.Tokens, &c.Grants, &c.Audit)
	return c, err
}

// backupFailed returns the error for a failed backup, with its code according to
// the cause.
func backupFailed(file string, err error) error {
	e := &api.Error{Code: api.CodeNotWritable, Message: fmt.Sprintf("cannot back up the state to %s: %v", file, err),
		Hint: "What was there before is as it was.", Err: err}
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case atomicfile.DiskFull(sqlitedb.WithErrno(err)):
		e.Code = api.CodeDiskFull
	}
	return e
}

// pruneStep is how many rows are deleted at a time, so that others can write in
// between.
const pruneStep = 5000

// PruneAudit removes the events before a time, and returns how many there were.
// It keeps today's events, because today's quotas are computed from them.
func (s *Store) PruneAudit(ctx context.Context, before time.Time) (removed int64, err error) {
	if today := midnight(s.now()).AddDate(0, 0, -1); before.After(today) {
		return 0, bad(api.KindTooRecent, "the events since %s, 00:00 UTC, are today's, and stay", day(today))
	}
	for {
		var n int64
		err := s.change(ctx, unlocked, func(tx conn) (err error) {
			n, err = tx.Exec("DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at < $1 ORDER BY at LIMIT $2)", micros(before), pruneStep)
			return err
		})
		removed += n
		if err != nil || n == 0 || ctx.Err() != nil {
			return removed, errors.Join(err, ctx.Err())
		}
	}
}
