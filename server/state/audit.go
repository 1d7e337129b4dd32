package state

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/sqlitedb"
)

// Hash returns the instance's HMAC of a text. The kind of text is part of the
// input, so equal texts of two kinds have different hashes.
func (s *Store) Hash(what, text string) string {
	h := hmac.New(sha256.New, s.key)
	h.Write([]byte(what + "\x00" + text))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Append writes an event without usage. When Append returns, the event survives
// the end of the process.
func (s *Store) Append(ctx context.Context, e api.AuditEvent) error {
	return s.change(ctx, func(tx *sql.Tx) error { return s.recordAndCharge(tx, e) })
}

// recordAndCharge writes an event and adds its usage to the day's counters, so
// that these are always the sum of the audit. It sets the time. Only ResultBytes
// and ScanBytes are charged; ResultRows, which samples also have, are not.
func (s *Store) recordAndCharge(tx *sql.Tx, e api.AuditEvent) error {
	now := s.now().UTC()
	data, err := json.Marshal(e.Data)
	if err != nil {
		return err
	}
	_, err = tx.Exec("INSERT INTO audit (at, request_id, event_type, user_email, table_id, event_data) VALUES (?, ?, ?, ?, ?, ?)",
		micros(now), e.RequestID, e.EventType, e.User, e.TableID, string(data))
	if err != nil {
		return err
	}
	result, scan := value(e.Data.ResultBytes), value(e.Data.ScanBytes)
	if result == 0 && scan == 0 {
		return nil
	}
	return chargeDay(tx, e.User, day(now), result, scan)
}

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// Audit lists events, oldest first. If there are more than the limit, it returns
// the latest.
func (s *Store) Audit(ctx context.Context, q api.AuditQuery) ([]api.AuditEvent, error) {
	limit := q.Limit
	if limit == 0 {
		limit = api.DefaultAuditRows
	}
	if limit < 0 || limit > api.MaxAuditRows {
		return nil, bad(api.KindLimit, "the audit shows up to %d rows at a time", api.MaxAuditRows)
	}
	since := int64(math.MinInt64)
	if !q.Since.IsZero() {
		since = micros(q.Since)
	}
	query := "SELECT id, at, request_id, event_type, user_email, table_id, event_data FROM audit WHERE at >= ?"
	args := []any{since}
	if q.User != "" {
		query, args = query+" AND user_email = ?", append(args, strings.ToLower(q.User))
	}
	if q.TableID != "" {
		query += " AND (table_id = ? OR table_id = '' AND EXISTS (SELECT 1 FROM json_each(event_data, '$.tables') WHERE value = ?))"
		args = append(args, q.TableID, q.TableID)
	}
	list := []api.AuditEvent{}
	err := sqlitedb.Each(ctx, s.read, func(rows *sql.Rows) error {
		var e api.AuditEvent
		var at int64
		var data string
		if err := rows.Scan(&e.ID, &at, &e.RequestID, &e.EventType, &e.User, &e.TableID, &data); err != nil {
			return err
		}
		e.At = fromMicros(at)
		list = append(list, e)
		return json.Unmarshal([]byte(data), &list[len(list)-1].Data)
	}, query+" ORDER BY id DESC LIMIT ?", append(args, limit)...)
	slices.Reverse(list)
	return list, err
}
