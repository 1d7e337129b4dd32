package state

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/sqlitedb"
)

// used is a user's usage today and current reservations.
type used struct {
	result, scan         int64
	heldResult, heldScan int64
	running              int64
}

// rowQuerier is a database or a transaction.
type rowQuerier interface {
	QueryRow(query string, args ...any) *sql.Row
}

func (s *Store) usage(q rowQuerier, subject string, now time.Time) (u used, err error) {
	err = q.QueryRow("SELECT result_bytes, scan_bytes FROM usage WHERE subject = ? AND day = ?", subject, day(now)).Scan(&u.result, &u.scan)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return u, err
	}
	err = q.QueryRow("SELECT coalesce(sum(result_bytes), 0), coalesce(sum(scan_bytes), 0), coalesce(sum(slot), 0) FROM leases WHERE subject = ? AND expires_at > ?",
		subject, micros(now)).Scan(&u.heldResult, &u.heldScan, &u.running)
	return u, err
}

func (s *Store) session(q rowQuerier, subject, name string) (used, held int64, err error) {
	err = q.QueryRow("SELECT used_bytes FROM sessions WHERE subject = ? AND name = ?", subject, name).Scan(&used)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, 0, err
	}
	err = q.QueryRow("SELECT coalesce(sum(session_bytes), 0) FROM leases WHERE subject = ? AND session = ?", subject, name).Scan(&held)
	return used, held, err
}

// Limits are the limits of a user; 0 means no limit. To forbid everything, pass
// 1: every answer is longer than 1 byte.
type Limits struct {
	Daily, Running int64
	Session        string
	SessionBudget  int64
}

// Quota returns what a user has used and what is left.
func (s *Store) Quota(_ context.Context, user string, limits Limits) (*api.QuotaStatus, error) {
	now := s.now()
	u, err := s.usage(s.read, user, now)
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
		used, held, err := s.session(s.read, user, limits.Session)
		if err != nil {
			return nil, err
		}
		left := max(0, limits.SessionBudget-used-held)
		q.Remaining.SessionBytes = &left
	}
	return q, nil
}

// Quotas returns the quotas of all users with usage or reservations today.
func (s *Store) Quotas(ctx context.Context, limits Limits) ([]api.QuotaStatus, error) {
	now := s.now()
	var names []string
	err := sqlitedb.Each(ctx, s.read, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		names = append(names, name)
		return err
	}, "SELECT subject FROM usage WHERE day = ? UNION SELECT subject FROM leases WHERE expires_at > ? ORDER BY 1", day(now), micros(now))
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
func chargeDay(tx *sql.Tx, subject, day string, result, scan int64) error {
	_, err := tx.Exec(`INSERT INTO usage (subject, day, result_bytes, scan_bytes) VALUES (?, ?, ?, ?)
		ON CONFLICT (subject, day) DO UPDATE SET result_bytes = result_bytes + excluded.result_bytes, scan_bytes = scan_bytes + excluded.scan_bytes`,
		subject, day, result, scan)
	return err
}

// chargeSession adds to a session's usage.
func (s *Store) chargeSession(tx *sql.Tx, subject, session string, bytes int64) error {
	if session == "" {
		return nil
	}
	_, err := tx.Exec(`INSERT INTO sessions (subject, name, used_bytes, updated_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (subject, name) DO UPDATE SET used_bytes = used_bytes + excluded.used_bytes, updated_at = excluded.updated_at`,
		subject, session, bytes, micros(s.now()))
	return err
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// midnight is the end of t's day.
func midnight(t time.Time) time.Time {
	y, m, d := t.UTC().Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, time.UTC)
}
