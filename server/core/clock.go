package core

import (
	"context"
	"time"

	"github.com/agnes-data/da/api"
)

// Time implements api.Clock.
func (s *Session) Time(context.Context) (*api.ServerTime, error) {
	return &api.ServerTime{Now: time.Now().UTC()}, nil
}
