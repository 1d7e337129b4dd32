package workspace

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/agnes-data/da/api"
)

// change is one transaction on the index.
type change struct {
	*sql.Tx
	w   *Workspace
	ctx context.Context //nolint:containedctx // of the one change

	done   string   // the commit's name in tests
	placed []string // contents that were renamed to their places
	loose  []string // contents whose last row may have been deleted
	free   []string // contents that have
	// freeShared are the same, by their names for all servers.
	freeShared []string
	gone       int // versions removed because the workspace was full
}

func newUUID() string { return uuid.Must(uuid.NewRandomFromReader(rand.Reader)).String() }

// find looks up a file and checks that it still has the version that the caller
// has read; 0 accepts any version.
func (c *change) find(ref string, ifVersion int64) (File, error) {
	f, err := c.w.find(c.ctx, c, ref)
	if err == nil && ifVersion != 0 && ifVersion != f.Version {
		err = Conflict(f, ifVersion)
	}
	return f, err
}

// Conflict is the error of a change that was meant for another version of f.
func Conflict(f File, read int64) error {
	return &api.Error{
		Code: api.CodeConflict, Message: fmt.Sprintf("'%s' was changed meanwhile: it is at version %d, not %d", f.Name, f.Version, read),
		Hint:    "Nothing was changed. Read it again, then make the change on what it is now.",
		Next:    []api.Step{api.Do(api.ActionFileVersions, "see what has changed it", "file", f.Name)},
		Details: map[string]any{"version": f.Version, "if_version": read},
	}
}

// fresh is a new file.
func (c *change) fresh(name string, source Source) File {
	now := c.w.Now()
	return File{ID: newUUID(), Name: name, Source: source, Session: c.w.session, CreatedOn: now, ModifiedOn: now, draft: c.w.draft}
}

// record writes the next version of a file: its row, its version and its event.
func (c *change) record(f *File, action Action) error {
	if f.Version > 0 && action != ActionCreated {
		f.ModifiedOn = c.w.Now()
	}
	if c.w.draft != "" && f.draft == "" { // the draft's first change of it
		base := f.Version
		f.base, f.draft = &base, c.w.draft
	}
	f.Version++
	if c.w.draft != "" {
		return c.recordDraft(f)
	}
	if err := save(c.Tx, *f); err != nil {
		return err
	}
	_, err := c.Exec(`INSERT INTO file_versions (file_id, version, action, name, mime_type, size, sha256, disk_path, session_id, modified_on) VALUES (?,?,?,?,?,?,?,?,?,?)`,
		f.ID, f.Version, action, f.Name, f.MIMEType, f.Size, f.SHA256, f.path, c.w.session, stamp(f.ModifiedOn))
	if err == nil {
		err = c.tell(action, *f)
	}
	if err == nil {
		err = c.keep(f.ID)
	}
	f.VersionsRemoved = c.gone
	return err
}

// vacant checks that a name is free for the file with that id. A file cannot have
// the same name as a folder.
func (c *change) vacant(name, id string) error {
	k := key(name)
	f, err := scanFile(c.QueryRowContext(c.ctx, "SELECT "+fileColumns+visible+` AND f.deleted_on IS NULL AND f._id <> ?2
		AND (f.name_key = ?3 OR substr(f.name_key, 1, length(?3) + 1) = ?3 || '/' OR substr(?3, 1, length(f.name_key) + 1) = f.name_key || '/') LIMIT 1`, c.w.draft, id, k))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	e := &api.Error{Code: api.CodeTargetExists, Kind: api.KindName, Details: map[string]any{"id": f.ID, "name": f.Name, "version": f.Version},
		Message: fmt.Sprintf("there is already a file '%s'", f.Name), Hint: "Choose another name."}
	switch {
	case strings.HasPrefix(key(f.Name), k+"/"):
		e.Message = fmt.Sprintf("'%s' is a folder, in which there is '%s'", name, f.Name)
	case key(f.Name) != k:
		e.Message = fmt.Sprintf("'%s' is a file, so it cannot be the folder of '%s'", f.Name, name)
	case f.Name != name:
		e.Hint = "Names differ by more than case. Choose another name."
	}
	return e
}

// release notes the contents that have lost their last row.
func (c *change) release() error {
	for _, path := range c.loose {
		var sum string
		err := c.QueryRow(`DELETE FROM contents WHERE disk_path = ?1 AND NOT EXISTS (SELECT 1 FROM agent_files WHERE disk_path = ?1)
			AND NOT EXISTS (SELECT 1 FROM file_versions WHERE disk_path = ?1) RETURNING sha256`, path).Scan(&sum)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return err
		}
		c.free = append(c.free, path)
		if c.w.Shared != nil {
			c.freeShared = append(c.freeShared, sharedName(path, sum))
		}
	}
	c.loose = nil
	return nil
}
