package workspace

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/sqlitedb"
	"github.com/agnes-data/da/internal/words/suggest"
)

// visible selects the rows that a view shows: those of its draft (?1), and those
// of the workspace that the draft has not changed.
const visible = ` FROM agent_files f WHERE (f.draft = ?1 OR f.draft = '' AND NOT EXISTS
	(SELECT 1 FROM agent_files o WHERE o.draft = ?1 AND o._id = f._id))`

// reader is the index or a transaction on it.
type reader interface {
	sqlitedb.Querier
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// List returns the files whose names match a glob pattern, sorted by name; an
// empty pattern matches all of them. In a pattern, '*' and '?' match within one
// part of a name, '**' matches across parts, and case is ignored. A pattern
// without '/' is matched against the last part of each name.
func (w *Workspace) List(ctx context.Context, pattern string) ([]File, error) {
	return w.list(ctx, pattern, " AND f.deleted_on IS NULL")
}

// Deleted returns the deleted files that can still be restored, by name.
func (w *Workspace) Deleted(ctx context.Context, pattern string) ([]File, error) {
	return w.list(ctx, pattern, " AND f.deleted_on IS NOT NULL AND f.draft = ''")
}

func (w *Workspace) list(ctx context.Context, pattern, which string) ([]File, error) {
	matches, err := glob(pattern)
	if err != nil {
		return nil, err
	}
	files := []File{}
	err = sqlitedb.Each(ctx, w.db.Read, func(rows *sql.Rows) error {
		f, err := scanFile(rows)
		if err == nil && matches(f.Name) {
			files = append(files, f)
		}
		return err
	}, "SELECT "+fileColumns+visible+which+" ORDER BY f.name_key", w.draft)
	return files, w.failed("list the files", err)
}

// Info returns a file. It is CodeUnknownFile if no file has that id or name.
func (w *Workspace) Info(ctx context.Context, ref string) (File, error) {
	f, err := w.find(ctx, w.db.Read, ref)
	return f, w.failed("look up a file", err)
}

// find looks up a file by id or name.
func (w *Workspace) find(ctx context.Context, q reader, ref string) (File, error) {
	f, err := scanFile(q.QueryRowContext(ctx, "SELECT "+fileColumns+visible+
		" AND f.deleted_on IS NULL AND (f._id = ?2 OR f.name_key = ?3) ORDER BY f._id = ?2 DESC LIMIT 1", w.draft, ref, key(ref)))
	if errors.Is(err, sql.ErrNoRows) {
		return File{}, w.unknown(ctx, q, ref)
	}
	return f, err
}

// findDeleted looks up a deleted file; by name it is the one deleted last.
func (w *Workspace) findDeleted(ctx context.Context, q reader, ref string) (File, error) {
	return scanFile(q.QueryRowContext(ctx, "SELECT "+fileColumns+visible+
		" AND f.deleted_on IS NOT NULL AND (f._id = ?2 OR f.name_key = ?3) ORDER BY f._id = ?2 DESC, f.deleted_on DESC LIMIT 1", w.draft, ref,
		key(ref)))
}

// unknown is the error for a ref that names no file.
func (w *Workspace) unknown(ctx context.Context, q reader, ref string) error {
	e := &api.Error{Code: api.CodeUnknownFile, Message: fmt.Sprintf("there is no file '%s' in the workspace", api.Clip(ref, 80))}
	if f, err := w.findDeleted(ctx, q, ref); err == nil {
		e.Hint = "It was deleted on " + f.DeletedOn.Format("2006-01-02 15:04 UTC") + "."
		e.Next = []api.Step{api.Do(api.ActionRestoreFile, "bring it back", "file", ref)}
		return e
	}
	var names []string
	err := sqlitedb.Each(ctx, q, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		names = append(names, name)
		return err
	}, "SELECT f.name"+visible+" AND f.deleted_on IS NULL ORDER BY f.name_key LIMIT 10000", w.draft)
	if err != nil {
		return err
	}
	if near := suggest.Near(ref, names); len(near) > 0 {
		e.Hint = "Did you mean '" + near[0] + "'?"
		e.Details = map[string]any{"suggestions": near}
	}
	e.Next = []api.Step{api.Do(api.ActionFiles, "see the files that there are")}
	return e
}

// Content is the content of one version, opened. It stays readable when the
// file is changed or deleted. The caller closes it.
type Content struct {
	*os.File
	Of  File // with the version that was opened
	ctx context.Context
}

// ReadAt implements io.ReaderAt. It ends with the context of the opening, so that
// whatever reads a large file can be stopped.
func (c *Content) ReadAt(p []byte, offset int64) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.File.ReadAt(p, offset)
}

// Open opens a file's content.
func (w *Workspace) Open(ctx context.Context, ref string) (*Content, error) {
	for {
		f, err := w.Info(ctx, ref)
		if err != nil {
			return nil, err
		}
		file, err := w.openContent(ctx, f.path, f.SHA256, f.Size)
		if err == nil {
			return &Content{file, f, ctx}, nil
		}
		if err := w.Sync(ctx); err != nil {
			return nil, err
		}
		now, infoErr := w.Info(ctx, ref)
		if infoErr != nil {
			return nil, infoErr
		}
		if now.path == f.path {
			return nil, w.lost(f, err)
		}
		// The file has been changed in the meantime, and none of its versions
		// still has that content.
	}
}

