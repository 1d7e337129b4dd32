package state

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/agnes-data/da/api"
)

// Bury charges what dead processes had delivered. Reserve does so, too; a server
// calls Bury regularly, so that charges do not wait for a request.
func (s *Store) Bury(ctx context.Context) error {
	if err := s.change(ctx, unlocked, func(conn) error { return nil }); err != nil { // to learn the time
		return err
	}
	return s.settleDead(ctx)
}

func (s *Store) settleDead(ctx context.Context) error {
	var dead []string
	err := s.asking(ctx).each(func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		dead = append(dead, id)
		return err
	}, "SELECT id FROM leases WHERE expires_at <= $1", micros(s.now()))
	for _, id := range dead {
		if err == nil {
			err = s.change(ctx, unlocked, func(tx conn) error { return s.bury(tx, id) })
		}
	}
	return err
}

// buriedFor is how long a process that was considered dead can come back.
const buriedFor = 7 * 24 * time.Hour

// bury ends the lease of a dead process, and charges what it had delivered, unless
// another server has done so.
func (s *Store) bury(tx conn, lease string) error {
	var session sql.NullString
	var text string
	var sessionUse, bytes, scan int64
	now := micros(s.now())
	err := tx.QueryRow(`DELETE FROM leases WHERE id = $1 AND expires_at <= $2
		RETURNING session, CASE WHEN session_by_result = 1 THEN done_bytes ELSE session_bytes END, done_bytes, scan_bytes, event`, lease, now).
		Scan(&session, &sessionUse, &bytes, &scan, &text)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	var event api.AuditEvent
	if err := json.Unmarshal([]byte(text), &event); err != nil {
		return err
	}
	if _, err := tx.Exec("DELETE FROM buried WHERE at <= $1", now-buriedFor.Microseconds()); err != nil {
		return err
	}
	if _, err := tx.Exec("INSERT INTO buried (lease, result_bytes, at) VALUES ($1, $2, $3)", lease, bytes, now); err != nil {
		return err
	}
	internal := "internal"
	event.Data.Status, event.Data.ErrorKind = api.StatusError, &internal
	event.Data.ResultBytes = &bytes
	if scan > 0 {
		event.Data.ScanBytes = &scan // the source has billed it even though the server died
	}
	if err := s.chargeSession(tx, event.User, session.String, sessionUse); err != nil {
		return err
	}
	return s.recordAndCharge(tx, event)
}

// exhume returns what was charged when a lease was buried, and deletes that
// record.
func (s *Store) exhume(tx conn, lease string) (bytes int64, err error) {
	err = tx.QueryRow("DELETE FROM buried WHERE lease = $1 RETURNING result_bytes", lease).Scan(&bytes)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("lease %s is neither held nor buried", lease)
	}
	return bytes, err
}
