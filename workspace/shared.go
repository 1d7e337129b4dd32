package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/sqlitedb"
	"github.com/agnes-data/da/internal/disk/store"
)

// Shared is where several servers keep one workspace. Each has a folder with a copy of the
// index and of those contents that it has used.
type Shared interface {
	// Index returns the version of the index, and the index unless its version is the known
	// one. Before the first change both are empty.
	Index(ctx context.Context, known string) (version string, index []byte, err error)
	// Seen returns the version of the index as the server saw it last, which may be a moment ago:
	// all who follow changes share one question.
	Seen(ctx context.Context) (version string, err error)
	// ChangeIndex replaces the index by what f makes of it, while no other server changes it.
	// f is given what Index returns; the same version leaves the index as it is.
	ChangeIndex(ctx context.Context, known string, f func(version string, index []byte) (string, []byte, error)) error
	// PutContent stores a content under a name that is used once.
	PutContent(ctx context.Context, name string, data io.ReaderAt, size int64) error
	// Content reads a content. A name that is not there is fs.ErrNotExist.
	Content(ctx context.Context, name string) (io.ReadCloser, error)
	RemoveContent(ctx context.Context, name string) error
	// SweepContents removes the contents that killed servers have left: those that are older
	// than a day and not named. Most calls do nothing, since it lists all contents.
	SweepContents(ctx context.Context, named func() (map[string]bool, error)) error
}

const (
	keepChanges = 1000
	// repeats is how often a job is begun again because other servers were faster.
	repeats = 20
)

// sharedName is the name of a content for all servers: its hash, and the id that no other
// content gets, so that nobody removes as old what another server is about to name.
func sharedName(path, sum string) string { return sum + "-" + path + ".content" }

// Sync takes over what other servers have changed, and publishes what a process of this
// server has changed.
func (w *Workspace) Sync(ctx context.Context) error {
	if w.Shared == nil {
		return nil
	}
	const doing = "read the shared index"
	v, err := w.versions(ctx)
	if err != nil {
		return w.failed(doing, err)
	}
	version, index, err := w.Shared.Index(ctx, v.here)
	if err == nil && version == v.here && v.here == v.published && !v.alone {
		if version == "" { // without an index we do not know which contents are in use
			return nil
		}
		return w.failed("remove old contents", w.Shared.SweepContents(ctx, func() (map[string]bool, error) { return w.sharedNames(ctx) }))
	}
	if err != nil {
		return w.failed(doing, err)
	}
	_ = w.putContents(ctx) // without the lock, since it may take long; exchange reports a failure
	lock, err := w.data.Lock(ctx, store.Alone)
	if err != nil {
		return w.failed(doing, err)
	}
	defer lock.Unlock()
	return w.failed(doing, w.exchange(ctx, version, index, func() error { return nil }))
}

// Follow is Sync for those who ask again and again: it learns of a change a moment later.
func (w *Workspace) Follow(ctx context.Context) error {
	if w.Shared == nil {
		return nil
	}
	v, err := w.versions(ctx)
	if err == nil && v.here == v.published && !v.alone {
		if seen, err := w.Shared.Seen(ctx); err != nil || seen == v.here {
			return w.failed("read the version of the shared index", err)
		}
	}
	return w.Sync(ctx)
}

// versions are those of the index of one server.
type versions struct {
	here      string // after the latest change
	published string // the latest that other servers may know; empty: none
	alone     bool   // nothing was published, and there are files
}

func (w *Workspace) versions(ctx context.Context) (v versions, err error) {
	err = w.db.Read.QueryRowContext(ctx, `SELECT coalesce((SELECT id FROM changes ORDER BY seq DESC LIMIT 1), ''),
		coalesce((SELECT version FROM published), ''),
		NOT EXISTS (SELECT 1 FROM published) AND EXISTS (SELECT 1 FROM agent_files)`).Scan(&v.here, &v.published, &v.alone)
	return v, err
}