// OpenVersion opens the content of an older version.
func (w *Workspace) OpenVersion(ctx context.Context, ref string, version int64) (*Content, error) {
	f, err := w.Info(ctx, ref)
	if api.CodeUnknownFile.Is(err) {
		if deleted, findErr := w.findDeleted(ctx, w.db.Read, ref); findErr == nil {
			f, err = deleted, nil
		}
	}
	if err != nil {
		return nil, err
	}
	v, err := w.version(ctx, w.db.Read, f, version)
	if err != nil {
		return nil, w.failed("look up a version", err)
	}
	file, err := w.openContent(ctx, v.path, v.SHA256, v.Size)
	if err != nil {
		return nil, w.lost(f, err)
	}
	f.Version, f.Name, f.Size, f.SHA256, f.MIMEType, f.ModifiedOn, f.path = v.Version, v.Name, v.Size, v.SHA256, v.MIMEType, v.ModifiedOn,
		v.path
	return &Content{file, f, ctx}, nil
}

// lost is the error of a content that the index names and that cannot be opened.
func (w *Workspace) lost(f File, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return &api.Error{Code: api.CodeReadFailed, Message: fmt.Sprintf("cannot read '%s': %v", f.Name, err), Err: err}
	}
	return &api.Error{Code: api.CodeReadFailed, Err: err,
		Message: fmt.Sprintf("the content of '%s' is missing: something else has removed %s", f.Name, w.data.Path(f.path)),
		Hint:    "An older version may still be there.", Next: []api.Step{api.Do(api.ActionFileVersions, "see the versions", "file", f.Name)}}
}

// Versions returns the versions kept of a file, newest first. The file may be
// deleted.
func (w *Workspace) Versions(ctx context.Context, ref string) ([]Version, error) {
	f, err := w.find(ctx, w.db.Read, ref)
	if api.CodeUnknownFile.Is(err) {
		if deleted, findErr := w.findDeleted(ctx, w.db.Read, ref); findErr == nil {
			f, err = deleted, nil
		}
	}
	if err != nil {
		return nil, w.failed("list the versions", err)
	}
	versions := []Version{}
	err = sqlitedb.Each(ctx, w.db.Read, func(rows *sql.Rows) error {
		v, err := scanVersion(rows)
		v.Current = v.Version == f.Version && f.draft == ""
		versions = append(versions, v)
		return err
	}, "SELECT "+versionColumns+" FROM file_versions WHERE file_id = ? ORDER BY version DESC", f.ID)
	return versions, w.failed("list the versions", err)
}

const versionColumns = "version, action, name, mime_type, size, sha256, session_id, modified_on, disk_path"

func scanVersion(row interface{ Scan(...any) error }) (v Version, err error) {
	var session sql.NullString
	var modified string
	err = row.Scan(&v.Version, &v.Action, &v.Name, &v.MIMEType, &v.Size, &v.SHA256, &session, &modified, &v.path)
	v.ModifiedOn = fromStamp(modified)
	if session.Valid {
		v.Session = &session.String
	}
	return v, err
}

// version looks up one version of a file.
func (w *Workspace) version(ctx context.Context, q reader, f File, version int64) (Version, error) {
	v, err := scanVersion(q.QueryRowContext(ctx, "SELECT "+versionColumns+" FROM file_versions WHERE file_id = ? AND version = ?", f.ID,
		version))
	if errors.Is(err, sql.ErrNoRows) {
		return v, &api.Error{Code: api.CodeUnknownFile, Kind: api.KindVersion,
			Message: fmt.Sprintf("there is no version %d of '%s'", version, f.Name),
			Next:    []api.Step{api.Do(api.ActionFileVersions, "see the versions that are kept", "file", f.Name)}}
	}
	return v, err
}

// Usage is the number of files in a workspace and the space they take. Sizes are
// in bytes.
type Usage struct {
	Files int64 `json:"files"`
	// Bytes are those of the files as they are, TotalBytes those of all contents,
	// with older versions, deleted files and drafts.
	Bytes      int64 `json:"bytes"`
	TotalBytes int64 `json:"total_bytes"`
	MaxFile    int64 `json:"max_file_bytes"`
	MaxTotal   int64 `json:"max_total_bytes"`
}

// Usage counts the files of the workspace and the bytes they take.
func (w *Workspace) Usage(ctx context.Context) (Usage, error) {
	u := Usage{MaxFile: w.MaxFile, MaxTotal: w.MaxTotal}
	err := w.db.Read.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(size), 0), (SELECT coalesce(sum(size), 0) FROM contents)
		FROM agent_files WHERE draft = '' AND deleted_on IS NULL`).Scan(&u.Files, &u.Bytes, &u.TotalBytes)
	return u, w.failed("count the files", err)
}

// expired returns the time before which surplus versions are removed.
func (w *Workspace) expired() string { return stamp(w.Now().Add(-keepFor)) }
