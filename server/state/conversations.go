package state

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/agnes-data/da/api"
)

// Conversations returns how many bytes the logs of a user's conversations have.
func (s *Store) Conversations(ctx context.Context, owner string) (map[string]int64, error) {
	sizes := map[string]int64{}
	err := s.asking(ctx).each(func(rows *sql.Rows) error {
		var id string
		var size int64
		err := rows.Scan(&id, &size)
		sizes[id] = size
		return err
	}, "SELECT id, size FROM conversations WHERE owner = $1", owner)
	return sizes, err
}

// ConversationLog calls f with each part of a log that ends behind a number of bytes, and
// with how many are before the part.
func (s *Store) ConversationLog(ctx context.Context, owner, id string, from int64, f func(at int64, part []byte) error) error {
	return s.asking(ctx).each(func(rows *sql.Rows) error {
		var at int64
		var part []byte
		if err := rows.Scan(&at, &part); err != nil {
			return err
		}
		return f(at, part)
	}, "SELECT at, data FROM conversation_parts WHERE owner = $1 AND id = $2 AND at + length(data) > $3 ORDER BY at", owner, id, from)
}

// HoldConversation lets holder alone add to a conversation for so long, again and again; one
// that is new is made if create says so. CodeSnapshotBusy means that somebody else holds it,
// or that it was deleted; CodeUnauthorized, that the user was.
func (s *Store) HoldConversation(ctx context.Context, owner, id, holder string, create bool, most time.Duration) error {
	return s.change(ctx, unlocked, func(tx conn) error {
		if create {
			if err := notDeleted(tx, "folder", owner); err != nil {
				return err
			}
			_, err := tx.Exec("INSERT INTO conversations (owner, id, size, holder, held_until) VALUES ($1, $2, 0, $3, 0) ON CONFLICT DO NOTHING",
				owner, id, holder)
			if err != nil {
				return err
			}
		}
		now := s.now()
		n, err := tx.Exec(`UPDATE conversations SET holder = $3, held_until = $4
			WHERE owner = $1 AND id = $2 AND (holder = $3 OR held_until < $5)`, owner, id, holder, micros(now.Add(most)), micros(now))
		if err == nil && n == 0 {
			err = &api.Error{Code: api.CodeSnapshotBusy, Kind: api.KindConversationBusy,
				Message: "another server has the conversation " + id + " open", Hint: "Wait until it has ended, or begin a new conversation."}
		}
		return err
	})
}

// ReleaseConversation ends what HoldConversation has begun.
func (s *Store) ReleaseConversation(ctx context.Context, owner, id, holder string) error {
	return s.change(ctx, unlocked, func(tx conn) error {
		_, err := tx.Exec("UPDATE conversations SET held_until = 0 WHERE owner = $1 AND id = $2 AND holder = $3", owner, id, holder)
		return err
	})
}

// AppendConversation adds a part to a log that has so many bytes. It reports false if holder
// does not hold the conversation any more, or it was deleted.
func (s *Store) AppendConversation(ctx context.Context, owner, id, holder string, size int64, part []byte) (done bool, err error) {
	err = s.change(ctx, unlocked, func(tx conn) error {
		n, err := tx.Exec("UPDATE conversations SET size = $4 WHERE owner = $1 AND id = $2 AND holder = $3 AND size = $5",
			owner, id, holder, size+int64(len(part)), size)
		if done = n == 1; err != nil || !done {
			return err
		}
		_, err = tx.Exec("INSERT INTO conversation_parts (owner, id, at, data) VALUES ($1, $2, $3, $4)", owner, id, size, part)
		return err
	})
	return done, err
}

// DeleteConversation removes a conversation.
func (s *Store) DeleteConversation(ctx context.Context, owner, id string) error {
	return s.change(ctx, unlocked, func(tx conn) error {
		_, err := tx.Exec("DELETE FROM conversations WHERE owner = $1 AND id = $2", owner, id)
		return err
	})
}

// ModelCost returns what the model has cost a user on the day of now (UTC), in units of 10^-9.
func (s *Store) ModelCost(ctx context.Context, owner string) (day string, cost int64, err error) {
	return modelCost(s.asking(ctx), owner, s.now())
}

func modelCost(c conn, owner string, now time.Time) (day string, cost int64, err error) {
	day = now.UTC().Format(time.DateOnly)
	err = c.QueryRow("SELECT cost FROM model_costs WHERE owner = $1 AND day = $2", owner, day).Scan(&cost)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return day, cost, err
}

// ChangeModelCost writes down what change makes of the cost of a day, unless it returns
// false. It reports whether it did.
func (s *Store) ChangeModelCost(ctx context.Context, owner string,
	change func(day string, cost int64) (next int64, write bool)) (changed bool, err error) {
	err = s.change(ctx, "model of "+owner, func(tx conn) error {
		day, cost, err := modelCost(tx, owner, s.now())
		if err != nil {
			return err
		}
		if cost, changed = change(day, cost); !changed {
			return nil
		}
		_, err = tx.Exec(`INSERT INTO model_costs (owner, day, cost) VALUES ($1, $2, $3)
			ON CONFLICT (owner) DO UPDATE SET day = excluded.day, cost = excluded.cost`, owner, day, cost)
		return err
	})
	return changed && err == nil, err
}
