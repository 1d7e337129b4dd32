package state

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
)

// growBy is the initial reservation of a request without an estimate, and the
// minimum by which it grows, in bytes.
const growBy = 8 << 20

// Names of the limits at which a growing lease stops.
const (
	CapDaily   = api.CapDaily
	CapSession = "max_session_bytes"
)

// Deliver records that the request is about to reach total delivered bytes. It
// returns how many may be delivered: fewer only if the demand grows and the limit
// named in reached leaves no more. If the process dies, what was recorded is
// charged.
func (l *Lease) Deliver(ctx context.Context, total int64) (allowed int64, reached string, err error) {
	allowed = total
	if l.demand.Grows && total > l.held {
		if reached, err = l.store.grow(ctx, l, total); err != nil {
			return 0, "", err
		}
		allowed = min(total, l.held)
	}
	l.done.Store(allowed)
	if allowed-l.noted.Load() >= noteBytes {
		err = l.store.note(ctx, l)
	}
	return allowed, reached, err
}

// Reserve reserves what a request may use, or returns CodeQuota or CodeBudget.
// Every lease ends with Settle.
func (s *Store) Reserve(ctx context.Context, c Demand) (*Lease, error) {
	event, err := json.Marshal(c.Event)
	if err != nil {
		return nil, err
	}
	l := &Lease{store: s, id: randomName(), demand: c}
	if err := s.settleDead(ctx); err != nil {
		return nil, err
	}
	err = s.change(ctx, c.Subject, func(tx conn) error {
		now := s.now()
		limits := Limits{Daily: c.MaxDaily, Running: c.MaxRunning}
		if err := tx.allow(c.Subject, &limits); err != nil {
			return err
		}
		c.MaxDaily, c.MaxRunning = limits.Daily, limits.Running
		l.demand.MaxDaily, l.demand.MaxRunning = c.MaxDaily, c.MaxRunning
		u, err := tx.usage(c.Subject, c.Session, now)
		if err != nil {
			return err
		}
		if c.Grows {
			left, _ := u.left(c)
			c.ResultBytes = min(c.ResultBytes, growBy)
			if left > 1 { // otherwise the demand exceeds what is left, and is refused
				c.ResultBytes = min(c.ResultBytes, left)
			}
			if c.SessionByResult {
				c.SessionBytes = c.ResultBytes
			}
			l.held = c.ResultBytes
		}
		if err := s.admit(tx, u, c, now); err != nil {
			return err
		}
		_, err = tx.Exec(`INSERT INTO leases (id, holder, subject, slot, result_bytes, scan_bytes, session, session_bytes, session_by_result, done_bytes, expires_at, event)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10, $11)`,
			l.id, s.holder, c.Subject, !c.Slotless, c.ResultBytes, c.ScanBytes, sql.NullString{String: c.Session, Valid: c.Session != ""},
			c.SessionBytes,
			c.SessionByResult, micros(now.Add(LeaseTime)), string(event))
		return err
	})
	if err != nil {
		return nil, err
	}
	s.hold(l)
	return l, nil
}

// left returns how many more result bytes the limits of a demand allow, and which
// limit allows the fewest.
func (u used) left(c Demand) (bytes int64, bound string) {
	bytes = math.MaxInt64
	if c.MaxDaily > 0 {
		bytes, bound = c.MaxDaily-u.result-u.heldResult, CapDaily
	}
	if c.Session != "" && c.SessionBudget > 0 && c.SessionByResult {
		if rest := c.SessionBudget - u.session - u.heldBySession; rest < bytes {
			bytes, bound = rest, CapSession
		}
	}
	return max(0, bytes), bound
}

// grow increases a lease to at least total bytes, or to what is left; then it
// names the limit.
func (s *Store) grow(ctx context.Context, l *Lease, total int64) (reached string, err error) {
	err = s.change(ctx, l.demand.Subject, func(tx conn) error {
		u, err := tx.usage(l.demand.Subject, l.demand.Session, s.now())
		if err != nil {
			return err
		}
		left, bound := u.left(l.demand)
		more := min(max(total-l.held, growBy), left)
		if l.held+more < total {
			reached = bound
		}
		sessionMore := int64(0)
		if l.demand.SessionByResult {
			sessionMore = more
		}
		_, err = tx.Exec("UPDATE leases SET result_bytes = result_bytes + $1, session_bytes = session_bytes + $2 WHERE id = $3", more,
			sessionMore, l.id)
		if err == nil {
			l.held += more
		}
		return err
	})
	return reached, err
}

