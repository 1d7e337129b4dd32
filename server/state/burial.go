package state

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/sqlitedb"
)

// Bury charges what dead processes had delivered. Reserve does so, too; a server
// calls Bury regularly, so that charges do not wait for a request.
func (s *Store) Bury(ctx context.Context) error {
	now := s.now()
	var dead bool
	err := s.read.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM leases WHERE expires_at <= ?)", micros(now)).Scan(&dead)
	if err != nil || !dead {
		return err
	}
	return s.change(ctx, func(tx *sql.Tx) error { return s.bury(tx, now) })
}

// buriedFor is how long a process that was considered dead can come back.
const buriedFor = 7 * 24 * time.Hour

// bury ends the leases of dead processes, and charges what they had delivered.
func (s *Store) bury(tx *sql.Tx, now time.Time) error {
	type dead struct {
		id, session string
		bytes, scan int64
		sessionUse  int64
		event       api.AuditEvent
	}
	var all []dead
	err := sqlitedb.Each(context.Background(), tx, func(rows *sql.Rows) error {
		var d dead
		var event string
		var session sql.NullString
		if err := rows.Scan(&d.id, &session, &d.sessionUse, &d.bytes, &d.scan, &event); err != nil {
			return err
		}
		d.session = session.String
		if err := json.Unmarshal([]byte(event), &d.event); err != nil {
			return err
		}
		all = append(all, d)
		return nil
	}, `SELECT id, session, CASE WHEN session_by_result THEN done_bytes ELSE session_bytes END, done_bytes, scan_bytes, event
		FROM leases WHERE expires_at <= ?`, micros(now))
	if err != nil || len(all) == 0 {
		return err
	}
	if _, err := tx.Exec("DELETE FROM buried WHERE at <= ?", micros(now.Add(-buriedFor))); err != nil {
		return err
	}
	for _, d := range all {
		if _, err := tx.Exec("DELETE FROM leases WHERE id = ?", d.id); err != nil {
			return err
		}
		if _, err := tx.Exec("INSERT INTO buried (lease, result_bytes, at) VALUES (?, ?, ?)", d.id, d.bytes, micros(now)); err != nil {
			return err
		}
		internal := "internal"
		d.event.Data.Status, d.event.Data.ErrorKind = api.StatusError, &internal
		d.event.Data.ResultBytes = &d.bytes
		if d.scan > 0 {
			d.event.Data.ScanBytes = &d.scan // the source has billed it even though the server died
		}
		if err := s.chargeSession(tx, d.event.User, d.session, d.sessionUse); err != nil {
			return err
		}
		if err := s.recordAndCharge(tx, d.event); err != nil {
			return err
		}
	}
	return nil
}

// exhume returns what was charged when a lease was buried, and deletes that
// record.
func (s *Store) exhume(tx *sql.Tx, lease string) (bytes int64, err error) {
	err = tx.QueryRow("DELETE FROM buried WHERE lease = ? RETURNING result_bytes", lease).Scan(&bytes)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("lease %s is neither held nor buried", lease)
	}
	return bytes, err
}
