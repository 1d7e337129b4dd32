package workspace

import (
	"context"
	"database/sql"
	"errors"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/sqlitedb"
	"github.com/agnes-data/da/internal/disk/store"
)

// Copy creates a new file with the same content.
func (w *Workspace) Copy(ctx context.Context, ref, newName string) (File, error) {
	name, err := CleanName(newName)
	if err != nil {
		return File{}, err
	}
	var made File
	err = w.change(ctx, "copy a file", func(c *change) error {
		f, err := c.find(ref, 0)
		if err == nil {
			err = c.vacant(name, "")
		}
		if err != nil {
			return err
		}
		made = c.fresh(name, Derived)
		made.path, made.MIMEType, made.Size, made.SHA256, made.told = f.path, f.MIMEType, f.Size, f.SHA256, f.told
		return c.record(&made, ActionCreated)
	})
	return made, err
}

// Rename gives a file another name, or moves it to another folder.
func (w *Workspace) Rename(ctx context.Context, ref, newName string, ifVersion int64) (f File, err error) {
	name, err := CleanName(newName)
	if err != nil {
		return File{}, err
	}
	err = w.change(ctx, "rename a file", func(c *change) (err error) {
		if f, err = c.find(ref, ifVersion); err != nil || f.Name == name {
			return err
		}
		if err := c.vacant(name, f.ID); err != nil {
			return err
		}
		f.Name = name
		return c.record(&f, ActionRenamed)
	})
	return f, err
}

// Delete deletes a file, which can be restored for 30 days unless the workspace
// is full.
func (w *Workspace) Delete(ctx context.Context, ref string, ifVersion int64) (f File, err error) {
	err = w.change(ctx, "delete a file", func(c *change) (err error) {
		if f, err = c.find(ref, ifVersion); err != nil {
			return err
		}
		now := w.Now()
		f.DeletedOn = &now
		return c.record(&f, ActionDeleted)
	})
	return f, err
}

// Purge permanently removes a file and all of its versions, even if the file has
// already been deleted. It fails with CodeUsage in a draft.
func (w *Workspace) Purge(ctx context.Context, ref string, ifVersion int64) (f File, err error) {
	if w.draft != "" {
		return File{}, &api.Error{Code: api.CodeUsage, Message: "a draft cannot remove a file for good",
			Hint: "Delete it in the draft, or remove it for good outside of the draft."}
	}
	err = w.change(ctx, "remove a file", func(c *change) (err error) {
		f, err = c.find(ref, ifVersion)
		if api.CodeUnknownFile.Is(err) && ifVersion == 0 {
			if deleted, findErr := w.findDeleted(ctx, c, ref); findErr == nil {
				f, err = deleted, nil
			}
		}
		if err != nil {
			return err
		}
		return c.purge(f)
	})
	return f, err
}

func (c *change) purge(f File) error {
	c.done = store.StepRecordRemoved
	c.loose = append(c.loose, f.path)
	err := sqlitedb.Each(c.ctx, c, func(rows *sql.Rows) error {
		var path string
		err := rows.Scan(&path)
		c.loose = append(c.loose, path)
		return err
	}, "SELECT DISTINCT disk_path FROM file_versions WHERE file_id = ?", f.ID)
	_, err2 := c.Exec("DELETE FROM agent_files WHERE draft = '' AND _id = ?", f.ID)
	_, err3 := c.Exec("DELETE FROM file_versions WHERE file_id = ?", f.ID)
	if err := errors.Join(err, err2, err3); err != nil || f.DeletedOn != nil {
		return err
	}
	return c.tell(ActionDeleted, f)
}

// Restore restores a deleted file, or makes the content of an older version the
// next version. Version 0 is the last version of a deleted file. If name is not
// empty, the restored file gets that name.
func (w *Workspace) Restore(ctx context.Context, ref string, version int64, name string) (f File, err error) {
	if name != "" {
		if name, err = CleanName(name); err != nil {
			return File{}, err
		}
	}
	err = w.change(ctx, "restore a file", func(c *change) (err error) {
		f, err = c.restorable(ref, version)
		if err != nil {
			return err
		}
		if version != 0 {
			v, err := w.version(ctx, c, f, version)
			if err != nil {
				return err
			}
			if f.draft != "" {
				c.loose = append(c.loose, f.path)
			}
			f.told = nil
			f.path, f.MIMEType, f.Size, f.SHA256 = v.path, v.MIMEType, v.Size, v.SHA256
		}
		if name != "" {
			f.Name = name
		}
		f.DeletedOn = nil
		if err := c.vacant(f.Name, f.ID); err != nil {
			return err
		}
		return c.record(&f, ActionRestored)
	})
	return f, err
}

// restorable looks up the file to restore: an existing file if one of its
// versions is restored, otherwise a deleted file.
func (c *change) restorable(ref string, version int64) (File, error) {
	f, err := c.find(ref, 0)
	if err == nil && version == 0 {
		return f, &api.Error{Code: api.CodeUsage, Message: "'" + f.Name + "' is not deleted",
			Hint: "To go back to an older version, name its number.",
			Next: []api.Step{api.Do(api.ActionFileVersions, "see the versions", "file", f.Name)}}
	}
	if api.CodeUnknownFile.Is(err) {
		if deleted, findErr := c.w.findDeleted(c.ctx, c, ref); findErr == nil {
			return deleted, nil
		}
	}
	return f, err
}
