package state

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/agnes-data/da/api"
)

// Leases: how long one lives without its holder, and how often it is renewed.
const (
	LeaseTime  = 60 * time.Second
	renewEvery = 15 * time.Second
)

// Claim is what a request wants to hold while it runs. A limit of 0 is none.
type Claim struct {
	Subject     string // the user's name
	ResultBytes int64  // most that may be delivered
	ScanBytes   int64  // most that may be billed

	// Slotless requests hold bytes, and don't count as running.
	Slotless   bool
	MaxRunning int64
	MaxDaily   int64 // of either counter

	Session       string // empty: none
	SessionBytes  int64  // what the request takes of the session's budget
	SessionBudget int64
	// SessionByResult says that the session is charged what was delivered.
	SessionByResult bool

	// Event is the audit row of a request whose process died.
	Event api.AuditEvent
}

// Lease is what a running request holds.
type Lease struct {
	store *Store
	id    string
	claim Claim
	done  atomic.Int64
}

// Deliver notes bytes that went out; they are charged even if the process dies
// soon after.
func (l *Lease) Deliver(bytes int64) { l.done.Store(bytes) }

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// midnight is the end of t's day.
func midnight(t time.Time) time.Time {
	y, m, d := t.UTC().Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, time.UTC)
}

// Reserve holds what a request may use, or returns an error of CodeQuota or
// CodeBudget. Every lease ends with Settle.
func (s *Store) Reserve(ctx context.Context, c Claim) (*Lease, error) {
	event, err := json.Marshal(c.Event)
	if err != nil {
		return nil, err
	}
	l := &Lease{store: s, id: randomName(), claim: c}
	err = s.change(ctx, func(tx *sql.Tx) error {
		now := s.now()
		if err := s.bury(tx, now); err != nil {
			return err
		}
		if err := s.admit(tx, c, now); err != nil {
			return err
		}
		_, err := tx.Exec(`INSERT INTO leases (id, holder, subject, slot, result_bytes, scan_bytes, session, session_bytes, done_bytes, expires_at, event)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)`,
			l.id, s.holder, c.Subject, !c.Slotless, c.ResultBytes, c.ScanBytes, sql.NullString{String: c.Session, Valid: c.Session != ""}, c.SessionBytes,
			micros(now.Add(LeaseTime)), string(event))
		return err
	})
	if err != nil {
		return nil, err
	}
	s.hold(l)
	return l, nil
}

// admit compares a claim with what is used and held.
func (s *Store) admit(tx *sql.Tx, c Claim, now time.Time) error {
	u, err := s.usage(tx, c.Subject, now)
	if err != nil {
		return err
	}
	if c.MaxRunning > 0 && !c.Slotless && u.running >= c.MaxRunning {
		return quotaError("concurrent_scans", u.running, c.MaxRunning, 0,
			fmt.Sprintf("%d of your requests run already", u.running), "Wait until one of them has ended.")
	}
	if c.MaxDaily > 0 {
		wait := int64(math.Ceil(midnight(now).Sub(now).Seconds()))
		for _, counter := range []struct {
			name                 string
			used, reserved, want int64
		}{{"result_bytes", u.result, u.heldResult, c.ResultBytes}, {"scan_bytes", u.scan, u.heldScan, c.ScanBytes}} {
			if counter.want == 0 {
				continue
			}
			if taken := counter.used + counter.reserved; taken >= c.MaxDaily || counter.want > c.MaxDaily-taken {
				e := quotaError("daily_bytes", counter.used, c.MaxDaily, wait,
					fmt.Sprintf("used %d of %d bytes of today's quota (%s), %d are held by what runs, and this would take up to %d",
						counter.used, c.MaxDaily, counter.name, counter.reserved, counter.want),
					"It resets at 00:00 UTC. Ask for fewer columns or rows: 'da fetch … --estimate' tells what a request takes.")
				e.Details["counter"], e.Details["reserved"], e.Details["requested"] = counter.name, counter.reserved, counter.want
				return e
			}
		}
	}
	if c.Session == "" || c.SessionBudget <= 0 {
		return nil
	}
	used, held, err := s.session(tx, c.Subject, c.Session)
	if err != nil {
		return err
	}
	if c.SessionBytes > c.SessionBudget-used-held || used+held >= c.SessionBudget {
		return &api.Error{Code: api.CodeBudget, Kind: "session_bytes",
			Message: fmt.Sprintf("the session has %d of %d bytes left, and this would read %d", max(0, c.SessionBudget-used-held), c.SessionBudget, c.SessionBytes),
			Hint:    "Ask for fewer columns or rows, or start another session with a new DA_SESSION.",
			Details: map[string]any{"current": used, "limit": c.SessionBudget, "reserved": held, "requested": c.SessionBytes, "retry_after_seconds": 0}}
	}
	return nil
}

