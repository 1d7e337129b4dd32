package api

import "context"

// SourceState tells whether a source of the instance could be reached just now.
type SourceState struct {
	Name   string     `json:"name"`
	Type   SourceType `json:"source_type"`
	Status string     `json:"status"` // one of the constants below
	// Failure is why it could not; null: nothing failed.
	Failure *ErrorBody `json:"failure"`
	// Err is the failure with its cause, for the process that met it.
	Err error `json:"-"`
}

// What SourceState.Status may be.
const (
	SourceReachable = "reachable"
	SourceFailed    = "failed"
	SourceUntried   = "untried" // it cannot be tried without reading a table
)

// SourceAdmin tells about the sources behind the tables; only admins may call it.
type SourceAdmin interface {
	// Sources tries all sources at once, by name, each for a bounded time. It
	// reads no table and is billed nothing.
	Sources(ctx context.Context) ([]SourceState, error)
}
