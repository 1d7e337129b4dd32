package state

import (
	"sync/atomic"
	"time"

	"github.com/agnes-data/da/api"
)

// Leases: how long one lives without its holder, and how often it is renewed. An
// overdue one has missed two renewals: its holder has probably died.
const (
	LeaseTime  = 45 * time.Second
	renewEvery = 5 * time.Second
	overdue    = LeaseTime - 2*renewEvery
)

// A process that dies loses at most what it delivered since it last noted it.
const (
	noteEvery = time.Second
	noteBytes = 4 << 20
)

// Demand is what a request wants to hold while it runs. A limit of 0 means no limit.
type Demand struct {
	Subject     string // the user's name
	ResultBytes int64  // most that may be delivered
	// Grows says that the size of the result is not known. The lease begins small,
	// grows with what is delivered, and never beyond what is left.
	Grows     bool
	ScanBytes int64 // most that may be billed

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

// Lease is the reservation of a running request. Only one goroutine may call Deliver.
type Lease struct {
	store  *Store
	id     string
	demand Demand
	held   int64 // result bytes, if the demand grows
	done   atomic.Int64
	noted  atomic.Int64 // of done, on disk
}

func (c Demand) sessionUse(e api.AuditEvent) int64 {
	if c.SessionByResult {
		return value(e.Data.ResultBytes)
	}
	return c.SessionBytes
}
