package state

import (
	"context"
	"database/sql"
	"time"

	"github.com/agnes-data/da/api"
)

// used is a user's usage today and current reservations, and those of a session.
type used struct {
	result, scan           int64
	heldResult, heldScan   int64
	running                int64
	session, heldBySession int64
}

// usage reads all of it with one statement, so that what a request moves from its
// reservation to the usage meanwhile is counted once. A lease that has run out holds
// what it is going to be charged.
func (c conn) usage(subject, session string, now time.Time) (u used, err error) {
	err = c.QueryRow(`SELECT coalesce((SELECT result_bytes FROM usage WHERE subject = $1 AND day = $2), 0),
			coalesce((SELECT scan_bytes FROM usage WHERE subject = $1 AND day = $2), 0),
			coalesce((SELECT used_bytes FROM sessions WHERE subject = $1 AND name = $3), 0),
			coalesce(sum(CASE WHEN expires_at > $4 THEN result_bytes ELSE done_bytes END), 0), coalesce(sum(scan_bytes), 0),
			coalesce(sum(CASE WHEN expires_at > $4 THEN slot ELSE 0 END), 0),
			coalesce(sum(CASE WHEN session = $3 THEN session_bytes ELSE 0 END), 0)
		FROM leases WHERE subject = $1`, subject, day(now), session, micros(now)).
		Scan(&u.result, &u.scan, &u.session, &u.heldResult, &u.heldScan, &u.running, &u.heldBySession)
	return u, err
}

// Limits are the limits of a user; 0 means no limit. To forbid everything, pass
// 1: every answer is longer than 1 byte.
type Limits struct {
	Daily, Running int64
	Session        string
	SessionBudget  int64
}

// Quota returns what a user has used and what is left.
func (s *Store) Quota(ctx context.Context, user string, limits Limits) (*api.QuotaStatus, error) {
	now := s.now()
	u, err := s.asking(ctx).usage(user, limits.Session, now)
	if err == nil {
		err = s.asking(ctx).allow(user, &limits)
	}
	if err != nil {
		return nil, err
	}
	q := &api.QuotaStatus{User: user, Day: day(now), ResetsAt: midnight(now), ResultBytes: u.result, ScanBytes: u.scan,
		ReservedBytes: u.heldResult, Running: u.running}
	if limits.Running > 0 {
		q.RunningLimit = &limits.Running
	}
	if limits.Daily > 0 {
		left := max(0, limits.Daily-max(u.result+u.heldResult, u.scan+u.heldScan))
		q.DailyBytesLimit, q.Remaining.QuotaBytes = &limits.Daily, &left
	}
	if limits.Session != "" && limits.SessionBudget > 0 {
		left := max(0, limits.SessionBudget-u.session-u.heldBySession)
		q.Remaining.SessionBytes = &left
	}
	return q, nil
}

// Quotas returns the quotas of all users with usage or reservations today.
func (s *Store) Quotas(ctx context.Context, limits Limits) ([]api.QuotaStatus, error) {
	now := s.now()
	var names []string
	err := s.asking(ctx).each(func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		names = append(names, name)
		return err
	}, "SELECT subject FROM usage WHERE day = $1 UNION SELECT subject FROM leases WHERE expires_at > $2 ORDER BY 1", day(now), micros(now))
	if err != nil {
		return nil, err
	}
	list := []api.QuotaStatus{}
	for _, name := range names {
		q, err := s.Quota(ctx, name, limits)
		if err != nil {
			return nil, err
		}
		list = append(list, *q)
	}
	return list, nil
}

// chargeDay adds to a user's usage on a day.
func chargeDay(tx conn, subject, day string, result, scan int64) error {
	_, err := tx.Exec(`INSERT INTO usage (subject, day, result_bytes, scan_bytes) VALUES ($1, $2, $3, $4)
		ON CONFLICT (subject, day) DO UPDATE SET result_bytes = usage.result_bytes + excluded.result_bytes, scan_bytes = usage.scan_bytes + excluded.scan_bytes`,
		subject, day, result, scan)
	return err
}

// chargeSession adds to a session's usage.
func (s *Store) chargeSession(tx conn, subject, session string, bytes int64) error {
	if session == "" {
		return nil
	}
	_, err := tx.Exec(`INSERT INTO sessions (subject, name, used_bytes, updated_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (subject, name) DO UPDATE SET used_bytes = sessions.used_bytes + excluded.used_bytes, updated_at = excluded.updated_at`,
		subject, session, bytes, micros(s.now()))
	return err
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// midnight is the end of t's day.
func midnight(t time.Time) time.Time {
	y, m, d := t.UTC().Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, time.UTC)
}
