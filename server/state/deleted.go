package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/agnes-data/da/api"
)

// FilesFolder is the folder of an owner's files, below that of the state.
func FilesFolder(stateDir, owner string) string { return filepath.Join(stateDir, "files", owner) }

// Deleted is a deleted user. Files and Folder name the folders that held their files and
// conversations.
type Deleted struct{ Name, Files, Folder string }

// writesFor is how long a request of a deleted user can go on.
const writesFor = 7 * 24 * time.Hour

// SweepDeleted removes folders of deleted users on this machine, and rows that their last
// requests wrote. It returns the users that were deleted in the last writesFor.
func (s *Store) SweepDeleted(ctx context.Context) (recent []Deleted, err error) {
	after := micros(s.now().Add(-writesFor))
	var all []Deleted
	err = s.asking(ctx).each(func(rows *sql.Rows) error {
		var d Deleted
		var id, at int64
		err := rows.Scan(&id, &d.Name, &d.Folder, &at)
		d.Files = strconv.FormatInt(id, 10)
		if all = append(all, d); at > after {
			recent = append(recent, d)
		}
		return err
	}, "SELECT id, name, folder, at FROM deleted_users")
	if err != nil {
		return nil, err
	}
	for _, d := range all {
		err = errors.Join(err, s.removeFolders(d))
	}
	for _, d := range recent { // one that fails stops no other
		err = errors.Join(err, s.change(ctx, unlocked, func(tx conn) error { return removeRows(tx, d) }))
	}
	return recent, err
}

// removeFolders removes what this machine has of a user.
func (s *Store) removeFolders(d Deleted) error {
	if s.dir == "" {
		return nil
	}
	if err := errors.Join(os.RemoveAll(UserFolder(s.dir, d.Folder)), os.RemoveAll(FilesFolder(s.dir, d.Files))); err != nil {
		return fmt.Errorf("remove the files and conversations of a user: %w", err)
	}
	return nil
}

// removeRows removes what servers share of a user.
func removeRows(tx conn, d Deleted) error {
	for table, owner := range map[string]string{"workspaces": d.Files, "conversations": d.Folder, "model_costs": d.Folder} {
		if _, err := tx.Exec("DELETE FROM "+table+" WHERE owner = $1", owner); err != nil {
			return err
		}
	}
	return nil
}

// notDeleted returns CodeUnauthorized if the user whose id or folder (column) is owner was
// deleted.
func notDeleted(tx conn, column, owner string) error {
	var deleted int
	err := tx.QueryRow("SELECT 1 FROM deleted_users WHERE CAST("+column+" AS TEXT) = $1", owner).Scan(&deleted)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err == nil {
		err = unauthorized(api.KindUserDeleted, "the user was deleted")
	}
	return err
}
