package api

import "context"

// SourceState says whether a source of the instance was reachable just now.
type SourceState struct {
	Name   string     `json:"name"`
	Type   SourceType `json:"source_type"`
	Status string     `json:"status"` // one of the constants below
	// Failure says why the source was not reachable; null if nothing failed.
	Failure *ErrorBody `json:"failure"`
	// Err is the failure with its cause, for use inside this process.
	Err error `json:"-"`
}

// The values of SourceState.Status.
const (
	SourceReachable = "reachable"
	SourceFailed    = "failed"
	SourceUntried   = "untried" // it cannot be tried without reading a table
)

// SourceAdmin checks the sources behind the tables; only admins can call it.
type SourceAdmin interface {
	// Sources tries all sources at once, each for a limited time, and returns
	// them by name. It reads no table and costs nothing.
	Sources(ctx context.Context) ([]SourceState, error)
}
