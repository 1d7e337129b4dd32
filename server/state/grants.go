package state

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
)

// CreateGrant stores a grant. Its columns and predicate have been checked.
func (s *Store) CreateGrant(ctx context.Context, g api.NewGrant, by string) (*api.Grant, error) {
	if (g.User == "") == (g.Group == "") {
		return nil, bad(api.KindBadGrant, "a grant is for a user or for a group")
	}
	out := &api.Grant{TableID: g.TableID, Columns: g.Columns, Rows: g.Rows, Masks: g.Masks,
		CreatedAt: s.now().UTC().Truncate(time.Microsecond), CreatedBy: by}
	var columns, rule, masks sql.NullString
	if len(g.Masks) > 0 {
		text, err := json.Marshal(g.Masks)
		if err != nil {
			return nil, err
		}
		masks = sql.NullString{String: string(text), Valid: true}
	}
	if g.Columns != nil {
		text, err := json.Marshal(g.Columns)
		if err != nil {
			return nil, err
		}
		columns = sql.NullString{String: string(text), Valid: true}
	}
	if g.Rows != "" {
		rule = sql.NullString{String: g.Rows, Valid: true}
	}
	err := s.renew(ctx, ofGrants, func(tx conn) error {
		var user, group sql.NullInt64
		table, what, name, to := "users", "user", g.User, &user
		if g.Group != "" {
			table, what, name, to = "groups", "group", g.Group, &group
		}
		id, err := lookup(tx, table, what, name)
		if err != nil {
			return err
		}
		*to = sql.NullInt64{Int64: id, Valid: true}
		out.User, out.Group = strings.ToLower(g.User), strings.ToLower(g.Group)
		return tx.QueryRow("INSERT INTO grants (user_id, group_id, table_id, columns, rows, masks, created_at, created_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id",
			user, group, g.TableID, columns, rule, masks, micros(out.CreatedAt), by).Scan(&out.ID)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// RevokeGrant ends a grant.
func (s *Store) RevokeGrant(ctx context.Context, id int64) error {
	return s.renew(ctx, ofGrants, func(tx conn) error {
		n, err := tx.Exec("DELETE FROM grants WHERE id = $1", id)
		if err != nil || n > 0 {
			return err
		}
		e := bad(api.KindUnknownGrant, "there is no grant %d", id)
		e.Next = []api.Step{api.Do(api.ActionListAdmin, "see the grants", "what", "grant")}
		return e
	})
}

const grantColumns = `SELECT g.id, coalesce(u.name, ''), coalesce(gr.name, ''), g.table_id, g.columns, g.rows, g.masks, g.created_at, g.created_by
	FROM grants g LEFT JOIN users u ON u.id = g.user_id LEFT JOIN groups gr ON gr.id = g.group_id `

// Grants lists the grants on a table; an empty tableID lists all.
func (s *Store) Grants(ctx context.Context, tableID string) ([]api.Grant, error) {
	return s.grants(ctx, grantColumns+"WHERE $1 IN ('', g.table_id) ORDER BY g.table_id, g.id", tableID)
}

// GrantsOf lists what a user can read, directly or through groups, on all tables,
// so that one query is enough for a whole request.
func (s *Store) GrantsOf(ctx context.Context, user int64) ([]api.Grant, error) {
	return s.grants(ctx, grantColumns+`WHERE g.user_id = $1
		OR g.group_id IN (SELECT group_id FROM members WHERE user_id = $1) ORDER BY g.id`, user)
}

func (s *Store) grants(ctx context.Context, query string, args ...any) ([]api.Grant, error) {
	list := []api.Grant{}
	err := s.asking(ctx).each(func(rows *sql.Rows) error {
		var g api.Grant
		var at int64
		var columns, rule, masks sql.NullString
		if err := rows.Scan(&g.ID, &g.User, &g.Group, &g.TableID, &columns, &rule, &masks, &at, &g.CreatedBy); err != nil {
			return err
		}
		g.CreatedAt, g.Rows = fromMicros(at), rule.String
		if columns.Valid {
			g.Columns = []string{}
			if err := json.Unmarshal([]byte(columns.String), &g.Columns); err != nil {
				return err
			}
		}
		if masks.Valid {
			if err := json.Unmarshal([]byte(masks.String), &g.Masks); err != nil {
				return err
			}
		}
		list = append(list, g)
		return nil
	}, query, args...)
	return list, err
}

// RegisterTable stores a table. Its source and relation have been checked.
func (s *Store) RegisterTable(ctx context.Context, t api.RegisteredTable, by string) (*api.RegisteredTable, error) {
	at := s.now().UTC().Truncate(time.Microsecond)
	t.CreatedAt, t.CreatedBy = &at, by
	err := s.renew(ctx, ofTables, func(tx conn) error {
		added, err := tx.Exec("INSERT INTO registered (id, source, relation, query_mode, description, public, created_at, created_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
			t.ID, t.Source, t.Relation, t.QueryMode, t.Description, t.Public, micros(at), by)
		if err == nil && added == 0 {
			e := bad(api.KindTableExists, "a table '%s' is registered already", t.ID)
			e.Next = []api.Step{api.Do(api.ActionUnregister, "remove that one first", "table_id", t.ID)}
			return e
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &t, nil
}

// UnregisterTable removes a table and its grants. They must not apply to another
// table that gets the same id later.
func (s *Store) UnregisterTable(ctx context.Context, id string) error {
	return s.renew(ctx, ofTables, func(tx conn) error {
		n, err := tx.Exec("DELETE FROM registered WHERE id = $1", id)
		if err != nil {
			return err
		}
		if n == 0 {
			e := bad(api.KindUnknownTable, "no table '%s' is registered", api.Clip(id, 80))
			e.Hint = "Tables of the instance file are changed there."
			e.Next = []api.Step{api.Do(api.ActionListAdmin, "see the registered tables", "what", "table")}
			return e
		}
		_, err = tx.Exec("DELETE FROM grants WHERE table_id = $1", id)
		return err
	})
}

// RegisteredTables lists the tables by id.
func (s *Store) RegisteredTables(ctx context.Context) ([]api.RegisteredTable, error) {
	list := []api.RegisteredTable{}
	err := s.asking(ctx).each(func(rows *sql.Rows) error {
		var t api.RegisteredTable
		var at int64
		if err := rows.Scan(&t.ID, &t.Source, &t.Relation, &t.QueryMode, &t.Description, &t.Public, &at, &t.CreatedBy); err != nil {
			return err
		}
		created := fromMicros(at)
		t.CreatedAt = &created
		list = append(list, t)
		return nil
	}, "SELECT id, source, relation, query_mode, description, public, created_at, created_by FROM registered ORDER BY id")
	return slices.Clip(list), err
}
