package api

import (
	"context"
	"time"
)

// Meter shows callers their usage.
type Meter interface {
	Quota(ctx context.Context) (*QuotaStatus, error)
}

// QuotaStatus is what a user has used today and what is allowed. Limits that are
// not set are null.
type QuotaStatus struct {
	User            string    `json:"user"`
	Day             string    `json:"day"` // UTC, YYYY-MM-DD
	ResetsAt        time.Time `json:"resets_at"`
	ResultBytes     int64     `json:"result_bytes"`   // delivered today
	ScanBytes       int64     `json:"scan_bytes"`     // read today at sources that bill it
	ReservedBytes   int64     `json:"reserved_bytes"` // held by requests that run
	DailyBytesLimit *int64    `json:"daily_bytes_limit"`
	Running         int64     `json:"running"`
	RunningLimit    *int64    `json:"running_limit"`
	// ModelCost is what the model has cost today, in the currency of its prices, with
	// what its running requests can cost; null if its prices are not known.
	ModelCost      *float64  `json:"model_cost"`
	ModelCostLimit *float64  `json:"model_cost_limit"`
	ModelCostLeft  *float64  `json:"model_cost_left"`
	Remaining      Remaining `json:"remaining"`
}

// QuotaRule replaces the instance's quota for one user, or for each member of a group. A
// user's own rule comes first. Without one, the highest of the user's groups applies.
type QuotaRule struct {
	User       string `json:"user,omitempty"` // or Group
	Group      string `json:"group,omitempty"`
	DailyBytes *int64 `json:"daily_bytes"` // null: what the instance allows
	Running    *int64 `json:"running"`     // requests at once
}

// Remaining is what the caller may still use. Figures without a limit are null.
type Remaining struct {
	QuotaBytes   *int64 `json:"quota_bytes"`   // of the day's bytes
	SessionBytes *int64 `json:"session_bytes"` // of the conversation's budget
}