// admit compares a demand with what is used and reserved.
func (s *Store) admit(tx conn, u used, c Demand, now time.Time) error {
	if c.MaxRunning > 0 && !c.Slotless && u.running >= c.MaxRunning {
		wait, err := s.slotWait(tx, c.Subject, now)
		if err != nil {
			return err
		}
		return quotaError(api.KindConcurrentScans, u.running, c.MaxRunning, wait,
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
				e := quotaError(api.KindDailyBytes, counter.used, c.MaxDaily, wait,
					fmt.Sprintf("this may take up to %s, and %s of today's quota of %s are left: %s are used, running requests reserve %s",
						humanize.Bytes(counter.want), humanize.Bytes(max(0, c.MaxDaily-taken)), humanize.Bytes(c.MaxDaily),
						humanize.Bytes(counter.used), humanize.Bytes(counter.reserved)),
					"It starts again at 00:00 UTC. Ask for fewer columns or rows, or an admin for a larger quota.")
				e.Next = append(e.Next, api.Do(api.ActionEstimate, "see what a request would take"))
				e.Details["counter"], e.Details["reserved"], e.Details["requested"] = counter.name, counter.reserved, counter.want
				return e
			}
		}
	}
	if c.Session == "" || c.SessionBudget <= 0 {
		return nil
	}
	used, held := u.session, u.heldBySession
	if c.SessionBytes > c.SessionBudget-used-held || used+held >= c.SessionBudget {
		return &api.Error{Code: api.CodeBudget, Kind: api.KindSessionBytes,
			Message: fmt.Sprintf("the session has %s of %s left, and this would read %s",
				humanize.Bytes(max(0, c.SessionBudget-used-held)), humanize.Bytes(c.SessionBudget), humanize.Bytes(c.SessionBytes)),
			Hint: "Ask for fewer columns or rows, or start another session with a new DA_SESSION.",
			Next: []api.Step{SeeQuota},
			Details: map[string]any{"current": used, "limit": c.SessionBudget, "reserved": held, "requested": c.SessionBytes,
				"retry_after_seconds": 0}}
	}
	return nil
}

// slotWait returns after how many seconds to ask for a slot again: immediately if
// all holders are alive, otherwise when the first lease of a dead process
// expires.
func (s *Store) slotWait(tx conn, subject string, now time.Time) (int64, error) {
	var first int64
	err := tx.QueryRow("SELECT min(expires_at) FROM leases WHERE subject = $1 AND slot = 1", subject).Scan(&first)
	rest := fromMicros(first).Sub(now)
	if err != nil || rest > overdue {
		return 1, err
	}
	return max(1, int64(math.Ceil(rest.Seconds()))), nil
}

// SeeQuota is the next step of errors about a quota or a budget.
var SeeQuota = api.Do(api.ActionQuota, "see what is left")

func quotaError(kind string, current, limit, wait int64, message, hint string) *api.Error {
	return &api.Error{Code: api.CodeQuota, Kind: kind, Message: message, Hint: hint, Next: []api.Step{SeeQuota},
		Details: map[string]any{"current": current, "limit": limit, "retry_after_seconds": wait}}
}

// Settle ends a lease: it writes the event, and charges the actual usage instead
// of the reservation. An expired lease is charged, too.
func (s *Store) Settle(ctx context.Context, l *Lease, e api.AuditEvent) error {
	s.letGo(l)
	return s.change(ctx, unlocked, func(tx conn) error {
		n, err := tx.Exec("DELETE FROM leases WHERE id = $1", l.id)
		if err != nil {
			return err
		}
		if n == 0 {
			// Another process considered this one dead and has charged what it
			// knew; add only the rest.
			already, err := s.exhume(tx, l.id)
			if err != nil {
				return err
			}
			rest := max(0, value(e.Data.ResultBytes)-already)
			e.Data.ResultBytes = &rest
			e.Data.ScanBytes = nil
			if l.demand.SessionByResult {
				if err := s.chargeSession(tx, l.demand.Subject, l.demand.Session, rest); err != nil {
					return err
				}
			}
		} else if err := s.chargeSession(tx, l.demand.Subject, l.demand.Session, l.demand.sessionUse(e)); err != nil {
			return err
		}
		return s.recordAndCharge(tx, e)
	})
}
