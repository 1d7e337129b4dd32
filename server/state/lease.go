package state

import (
	"sync/atomic"
	"time"

	"github.com/agnes-data/da/api"
)

// The lifetime of a lease that is not renewed, and the interval of renewals. A
// lease is overdue after two missed renewals: its holder has probably died.
const (
	LeaseTime  = 45 * time.Second
	renewEvery = 5 * time.Second
	overdue    = LeaseTime - 2*renewEvery
)

// A process that dies loses at most what it delivered since its last note.
const (
	noteEvery = time.Second
	noteBytes = 4 << 20
)

// Demand is what a request wants to reserve while it runs. A limit of 0 means no
// limit.
type Demand struct {
	Subject     string // the user's name
	ResultBytes int64  // maximum to be delivered
	// Grows says that the size of the result is unknown. The lease starts small
	// and grows with what is delivered, but never beyond what is left.
	Grows     bool
	ScanBytes int64 // maximum to be billed

	// Slotless requests reserve bytes, but do not count as running.
	Slotless   bool
	MaxRunning int64
	MaxDaily   int64 // for each of the two counters

	Session       string // may be empty
	SessionBytes  int64  // what the request uses of the session's budget
	SessionBudget int64
	// SessionByResult charges the session what was delivered.
	SessionByResult bool

	// Event is the audit row to write if the process dies.
	Event api.AuditEvent
}

// Lease is the reservation of a running request. Only one goroutine can call
// Deliver.
type Lease struct {
	store  *Store
	id     string
	demand Demand
	held   int64 // reserved result bytes, if the demand grows
	done   atomic.Int64
	noted  atomic.Int64 // the part of done that is on disk
}

func (c Demand) sessionUse(e api.AuditEvent) int64 {
	if c.SessionByResult {
		return value(e.Data.ResultBytes)
	}
	return c.SessionBytes
}
