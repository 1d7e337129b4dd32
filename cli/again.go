package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/internal/words/humanize"
)

const (
	// firstPause and longestPause bound the time between two tries; each pause is
	// twice the one before.
	firstPause   = time.Second
	longestPause = time.Minute
	// longestQuota is how long a quota may last that is waited for.
	longestQuota = 15 * time.Minute
)

// patiently runs a command, and again while its flags --wait and --retry allow it. A
// command that finds something in use, or fails in a way that can pass, has changed
// nothing that a second run does not change.
func patiently(ctx context.Context, a *app.App, once func() error) error {
	pause := firstPause
	for tries := 0; ; tries++ {
		err := once()
		if err != nil && a.Patience.Wait > 0 && api.CodeSnapshotBusy.Is(err) && a.Fresh() {
			err = a.Awaiting(ctx, a.Patience.Wait, once)
		}
		if late := a.Late(); late != nil && err != nil && ctx.Err() == nil {
			return late
		}
		wait, passes := mayPass(err, pause)
		if tries >= a.Patience.Retries || !passes || !a.Fresh() || ctx.Err() != nil {
			return err
		}
		a.Note(fmt.Sprintf("trying again in %s (%d of %d): %s", humanize.Elapsed(wait), tries+1, a.Patience.Retries, err.Error()))
		if app.Pause(a.Ctx, wait) != nil {
			if late := a.Late(); late != nil {
				return late
			}
			return ctx.Err()
		}
		pause = min(2*pause, longestPause)
	}
}

// mayPass says after which time it is worth to try again, if it is.
func mayPass(err error, pause time.Duration) (time.Duration, bool) {
	var e *api.Error
	if err == nil || !errors.As(err, &e) || !exit.Failure(err, false).Retryable() {
		return 0, false
	}
	pause += rand.N(pause / 4) // of many jobs that have failed at once, not all come back at once
	var seconds int64
	switch v := e.Details["retry_after_seconds"].(type) { // from a server it is a number of JSON
	case int:
		seconds = int64(v)
	case int64:
		seconds = v
	case float64:
		seconds = int64(v)
	}
	asked := time.Duration(seconds) * time.Second
	return max(pause, asked), asked <= longestQuota
}
