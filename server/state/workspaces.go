package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// Index returns the index of a user's files and its version. A user without files has
// neither. The index is nil if its version is the known one.
func (s *Store) Index(ctx context.Context, owner, known string) (version string, index []byte, err error) {
	return indexIn(s.asking(ctx), owner, known)
}

func indexIn(c conn, owner, known string) (version string, index []byte, err error) {
	err = c.QueryRow("SELECT version, CASE WHEN version <> $2 THEN data END FROM workspaces WHERE owner = $1", owner, known).Scan(&version, &index)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil, nil
	}
	return version, index, err
}

// IndexVersions returns the versions of the indexes of those owners who have one.
func (s *Store) IndexVersions(ctx context.Context, owners []string) (map[string]string, error) {
	versions := map[string]string{}
	for part := range slices.Chunk(owners, 1024) {
		args := make([]any, 1<<bits.Len(uint(len(part)-1))) // few lengths, so that the statements stay prepared
		places := make([]string, len(args))
		for i := range args {
			args[i], places[i] = part[min(i, len(part)-1)], fmt.Sprint("$", i+1)
		}
		if err := s.asking(ctx).each(func(rows *sql.Rows) error {
			var owner, version string
			err := rows.Scan(&owner, &version)
			versions[owner] = version
			return err
		}, "SELECT owner, version FROM workspaces WHERE owner IN ("+strings.Join(places, ", ")+")", args...); err != nil {
			return nil, err
		}
	}
	return versions, nil
}

// ChangeIndex replaces the index of a user's files by what change makes of it, which is given
// what Index returns. Nobody else changes it meanwhile. The version that change was given
// leaves it as it is. CodeUnauthorized means that the user was deleted.
func (s *Store) ChangeIndex(ctx context.Context, owner, known string,
	change func(version string, index []byte) (next string, changed []byte, err error)) error {
	return s.change(ctx, "files of "+owner, func(tx conn) error {
		if err := notDeleted(tx, "id", owner); err != nil {
			return err
		}
		version, index, err := indexIn(tx, owner, known)
		if err != nil {
			return err
		}
		next, changed, err := change(version, index)
		if err != nil || next == version {
			return err
		}
		_, err = tx.Exec(`INSERT INTO workspaces (owner, version, data) VALUES ($1, $2, $3)
			ON CONFLICT (owner) DO UPDATE SET version = excluded.version, data = excluded.data`, owner, next, changed)
		return err
	})
}
