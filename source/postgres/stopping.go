package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// stopping ends what a connection waits for when its context ends. Statements are
// cancelled in the engine, not only left behind.
type stopping struct {
	pgconn.CancelRequestContextWatcherHandler
	hungUp bool
}

// needless is the key of contexts that end as a matter of course. A caller that waits
// in them hangs up at once, without waiting for what a request to cancel does:
// that takes time, and some poolers fall over those whose sender does not stay.
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
