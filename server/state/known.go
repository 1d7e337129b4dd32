package state

import (
	"context"
	"database/sql"
	"errors"

	"github.com/agnes-data/da/api"
)

// Known is something that people keep about their data, in the core's own form.
type Known struct {
	Kind, Name, Owner, Data string
}

// Known lists what is kept of a kind, by name.
func (s *Store) Known(ctx context.Context, kind string) ([]Known, error) {
	list := []Known{}
	err := s.asking(ctx).each(func(rows *sql.Rows) error {
		k := Known{Kind: kind}
		err := rows.Scan(&k.Name, &k.Owner, &k.Data)
		list = append(list, k)
		return err
	}, "SELECT name, owner, data FROM known WHERE kind = $1 ORDER BY name", kind)
	return list, err
}

// ChangeKnown replaces what is kept under a name by what change makes of it; nil
// stands for nothing, before and after. Nobody else changes anything meanwhile.
func (s *Store) ChangeKnown(ctx context.Context, kind, name string, change func(old *Known) (*Known, error)) error {
	return s.change(ctx, rights, func(tx conn) error {
		old := &Known{Kind: kind, Name: name}
		err := tx.QueryRow("SELECT owner, data FROM known WHERE kind = $1 AND name = $2", kind, name).Scan(&old.Owner, &old.Data)
		if errors.Is(err, sql.ErrNoRows) {
			old, err = nil, nil
		}
		if err != nil {
			return err
		}
		k, err := change(old)
		switch {
		case err != nil:
			return err
		case k == nil:
			_, err = tx.Exec("DELETE FROM known WHERE kind = $1 AND name = $2", kind, name)
			return err
		case old != nil:
			_, err = tx.Exec("UPDATE known SET owner = $3, data = $4 WHERE kind = $1 AND name = $2", kind, name, k.Owner, k.Data)
			return err
		}
		var kept int
		if err := tx.QueryRow("SELECT count(*) FROM known WHERE owner = $1", k.Owner).Scan(&kept); err != nil {
			return err
		}
		if kept >= api.MaxKnown {
			return bad(api.KindTooManyKept, "you keep %d notes and questions, and no more is possible", kept)
		}
		_, err = tx.Exec("INSERT INTO known (kind, name, owner, data) VALUES ($1, $2, $3, $4)", kind, name, k.Owner, k.Data)
		return err
	})
}

// IsMember reports whether a user is in a group.
func (s *Store) IsMember(ctx context.Context, user int64, group string) (bool, error) {
	var n int
	err := s.asking(ctx).QueryRow("SELECT count(*) FROM members m JOIN groups g ON g.id = m.group_id WHERE m.user_id = $1 AND g.name = $2", user, group).Scan(&n)
	return n > 0, err
}
