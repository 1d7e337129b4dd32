package state

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
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
	return s.change(ctx, unlocked, func(tx conn) error { return s.recordAndCharge(tx, e) })
}

// recordAndCharge writes an event and adds its usage to the day's counters, so
// that these are always the sum of the audit. It sets the time. Only ResultBytes
// and ScanBytes are charged; ResultRows, which samples also have, are not.
func (s *Store) recordAndCharge(tx conn, e api.AuditEvent) error {
	now := s.now().UTC()
	data, err := json.Marshal(e.Data)
	if err != nil {
		return err
	}
	_, err = tx.Exec("INSERT INTO audit (at, request_id, event_type, user_email, table_id, event_data) VALUES ($1, $2, $3, $4, $5, $6)",
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

var errEnough = errors.New("enough rows")

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
	query := "SELECT id, at, request_id, event_type, user_email, table_id, event_data FROM audit WHERE at >= $1"
	args := []any{since}
	with := func(arg any) string {
		args = append(args, arg)
		return "$" + strconv.Itoa(len(args))
	}
	if q.User != "" {
		query += " AND user_email = " + with(strings.ToLower(q.User))
	}
	if q.Before != 0 {
		query += " AND id < " + with(q.Before)
	}
	if q.Status != "" {
		var ended []string
		for status := range strings.SplitSeq(q.Status, ",") {
			if !slices.Contains(api.AuditStatuses, status) {
				return nil, bad(api.KindParameter, "there is no status %q: they are %s", status, strings.Join(api.AuditStatuses, ", "))
			}
			ended = append(ended, "replace(event_data, "+with(fmt.Sprintf("%q:%q", "status", status))+", '') <> event_data")
		}
		query += " AND (" + strings.Join(ended, " OR ") + ")"
	}
	end := fmt.Sprintf(" LIMIT %d", limit)
	if q.TableID != "" {
		quoted, err := json.Marshal(q.TableID)
		if err != nil {
			return nil, err
		}
		// Statements name their tables among the data, in which the text can mean
		// something else, too.
		query += " AND (table_id = " + with(q.TableID) + " OR table_id = '' AND replace(event_data, " + with(string(quoted)) +
			", '') <> event_data)"
		end = ""
	}
	list := []api.AuditEvent{}
	err := s.asking(ctx).each(func(rows *sql.Rows) error {
		var e api.AuditEvent
		var at int64
		var data string
		if err := rows.Scan(&e.ID, &at, &e.RequestID, &e.EventType, &e.User, &e.TableID, &data); err != nil {
			return err
		}
		e.At = fromMicros(at)
		if err := json.Unmarshal([]byte(data), &e.Data); err != nil {
			return err
		}
		if q.TableID == "" || q.TableID == e.TableID || slices.Contains(e.Data.Tables, q.TableID) {
			list = append(list, e)
		}
		if len(list) == limit {
			return errEnough
		}
		return nil
	}, query+" ORDER BY id DESC"+end, args...)
	if errors.Is(err, errEnough) {
		err = nil
	}
	slices.Reverse(list)
	return list, err
}