// exchange makes a change of the index here on what the other servers have, and publishes
// it. The caller has the lock of the folder. What it has fetched of an index, if anything, is
// not fetched again.
func (w *Workspace) exchange(ctx context.Context, fetched string, theirs []byte, change func() error) error {
	if w.Shared == nil {
		return change()
	}
	v, err := w.versions(ctx)
	if err != nil {
		return err
	}
	known := v.here
	if theirs != nil {
		known = fetched
	}
	taken := "" // the version under which this server publishes the files that it had alone
	err = w.Shared.ChangeIndex(ctx, known, func(version string, index []byte) (string, []byte, error) {
		if theirs != nil && version == fetched {
			index = theirs
		}
		// A process of this server may have changed the index without publishing it. If there is
		// no shared index, or it was lost, this server publishes its own.
		if version != "" && version != v.here && (v.here == v.published || version != v.published) {
			if err := w.replace(ctx, v, version, index); err != nil {
				return "", nil, err
			}
		}
		if err := change(); err != nil {
			return "", nil, err
		}
		now, err := w.versions(ctx)
		if err == nil && now.here == "" && now.alone { // of a server that shared nothing until now
			if err = w.noteChange(w.db.Write); err == nil {
				now, err = w.versions(ctx)
			}
		}
		switch {
		case err != nil || now.here == version && now.published == version:
			return version, nil, err
		case now.here == version: // the server was killed after it published, before it noted that
			return version, nil, w.notePublished(ctx, version)
		case v.alone && now.published == "": // if what follows fails, the next Sync begins again
			taken = now.here
		default: // if what follows fails, the next Sync replaces what is here
			err = w.notePublished(ctx, now.here)
		}
		if err == nil {
			err = w.putContents(ctx)
		}
		if err != nil {
			return "", nil, err
		}
		image, err := w.image(ctx)
		return now.here, image, err
	})
	if err == nil && taken != "" {
		err = w.notePublished(ctx, taken)
	}
	return err
}

// notePublished records the latest version that other servers may know.
func (w *Workspace) notePublished(ctx context.Context, version string) error {
	return w.db.Change(ctx, func(tx *sql.Tx) error { return publishedIs(ctx, tx, version) })
}

func publishedIs(ctx context.Context, tx *sql.Tx, version string) error {
	_, err := tx.ExecContext(ctx, "DELETE FROM main.published")
	if err == nil {
		_, err = tx.ExecContext(ctx, "INSERT INTO main.published VALUES (?)", version)
	}
	return err
}

// noteChange gives the index a new version.
func (w *Workspace) noteChange(tx interface {
	Exec(query string, args ...any) (sql.Result, error)
}) error {
	if w.Shared == nil && w.offline == nil {
		return nil
	}
	id := newUUID()
	_, err := tx.Exec("INSERT INTO changes (id) VALUES (?)", id)
	if err == nil {
		_, err = tx.Exec("DELETE FROM changes WHERE seq <= (SELECT max(seq) FROM changes) - ?", keepChanges)
	}
	if w.offline != nil {
		w.offline.Made = id
	}
	return err
}

// putContents uploads the contents that only this server has. It skips contents whose file is
// missing; opening those is an error on every server.
func (w *Workspace) putContents(ctx context.Context) error {
	type content struct {
		path, sum string
		size      int64
	}
	var own []content
	err := sqlitedb.Each(ctx, w.db.Read, func(rows *sql.Rows) error {
		var c content
		err := rows.Scan(&c.path, &c.sum, &c.size)
		own = append(own, c)
		return err
	}, "SELECT disk_path, sha256, size FROM contents WHERE shared = 0")
	for _, c := range own {
		if err == nil {
			err = w.putContent(ctx, w.data.Path(c.path), sharedName(c.path, c.sum), c.size)
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
			continue
		}
		if err == nil {
			_, err = w.db.Write.ExecContext(ctx, "UPDATE contents SET shared = 1 WHERE disk_path = ?", c.path)
		}
	}
	return err
}

func (w *Workspace) putContent(ctx context.Context, file, name string, size int64) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return w.Shared.PutContent(ctx, name, f, size)
}