func quotaError(kind string, current, limit, wait int64, message, hint string) *api.Error {
	return &api.Error{Code: api.CodeQuota, Kind: kind, Message: message, Hint: hint,
		Details: map[string]any{"current": current, "limit": limit, "retry_after_seconds": wait}}
}

// Settle ends a lease: the event is written, and what it used is charged
// instead of what was held. A lease that has run out is charged all the same.
func (s *Store) Settle(ctx context.Context, l *Lease, e api.AuditEvent) error {
	s.letGo(l)
	return s.change(ctx, func(tx *sql.Tx) error {
		res, err := tx.Exec("DELETE FROM leases WHERE id = ?", l.id)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil {
			return err
		} else if n == 0 {
			// Another process took this one for dead and has charged what it
			// knew of; only what came after that is to be added.
			already, err := s.chargedAtBurial(tx, e.RequestID)
			if err != nil {
				return err
			}
			rest := max(0, value(e.Data.ResultBytes)-already)
			e.Data.ResultBytes = &rest
			e.Data.ScanBytes = nil
		} else if err := s.charge(tx, l.claim.Subject, l.claim.Session, l.claim.sessionUse(e)); err != nil {
			return err
		}
		return s.insertEvent(tx, e)
	})
}

func (c Claim) sessionUse(e api.AuditEvent) int64 {
	if c.SessionByResult {
		return value(e.Data.ResultBytes)
	}
	return c.SessionBytes
}

func (s *Store) chargedAtBurial(tx *sql.Tx, requestID string) (bytes int64, err error) {
	err = tx.QueryRow(`SELECT coalesce(sum(event_data ->> '$.actual_result_bytes'), 0) FROM audit WHERE request_id = ?`, requestID).Scan(&bytes)
	return bytes, err
}

// charge adds to what a session has used.
func (s *Store) charge(tx *sql.Tx, subject, session string, bytes int64) error {
	if session == "" {
		return nil
	}
	_, err := tx.Exec(`INSERT INTO sessions (subject, name, used_bytes, updated_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (subject, name) DO UPDATE SET used_bytes = used_bytes + excluded.used_bytes, updated_at = excluded.updated_at`,
		subject, session, bytes, micros(s.now()))
	return err
}

// bury ends the leases of processes that died, and charges what these had
// delivered.
func (s *Store) bury(tx *sql.Tx, now time.Time) error {
	type dead struct {
		id, session string
		bytes, scan int64
		sessionUse  int64
		event       api.AuditEvent
	}
	var all []dead
	err := each(context.Background(), tx, func(rows *sql.Rows) error {
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
	}, "SELECT id, session, session_bytes, done_bytes, scan_bytes, event FROM leases WHERE expires_at <= ?", micros(now))
	if err != nil {
		return err
	}
	for _, d := range all {
		if _, err := tx.Exec("DELETE FROM leases WHERE id = ?", d.id); err != nil {
			return err
		}
		internal := "internal"
		d.event.Data.Status, d.event.Data.ErrorKind = api.StatusError, &internal
		d.event.Data.ResultBytes = &d.bytes
		if d.scan > 0 {
			d.event.Data.ScanBytes = &d.scan // the source has billed it, whoever died
		}
		if err := s.charge(tx, d.event.User, d.session, d.sessionUse); err != nil {
			return err
		}
		if err := s.insertEvent(tx, d.event); err != nil {
			return err
		}
	}
	return nil
}

// hold keeps a lease alive until letGo.
func (s *Store) hold(l *Lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held[l.id] = l
	if s.stop != nil || s.closed {
		return
	}
	stop := make(chan struct{})
	s.stop = stop
	go func() {
		tick := time.NewTicker(renewEvery)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				// What fails now is tried again, three times within a lease.
				_ = s.Renew(context.Background())
			}
		}
	}()
}

func (s *Store) letGo(l *Lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, l.id)
	if len(s.held) == 0 && s.stop != nil {
		close(s.stop)
		s.stop = nil
	}
}

// Renew prolongs the leases that this process holds. It is called by itself.
func (s *Store) Renew(ctx context.Context) error {
	s.mu.Lock()
	leases := make([]*Lease, 0, len(s.held))
	for _, l := range s.held {
		leases = append(leases, l)
	}
	s.mu.Unlock()
	return s.change(ctx, func(tx *sql.Tx) error {
		until := micros(s.now().Add(LeaseTime))
		for _, l := range leases {
			if _, err := tx.Exec("UPDATE leases SET expires_at = ?, done_bytes = ? WHERE id = ?", until, l.done.Load(), l.id); err != nil {
				return err
			}
		}
		return nil
	})
}
