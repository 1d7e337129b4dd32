package workspace

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/sqlitedb"
)

// Draft is a set of changes kept apart from the workspace until they are applied.
type Draft struct {
	Name      string    `json:"name"`
	Changes   int64     `json:"changes"`
	Session   *string   `json:"session_id"`
	CreatedOn time.Time `json:"created_on"`
}

// DraftChange is the change that a draft makes to one file.
type DraftChange struct {
	Action Action `json:"action"`
	File   File   `json:"file"`
	// Before is the file as it is in the workspace now; null if the workspace
	// does not have it.
	Before *File `json:"before"`
	// Conflict says that the workspace's file was changed since the draft was made
	// of it.
	Conflict bool `json:"conflict"`
	// Told are the caveats that the steps to this content have told.
	Told []api.Caveat `json:"-"`
}

// Draft returns a view of the draft with that name; the draft is created by its
// first change. The view shows the workspace's files with the draft's changes.
func (w *Workspace) Draft(name string) (*Workspace, error) {
	if err := api.CheckName("draft name", name); err != nil {
		return nil, err
	}
	view := *w
	view.draft = name
	return &view, nil
}

// Drafts lists the drafts, by name.
func (w *Workspace) Drafts(ctx context.Context) ([]Draft, error) {
	drafts := []Draft{}
	err := sqlitedb.Each(ctx, w.db.Read, func(rows *sql.Rows) error {
		var d Draft
		var created string
		var session sql.NullString
		err := rows.Scan(&d.Name, &session, &created, &d.Changes)
		d.CreatedOn = fromStamp(created)
		if session.Valid {
			d.Session = &session.String
		}
		drafts = append(drafts, d)
		return err
	}, "SELECT name, session_id, created_on, (SELECT count(*) FROM agent_files WHERE draft = drafts.name) FROM drafts ORDER BY name")
	return drafts, w.failed("list the drafts", err)
}

// recordDraft writes a draft's row, and the draft if it is its first.
func (c *change) recordDraft(f *File) error {
	_, err := c.Exec("INSERT OR IGNORE INTO drafts (name, session_id, created_on) VALUES (?,?,?)", c.w.draft, c.w.session, stamp(c.w.Now()))
	if err != nil {
		return err
	}
	if c.w.telling != nil {
		// The formulas of the whole file are calculated anew.
		f.told = slices.DeleteFunc(f.told, func(t api.Caveat) bool { return t.Kind == api.CaveatUncalculated })
		f.told = api.Arranged(append(f.told, *c.w.telling...))
	}
	if f.DeletedOn != nil && f.base == nil { // only the draft ever had it
		_, err = c.Exec("DELETE FROM agent_files WHERE draft = ? AND _id = ?", f.draft, f.ID)
		c.loose = append(c.loose, f.path)
	} else {
		err = save(c.Tx, *f)
	}
	if err != nil {
		return err
	}
	if err := c.release(); err != nil {
		return err
	}
	err = c.keep(f.ID)
	f.VersionsRemoved = c.gone
	return err
}

// Changes lists the changes of a draft by file name. It fails with
// CodeUnknownFile if there is no such draft.
func (w *Workspace) Changes(ctx context.Context) ([]DraftChange, error) {
	changes, err := w.changes(ctx, w.db.Read)
	return changes, w.failed("list the changes", err)
}

func (w *Workspace) changes(ctx context.Context, q reader) ([]DraftChange, error) {
	var known string
	err := q.QueryRowContext(ctx, "SELECT name FROM drafts WHERE name = ?", w.draft).Scan(&known)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, &api.Error{Code: api.CodeUnknownFile, Kind: api.KindDraft, Message: fmt.Sprintf("there is no draft '%s'", w.draft),
			Next: []api.Step{api.Do(api.ActionDrafts, "see the drafts that there are")}}
	}
	if err != nil {
		return nil, err
	}
	changes := []DraftChange{}
	err = sqlitedb.Each(ctx, q, func(rows *sql.Rows) error {
		f, err := scanFile(rows)
		changes = append(changes, DraftChange{File: f, Told: f.told})
		return err
	}, "SELECT "+fileColumns+" FROM agent_files WHERE draft = ? ORDER BY name_key", w.draft)
	for i := range changes {
		if err == nil {
			err = changes[i].compare(ctx, q)
		}
	}
	return changes, err
}

