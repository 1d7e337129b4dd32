package api

import (
	"context"
	"time"
)

// RunningRequest is a scan or statement that a server works on now.
type RunningRequest struct {
	RequestID   string    `json:"request_id"`
	EventType   string    `json:"event_type"` // as in the audit: fetch_scan or remote_query
	User        string    `json:"user"`
	Tables      []string  `json:"tables"`
	StartedAt   time.Time `json:"started_at"`
	ClientAgent string    `json:"client_agent,omitempty"`
	Session     string    `json:"session,omitempty"`
}

// VisibleTable is a table as one user sees it.
type VisibleTable struct {
	TableID string `json:"table_id"`
	// Public tables are seen by everybody; Whole ones by this user, for whatever
	// reason.
	Public bool `json:"public"`
	Whole  bool `json:"whole"`
	// Columns are those of which the user sees something; null: all.
	Columns []string `json:"columns"`
	// Parts are what the user's grants allow where the table is not seen whole.
	Parts []VisiblePart `json:"parts"`
}

// VisiblePart is what one grant lets a user see of a table.
type VisiblePart struct {
	Through string   `json:"through,omitempty"` // the group that has the grant; empty: the user
	Columns []string `json:"columns"`           // null: all
	Rows    string   `json:"rows"`              // a predicate; empty: all
}

// RunAdmin shows what a server works on, and ends it.
type RunAdmin interface {
	// Running lists the requests that this server process works on, the oldest
	// first.
	Running(ctx context.Context) ([]RunningRequest, error)
	// StopRequest ends one; its caller gets an error of CodeForbidden. One that has
	// ended already is no error.
	StopRequest(ctx context.Context, requestID string) error
}

// ViewAdmin shows data as a user would see it.
type ViewAdmin interface {
	// VisibleTables lists what a user sees, and why.
	VisibleTables(ctx context.Context, user string) ([]VisibleTable, error)
	// VisibleSample is Sample under the rights of a user.
	VisibleSample(ctx context.Context, user, tableID string) (*Sample, error)
}
