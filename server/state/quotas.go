package state

import (
	"context"
	"database/sql"

	"github.com/agnes-data/da/api"
)

// allow puts the quotas of a user into limits: its own, or else the highest of its groups.
// Where there are none, and where nothing is limited, they stay.
func (c conn) allow(user string, l *Limits) error {
	if l.Daily <= 0 && l.Running <= 0 {
		return nil
	}
	var own, groups Limits
	err := c.each(func(rows *sql.Rows) error {
		var daily, running sql.NullInt64
		var ofUser bool
		if err := rows.Scan(&ofUser, &daily, &running); err != nil {
			return err
		}
		to := &groups
		if ofUser {
			to = &own
		}
		if daily.Valid {
			to.Daily = max(to.Daily, daily.Int64, 1) // 1 byte is too little for any answer
		}
		to.Running = max(to.Running, running.Int64)
		return nil
	}, `SELECT user_id IS NOT NULL, daily_bytes, running FROM quotas WHERE user_id = (SELECT id FROM users WHERE name = $1)
		OR group_id IN (SELECT m.group_id FROM members m JOIN users u ON u.id = m.user_id WHERE u.name = $1)`, user)
	for _, found := range []Limits{groups, own} {
		if found.Daily > 0 {
			l.Daily = found.Daily
		}
		if found.Running > 0 {
			l.Running = found.Running
		}
	}
	return err
}

// QuotaRules lists what users and groups may use in place of what the instance allows.
func (s *Store) QuotaRules(ctx context.Context) ([]api.QuotaRule, error) {
	list := []api.QuotaRule{}
	err := s.asking(ctx).each(func(rows *sql.Rows) error {
		var q api.QuotaRule
		err := rows.Scan(&q.User, &q.Group, &q.DailyBytes, &q.Running)
		list = append(list, q)
		return err
	}, `SELECT coalesce(u.name, ''), coalesce(g.name, ''), q.daily_bytes, q.running
		FROM quotas q LEFT JOIN users u ON u.id = q.user_id LEFT JOIN groups g ON g.id = q.group_id ORDER BY 1, 2`)
	return list, err
}

// SetQuota sets what a user or each member of a group may use; without figures that is
// what the instance allows.
func (s *Store) SetQuota(ctx context.Context, q api.QuotaRule) error {
	if (q.User == "") == (q.Group == "") {
		return bad(api.KindParameter, "a quota is for a user or for a group")
	}
	if q.DailyBytes != nil && *q.DailyBytes < 0 || q.Running != nil && *q.Running < 1 {
		return bad(api.KindParameter, "the bytes of a day are not negative, and at least one request may run")
	}
	return s.change(ctx, rights, func(tx conn) error {
		table, what, name, column := "users", "user", q.User, "user_id"
		if q.Group != "" {
			table, what, name, column = "groups", "group", q.Group, "group_id"
		}
		id, err := lookup(tx, table, what, name)
		if err != nil {
			return err
		}
		if _, err := tx.Exec("DELETE FROM quotas WHERE "+column+" = $1", id); err != nil || q.DailyBytes == nil && q.Running == nil {
			return err
		}
		_, err = tx.Exec("INSERT INTO quotas ("+column+", daily_bytes, running) VALUES ($1, $2, $3)", id, q.DailyBytes, q.Running)
		return err
	})
}