// openContent opens a content of the index, which it fetches if it is not here.
func (w *Workspace) openContent(ctx context.Context, path, sum string, size int64) (*os.File, error) {
	file, err := os.Open(w.data.Path(path))
	switch {
	case !errors.Is(err, fs.ErrNotExist):
		return file, err
	case w.offline != nil:
		w.offline.Missed = path
		return nil, err
	case w.Shared == nil:
		return nil, err
	}
	if err := w.fetch(ctx, path, sum, size); err != nil {
		return nil, err
	}
	return os.Open(w.data.Path(path))
}

// fetch copies a content to this server, and checks it.
func (w *Workspace) fetch(ctx context.Context, path, sum string, size int64) error {
	temp, err := w.data.OwnTemp()
	if err != nil {
		return err
	}
	defer w.data.ReleaseTemp(temp)
	from := io.NopCloser(io.Reader(bytes.NewReader(nil)))
	if size > 0 {
		if from, err = w.Shared.Content(ctx, sharedName(path, sum)); err != nil {
			return err
		}
	}
	defer from.Close()
	file := w.data.TempPath(temp.ID)
	out, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, hash), io.LimitReader(from, size+1))
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != sum {
		return fmt.Errorf("the shared content %s is damaged: its hash is %s", sharedName(path, sum), got)
	}
	if err := w.data.SyncData(file); err != nil {
		return err
	}
	return os.Rename(file, w.data.Path(path))
}

// fetchPath fetches a content of the index here.
func (w *Workspace) fetchPath(ctx context.Context, path string) error {
	var sum string
	var size int64
	err := w.db.Read.QueryRowContext(ctx, "SELECT sha256, size FROM contents WHERE disk_path = ?", path).Scan(&sum, &size)
	if err != nil {
		return err
	}
	return w.fetch(ctx, path, sum, size)
}

// sharedNames are the names for all servers of the contents of the index.
func (w *Workspace) sharedNames(ctx context.Context) (map[string]bool, error) {
	named := map[string]bool{}
	err := sqlitedb.Each(ctx, w.db.Read, func(rows *sql.Rows) error {
		var path, sum string
		err := rows.Scan(&path, &sum)
		named[sharedName(path, sum)] = true
		return err
	}, "SELECT disk_path, sha256 FROM contents")
	return named, err
}

// Offline is what a process cannot do that has a shared workspace and not its Shared: the
// server that started it does it.
type Offline struct {
	// Made is the last change, which is to be published.
	Made string `json:"made,omitempty"`
	// Missed is the content that was needed and not here.
	Missed string `json:"missed,omitempty"`
}

// Offline returns what is to be done for the workspace of an At; nil if nothing is.
func (w *Workspace) Offline() *Offline {
	if w.offline == nil || *w.offline == (Offline{}) {
		return nil
	}
	return w.offline
}

// elsewhere has another process answer a request, does for it what it cannot, and sends the
// request again if it has missed a content, or another server was faster with a change.
func (w *Workspace) elsewhere(ctx context.Context, request json.RawMessage) (json.RawMessage, error) {
	for range repeats {
		if err := w.Sync(ctx); err != nil {
			return nil, err
		}
		said, err := w.apart.Run(ctx, At{w.dir, w.MaxFile, w.MaxTotal, w.draft, w.session, w.Shared != nil}, request)
		if err != nil || w.Shared == nil {
			return said, err
		}
		var done struct {
			Offline Offline `json:"offline"`
		}
		if err := json.Unmarshal(said, &done); err != nil {
			return nil, err
		}
		there := true
		if id := done.Offline.Made; id != "" {
			if err = w.Sync(ctx); err == nil {
				err = w.db.Read.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM changes WHERE id = ?)", id).Scan(&there)
			}
		} else if path := done.Offline.Missed; path != "" {
			there, err = false, w.fetchPath(ctx, path)
		}
		if err != nil || there {
			return said, w.failed("publish a change", err)
		}
	}
	return nil, &api.Error{Code: api.CodeConflict, Message: "the files were changed by other servers again and again",
		Hint: "Nothing was changed. Make the same call again."}
}
