package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// stopping ends whatever a connection waits for when its context ends. It also
// cancels the statement in the engine.
type stopping struct {
	pgconn.CancelRequestContextWatcherHandler
	hungUp bool
}

// needless is the key of contexts whose end is no failure. A connection in such a
// context hangs up at once and sends no cancel request: that would take time, and
// some poolers fail if its sender does not wait for the answer.
type needless struct{}

// HandleCancel implements ctxwatch.Handler.
func (s *stopping) HandleCancel(ctx context.Context) {
	if s.hungUp = ctx.Value(needless{}) != nil; s.hungUp {
		_ = s.Conn.Conn().SetDeadline(time.Now()) // the driver closes what has timed out
		return
	}
	s.CancelRequestContextWatcherHandler.HandleCancel(ctx)
}

// HandleUnwatchAfterCancel implements ctxwatch.Handler.
func (s *stopping) HandleUnwatchAfterCancel() {
	if !s.hungUp {
		s.CancelRequestContextWatcherHandler.HandleUnwatchAfterCancel()
	}
}
