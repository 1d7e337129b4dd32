package workspace

import (
	"database/sql"
	"errors"
	"fmt"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/sqlitedb"
	"github.com/agnes-data/da/internal/words/humanize"
)

// old are versions that are not the current one of a file.
const old = ` FROM file_versions v LEFT JOIN agent_files f ON f._id = v.file_id AND f.draft = ''
	WHERE (f._id IS NULL OR f.deleted_on IS NOT NULL OR f.version <> v.version)`

// keep removes the versions of a file that are no longer needed, and the oldest
// versions of all files if the workspace is over its limit. It fails with
// CodeTooLarge if that does not free enough space.
func (c *change) keep(id string) error {
	expired := c.w.expired()
	if err := c.dropVersions("v.file_id = ?1 AND v.modified_on < ?2 AND v.version <= (SELECT max(version) FROM file_versions WHERE file_id = ?1) - ?3", -1, id, expired, keepVersions); err != nil {
		return err
	}
	if err := c.dropVersions("f.deleted_on < ?1", -1, expired); err != nil {
		return err
	}
	if err := c.release(); err != nil {
		return err
	}
	for {
		var total int64
		if err := c.QueryRowContext(c.ctx, "SELECT coalesce(sum(size), 0) FROM contents").Scan(&total); err != nil {
			return err
		}
		if total <= c.w.MaxTotal {
			return nil
		}
		gone := c.gone
		if err := c.dropVersions("true", 1); err != nil {
			return err
		}
		if c.gone == gone {
			return c.full(total)
		}
		if err := c.release(); err != nil {
			return err
		}
	}
}

// full is the error of a workspace whose limit a change would pass.
func (c *change) full(total int64) error {
	return &api.Error{
		Code: api.CodeTooLarge, Kind: api.KindWorkspaceFull,
		Message: fmt.Sprintf("the workspace would hold %s, more than its limit of %s", humanize.Bytes(total), humanize.Bytes(c.w.MaxTotal)),
		Hint:    "Nothing was stored. Delete files that are not needed any more for good, or raise the limit (files: max_total_mb in the config).",
		Next:    []api.Step{api.Do(api.ActionFiles, "see what takes the room")},
		Details: map[string]any{"total_bytes": total, "max_total_bytes": c.w.MaxTotal},
	}
}

// dropVersions removes at most so many old versions that fulfil a condition, the
// oldest first; negative: all of them.
func (c *change) dropVersions(where string, most int, args ...any) error {
	type row struct {
		id, path string
		version  int64
	}
	var rows []row
	err := sqlitedb.Each(c.ctx, c, func(r *sql.Rows) error {
		var x row
		err := r.Scan(&x.id, &x.version, &x.path)
		rows = append(rows, x)
		return err
	}, fmt.Sprintf("SELECT v.file_id, v.version, v.disk_path%s AND (%s) ORDER BY v.modified_on, v.version LIMIT %d", old, where, most),
		args...)
	if err != nil {
		return err
	}
	for _, x := range rows {
		_, err := c.Exec("DELETE FROM file_versions WHERE file_id = ? AND version = ?", x.id, x.version)
		// A deleted file is removed together with its last version.
		_, err2 := c.Exec(`DELETE FROM agent_files WHERE draft = '' AND _id = ?1 AND deleted_on IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM file_versions WHERE file_id = ?1)`, x.id)
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		c.loose = append(c.loose, x.path)
		if most > 0 {
			c.gone++
		}
	}
	return nil
}
