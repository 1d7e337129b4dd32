package api

import (
	"context"
	"time"
)

// RunningRequest is a scan or statement that a server is working on.
type RunningRequest struct {
	RequestID   string    `json:"request_id"`
	EventType   string    `json:"event_type"` // as in the audit: fetch_scan or remote_query
	User        string    `json:"user"`
	Tables      []string  `json:"tables"`
	StartedAt   time.Time `json:"started_at"`
	ClientAgent string    `json:"client_agent,omitempty"`
	Session     string    `json:"session,omitempty"`
	// Statement is what its user wrote: the statement, or the condition of a scan. It is kept as long as the request runs.
	Statement string `json:"statement,omitempty"`
}

// VisibleTable is a table as one user sees it.
type VisibleTable struct {
	TableID string `json:"table_id"`
	// Public is true if everybody can see the table. Whole is true if this user
	// sees all of it, for whatever reason.
	Public bool `json:"public"`
	Whole  bool `json:"whole"`
	// Columns are the columns that the user sees at least partly; null: all.
	Columns []string `json:"columns"`
	// Parts are what each of the user's grants allows, if the user does not see
	// the whole table.
	Parts []VisiblePart `json:"parts"`
}

// VisiblePart is what one grant lets a user see of a table.
type VisiblePart struct {
	Through string   `json:"through,omitempty"` // the group that has the grant; empty: the user
	Columns []string `json:"columns"`           // null: all
	Rows    string   `json:"rows"`              // a predicate; empty: all
	Masks   Masks    `json:"masks,omitempty"`   // the columns whose values are replaced
}

// RunAdmin lists and stops running requests.
type RunAdmin interface {
	// Running lists the requests that this server process is working on, oldest
	// first.
	Running(ctx context.Context) ([]RunningRequest, error)
	// StopRequest stops a request; its caller gets CodeForbidden. Stopping a
	// request that has ended is not an error.
	StopRequest(ctx context.Context, requestID string) error
}

// ViewAdmin shows data as a user would see it.
type ViewAdmin interface {
	// VisibleTables lists which tables a user sees, and why.
	VisibleTables(ctx context.Context, user string) ([]VisibleTable, error)
	// VisibleSample is Sample with the rights of a user.
	VisibleSample(ctx context.Context, user, tableID string) (*Sample, error)
}