// compare compares a change with the current state of the workspace.
func (d *DraftChange) compare(ctx context.Context, q reader) error {
	before, err := scanFile(q.QueryRowContext(ctx, "SELECT "+fileColumns+" FROM agent_files WHERE draft = '' AND _id = ?", d.File.ID))
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if err == nil && before.DeletedOn == nil {
		d.Before = &before
	}
	switch {
	case d.File.base == nil:
		d.Action = ActionCreated
	case d.File.DeletedOn != nil:
		d.Action = ActionDeleted
	case d.Before == nil:
		d.Action = ActionRestored
	case d.Before.SHA256 == d.File.SHA256 && d.Before.Name != d.File.Name:
		d.Action = ActionRenamed
	default:
		d.Action = ActionModified
	}
	d.Conflict = d.File.base != nil && (err != nil || before.Version != *d.File.base)
	return nil
}

// Apply applies all changes of a draft to the workspace, or none of them. It
// fails with CodeConflict if a file has been changed since, and with
// CodeTargetExists if a name is taken now.
func (w *Workspace) Apply(ctx context.Context) (applied []DraftChange, err error) {
	main := *w
	main.draft = ""
	err = main.change(ctx, "apply the draft", func(c *change) error {
		if applied, err = w.changes(ctx, c); err != nil {
			return err
		}
		if err := conflicting(w.draft, applied); err != nil {
			return err
		}
		// Names that files swap are free in between.
		if _, err := c.Exec(`UPDATE agent_files SET name_key = _id || '/' WHERE draft = '' AND deleted_on IS NULL
			AND _id IN (SELECT _id FROM agent_files WHERE draft = ?)`, w.draft); err != nil {
			return err
		}
		for i := range applied {
			if err := c.apply(&applied[i]); err != nil {
				return err
			}
		}
		return c.endDraft(w.draft)
	})
	return applied, err
}

// apply makes one change. A file that was written as it was gets no new version.
func (c *change) apply(d *DraftChange) error {
	f := d.File
	f.draft, f.told = "", nil
	if f.base != nil {
		f.Version, f.base = *f.base, nil
	} else {
		f.Version = 0
	}
	if f.DeletedOn == nil {
		if err := c.vacant(f.Name, f.ID); err != nil {
			return err
		}
	}
	if b := d.Before; b != nil && d.Action == ActionModified && b.SHA256 == f.SHA256 && b.Name == f.Name {
		d.File = *b
		_, err := c.Exec("UPDATE agent_files SET name_key = ? WHERE draft = '' AND _id = ?", key(b.Name), b.ID)
		return err
	}
	err := c.record(&f, d.Action)
	d.File = f
	return err
}

// conflicting is the error of a draft whose files were changed since.
func conflicting(draft string, changes []DraftChange) error {
	var names []string
	for _, d := range changes {
		if d.Conflict {
			names = append(names, d.File.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return &api.Error{Code: api.CodeConflict, Kind: api.KindDraft,
		Message: fmt.Sprintf("'%s' was changed since draft '%s' was made of it", names[0], draft),
		Hint:    "Nothing was applied. Make the change anew on what the file is now, or discard the draft.",
		Details: map[string]any{"files": names}}
}

// Discard deletes a draft's changes and returns them.
func (w *Workspace) Discard(ctx context.Context) (changes []DraftChange, err error) {
	main := *w
	main.draft = ""
	err = main.change(ctx, "discard the draft", func(c *change) error {
		if changes, err = w.changes(ctx, c); err != nil {
			return err
		}
		return c.endDraft(w.draft)
	})
	return changes, err
}

func (c *change) endDraft(name string) error {
	err := sqlitedb.Each(c.ctx, c, func(rows *sql.Rows) error {
		var path string
		err := rows.Scan(&path)
		c.loose = append(c.loose, path)
		return err
	}, "SELECT disk_path FROM agent_files WHERE draft = ?", name)
	_, err2 := c.Exec("DELETE FROM agent_files WHERE draft = ?", name)
	_, err3 := c.Exec("DELETE FROM drafts WHERE name = ?", name)
	return errors.Join(err, err2, err3)
}
