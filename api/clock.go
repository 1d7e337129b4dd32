package api

import (
	"context"
	"time"
)

// Clock tells callers a server's time.
type Clock interface {
	Time(ctx context.Context) (*ServerTime, error)
}

// ServerTime is the time of a server.
type ServerTime struct {
	Now time.Time `json:"now"` // UTC
}
