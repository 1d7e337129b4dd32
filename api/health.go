package api

import "context"

// HealthCheck is something that was looked at, and what to do about it.
type HealthCheck struct {
	Name   string `json:"name"`
	Status string `json:"status" jsonschema:"ok, warning, failed or skipped"`
	Says   string `json:"says"`
	Fix    string `json:"fix,omitempty"`
	Cause  string `json:"cause,omitempty" jsonschema:"of a failure: what the system or the driver said"`
}

// The values of HealthCheck.Status.
const (
	CheckOK      = "ok"
	CheckWarning = "warning"
	CheckFailed  = "failed"
	CheckSkipped = "skipped"
)

// HealthAdmin looks at the server; only admins can call it.
type HealthAdmin interface {
	// Health returns what is near a limit, what fails, and what is well. Sources are
	// SourceAdmin's.
	Health(ctx context.Context) ([]HealthCheck, error)
}
