package core

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/server/state"
)

// record collects the audit row of one call. It is written before the answer
// ends: without the audit row there is no complete answer.
type record struct {
	core  *Core
	who   Principal
	start time.Time
	event api.AuditEvent
	asked string       // the statement or condition, which the audit does not keep
	lease *state.Lease // nil: nothing is reserved
	runs  bool         // it counts as a running scan
	after bool         // it is written after the call, whose time is not known
	bills int64        // bytes that the source bills for this request
	// ceiling is the maximum that the source may bill; nil if unknown.
	ceiling *int64
}

// begin starts the record of a call.
func (s *Session) begin(event, tableID string) *record {
	r := &record{core: s.core, who: s.who, start: time.Now()}
	r.event = api.AuditEvent{RequestID: s.who.RequestID, EventType: event, User: s.who.User,
		Data: api.AuditData{ClientAgent: s.who.Agent, Session: s.who.Session}}
	if r.event.RequestID == "" {
		r.event.RequestID = NewRequestID()
	}
	if api.CheckTable(tableID) == nil { // anything else cannot be a table id
		r.event.TableID, r.event.Data.AsOf = api.AsOf(tableID)
	}
	return r
}

// where records the predicate by its hash.
func (r *record) where(e predicate.Expr) {
	if e != nil {
		hash := r.core.state.Hash("where", predicate.Normalize(e))
		r.event.Data.WhereHash = &hash
	}
}

// end writes the record of a finished call, and returns how the call ended.
func (r *record) end(ctx context.Context, err error) error {
	d := &r.event.Data
	if took := time.Since(r.start).Milliseconds(); !r.after {
		d.LatencyMS = &took
	}
	if d.Status == "" {
		d.Status = api.StatusOK
	}
	if err != nil {
		d.Status, d.ErrorKind, d.ErrorCode = outcome(err)
	}
	r.core.metrics.request(r)
	var writeErr error
	if r.runs {
		r.core.metrics.running(r.who, -1)
	}
	if r.lease != nil {
		writeErr = r.core.state.Settle(ctx, r.lease, r.event)
	} else {
		writeErr = r.core.state.Append(ctx, r.event)
	}
	if writeErr != nil {
		return internalError("write the audit", errors.Join(writeErr, err))
	}
	return err
}

// outcome returns how an error is recorded in the audit.
func outcome(err error) (status string, kind *string, code api.Code) {
	of := func(status, kind string) (string, *string, api.Code) { return status, &kind, code }
	var known *api.Error
	if !errors.As(err, &known) {
		code = api.CodeInternal
		return of(api.StatusError, "internal")
	}
	code = known.Code
	if known.Kind == api.KindStoppedByAdmin { // its code is forbidden, though it was allowed
		return of(api.StatusStopped, known.Kind)
	}
	switch code {
	case api.CodeBadRequest, api.CodeInvalidName, api.CodeRejected, api.CodeStatement, api.CodeUnknownTable, api.CodeUnknownColumn,
		api.CodeUsage, api.CodeValidation, api.CodeUnknownFile, api.CodeTargetExists, api.CodeConflict:
		return of(api.StatusRejected, "validator")
	case api.CodeForbidden, api.CodeUnauthorized:
		return of(api.StatusRejected, "rbac")
	case api.CodeQuota, api.CodeBudget, api.CodeTooLarge:
		return of(api.StatusQuota, "quota")
	case api.CodeSource, api.CodeUnavailable, api.CodeQueryFailed:
		return of(api.StatusError, "source")
	case api.CodeTimeout:
		return of(api.StatusError, "timeout")
	case api.CodeInterrupted: // the caller went away
		return api.StatusStopped, nil, code
	}
	return of(api.StatusError, "internal")
}

// metered is a result whose end is audited before the caller learns of it.
type metered struct {
	*capped
	ctx    context.Context
	record *record
	once   sync.Once
	err    error // the error of writing the audit
}

// Next implements array.RecordReader.
func (m *metered) Next() bool {
	if m.capped.Next() {
		return true
	}
	m.settle(m.capped.Err())
	return false
}

// settle writes the record, once.
func (m *metered) settle(err error) {
	m.once.Do(func() {
		end, d := m.capped.end, &m.record.event.Data
		d.ResultRows, d.ResultBytes = &end.Rows, &end.Bytes
		if m.record.bills > 0 {
			d.ScanBytes = &m.record.bills
		}
		if end.Truncated {
			d.Status = api.StatusTruncated
		}
		m.err = m.record.end(m.ctx, err)
	})
}

// Err implements array.RecordReader.
func (m *metered) Err() error { return m.err }

// leave is called when the caller is done, possibly before the end.
func (m *metered) leave() {
	m.settle(&api.Error{Code: api.CodeInterrupted, Message: "the caller has read no further"})
	m.capped.Release()
}

var _ array.RecordReader = (*metered)(nil)

// NewRequestID returns 32 random hexadecimal digits.
func NewRequestID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
