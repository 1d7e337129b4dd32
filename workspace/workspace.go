package workspace

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/sqlitedb"
	"github.com/agnes-data/da/internal/disk/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Limits used where Options do not set any.
const (
	DefaultMaxFile  = 50_000_000
	DefaultMaxTotal = 1_000_000_000
)

// Versions beyond the newest keepVersions are removed once they are older than
// keepFor; so are deleted files.
const (
	keepVersions = 20
	keepFor      = 30 * 24 * time.Hour
)

const (
	indexFile  = "index.db"
	dataDir    = "data"
	editPrefix = ".edit-"
	lockExt    = ".lock"
)

// Options are the limits of a workspace.
type Options struct {
	MaxFile  int64 // maximum bytes of one file; 0: DefaultMaxFile
	MaxTotal int64 // maximum bytes of all contents, including versions and drafts; 0: DefaultMaxTotal
	// Shared is where other servers find the same workspace; nil: only this folder has it.
	Shared Shared
	// Now is the clock; nil: the system's.
	Now func() time.Time
	// Step, if a test sets it, is called after each step on disk.
	Step func(name string)
}

// Workspace holds the files of one user. Its methods can be called concurrently,
// and other processes can use the same folder. Errors are *api.Error.
type Workspace struct {
	*shared
	draft   string // the draft whose changes are made and shown; empty: the workspace itself
	session *string
	telling *[]api.Caveat // of the changes; nil: not known
	room    *inRoom
	apart   *Apart
}

// shared is the state that a workspace shares with its draft views.
type shared struct {
	Options
	dir  string
	db   *sqlitedb.DB
	data *store.Store
	// offline is set in a process that leaves the sharing to the server.
	offline *Offline
}

// Open opens the workspace in dir, creates it if it is missing, and removes what
// killed processes left behind. The caller must close it.
func Open(dir string, o Options) (*Workspace, error) {
	if o.MaxFile == 0 {
		o.MaxFile = DefaultMaxFile
	}
	if o.MaxTotal == 0 {
		o.MaxTotal = DefaultMaxTotal
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Step == nil {
		o.Step = func(string) {}
	}
	w := &Workspace{shared: &shared{Options: o, dir: dir, data: &store.Store{Dir: filepath.Join(dir, dataDir), Step: o.Step}}}
	if err := w.data.Make(); err != nil {
		return nil, w.failed("open the workspace", err)
	}
	var err error
	if w.db, err = openIndex(filepath.Join(dir, indexFile)); err != nil {
		return nil, w.failed("open the workspace", err)
	}
	if err := w.sweep(); err != nil {
		return nil, errors.Join(w.failed("open the workspace", err), w.db.Close())
	}
	return w, nil
}

// openIndex opens an index, and brings it up to date.
func openIndex(file string) (*sqlitedb.DB, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	return sqlitedb.Open(file, sqlitedb.Options{Migrations: files, Readers: 4, Durable: true})
}

// Close ends the workspace and all views of it.
func (w *Workspace) Close() error { return w.db.Close() }

// By returns the same workspace, whose changes note the conversation that made them.
func (w *Workspace) By(session string) *Workspace {
	view := *w
	view.session = &session
	return &view
}

// Telling returns the same workspace, whose changes in a draft note what caveats holds
// when they are made.
func (w *Workspace) Telling(caveats *[]api.Caveat) *Workspace {
	view := *w
	view.telling = caveats
	return &view
}

// change runs f in a transaction of the index, and removes the contents that
// nothing names any more.
func (w *Workspace) change(ctx context.Context, doing string, f func(*change) error) error {
	// A lock wakes waiting callers in turn; SQLite does not.
	lock, err := w.data.Lock(ctx, store.Alone)
	if err != nil {
		return w.failed(doing, err)
	}
	defer lock.Unlock()
	c := &change{w: w, ctx: ctx, done: store.StepRecordCommitted}
	if err := w.exchange(ctx, "", nil, func() error { return c.run(f) }); err != nil {
		return w.failed(doing, err)
	}
	w.Step(c.done)
	for _, path := range c.free {
		_ = os.Remove(w.data.Path(path)) // if this fails, the next Open removes the file
	}
	for _, name := range c.freeShared {
		_ = w.Shared.RemoveContent(ctx, name) // if this fails, a sweep removes it
	}
	w.Step(store.StepOldRemoved)
	return nil
}

// run runs f in a transaction of the index here.
func (c *change) run(f func(*change) error) error {
	return c.w.db.Change(c.ctx, func(tx *sql.Tx) error {
		c.Tx = tx
		before, err := c.changed()
		if err == nil {
			err = f(c)
		}
		if err == nil {
			err = c.release()
		}
		if err == nil {
			var after int64
			if after, err = c.changed(); err == nil && after != before {
				err = c.w.noteChange(c.Tx)
			}
		}
		if err != nil {
			for _, path := range c.placed {
				_ = os.Remove(c.w.data.Path(path))
			}
		}
		return err
	})
}

// changed counts the rows that the connection has changed until now.
func (c *change) changed() (n int64, err error) {
	err = c.QueryRow("SELECT total_changes()").Scan(&n)
	return n, err
}

// failed describes an error of the disk or the index. An *api.Error is returned
// unchanged.
func (w *Workspace) failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	var e *api.Error
	if errors.As(err, &e) {
		return e
	}
	err = sqlitedb.WithErrno(err)
	if atomicfile.DiskFull(err) || atomicfile.NotWritable(err) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded) {
		return atomicfile.Explain(doing, err)
	}
	return &api.Error{Code: api.CodeUnexpected, Message: "cannot " + doing + ": " + sqlitedb.Said(err).Error(), Err: err}
}

// sweep removes what killed processes left behind: contents without a row and
// unfinished contents. Names are first compared without a lock.
func (w *Workspace) sweep() error {
	bases, err := store.BaseNames(w.data.Dir)
	if err != nil {
		return err
	}
	odd := false
	for _, base := range bases {
		id, temp := strings.CutPrefix(base, ".tmp-")
		switch {
		case temp:
			owned := w.data.Path(".tmp-" + strings.TrimSuffix(id, lockExt))
			store.Reclaim(owned+lockExt, func() error { return removed(owned) })
		case strings.HasPrefix(base, editPrefix):
			store.Reclaim(w.data.Path(base), func() error { return nil })
		default:
			odd = odd || isContent(base)
		}
	}
	if !odd {
		return nil
	}
	orphans, err := w.orphans(bases)
	if err != nil || len(orphans) == 0 {
		return err
	}
	// A change renames its content before it commits, so check again while no
	// change is running. If that is not possible now, the next Open does it.
	lock, err := w.data.TryLock()
	if err != nil {
		return nil // a change is running
	}
	defer lock.Unlock()
	orphans, err = w.orphans(orphans)
	for _, base := range orphans {
		_ = os.Remove(w.data.Path(base))
	}
	return err
}

// orphans returns those of bases that are names of contents without a row.
func (w *Workspace) orphans(bases []string) (orphans []string, err error) {
	named := map[string]bool{}
	err = sqlitedb.Each(context.Background(), w.db.Read, func(rows *sql.Rows) error {
		var path string
		err := rows.Scan(&path)
		named[path] = true
		return err
	}, "SELECT disk_path FROM contents")
	for _, base := range bases {
		if isContent(base) && !named[base] {
			orphans = append(orphans, base)
		}
	}
	return slices.Clip(orphans), err
}

func isContent(base string) bool { return store.IsID(base) }

func removed(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
