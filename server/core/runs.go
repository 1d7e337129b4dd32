package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/server/state"
)

// scheduled is what the state calls the last run of a schedule.
const scheduled = "schedule"

// A run may take as long as there is between two, and an hour in any case: so long is its
// token good, and so long it keeps the next one back if its server was killed.
const leastRunTime = time.Hour

// ScheduledRun is the last run of a file of steps that the server runs for a user.
type ScheduledRun struct {
	Due   time.Time  `json:"due"`
	Ended *time.Time `json:"ended,omitempty"` // nil: it has not ended, or its server has
	// ExitCode is that of the worst step.
	ExitCode int    `json:"exit_code"`
	Message  string `json:"message,omitempty"`
}

// BeginRun takes a run that is due for this server, of all that share its state. It does not
// if another server has taken it, if the run before has not ended, or if it is missed and
// there was none before.
func (c *Core) BeginRun(ctx context.Context, name, user string, due time.Time, every time.Duration, missed bool) (mine bool, err error) {
	err = c.state.ChangeKnown(ctx, scheduled, name, func(old *state.Known) (*state.Known, error) {
		var last ScheduledRun
		if old != nil {
			if err := json.Unmarshal([]byte(old.Data), &last); err != nil {
				return nil, internalError("read the last run of "+name, err)
			}
		}
		running := old != nil && last.Ended == nil && due.Before(last.Due.Add(max(every, leastRunTime)))
		if running || old == nil && missed || !last.Due.Before(due) {
			return old, nil
		}
		mine = true
		data, err := json.Marshal(ScheduledRun{Due: due})
		return &state.Known{Kind: scheduled, Name: name, Owner: user, Data: string(data)}, err
	})
	return mine && err == nil, err
}

// Now returns the time of all servers of the state.
func (c *Core) Now() time.Time { return c.now() }

// RunToken makes the token of a run for its user, and returns the name of that user's own
// folder. A later user of the same name gets another folder, as its files were read under
// the rights of the first.
func (c *Core) RunToken(ctx context.Context, name, user string, every time.Duration) (*api.CreatedToken, string, error) {
	token, err := c.As(LocalAdmin).CreateToken(ctx, api.NewToken{User: user, Note: "schedule " + name,
		ExpiresSeconds: int64(max(every, leastRunTime).Seconds())})
	if err != nil {
		return nil, "", err
	}
	folder, err := c.state.Folder(ctx, token.User)
	return token, folder, err
}

// EndRun keeps how a run ended, unless a later one has begun, and revokes its token, if there
// is one still: it goes with its user.
func (c *Core) EndRun(ctx context.Context, name string, token *api.CreatedToken, run ScheduledRun) error {
	var revoked error
	if token != nil {
		if revoked = c.As(LocalAdmin).RevokeToken(ctx, token.ID); api.CodeBadRequest.Is(revoked) {
			revoked = nil
		}
	}
	now := c.now().UTC()
	run.Ended = &now
	return errors.Join(revoked, c.state.ChangeKnown(ctx, scheduled, name, func(old *state.Known) (*state.Known, error) {
		var last ScheduledRun
		if old == nil || json.Unmarshal([]byte(old.Data), &last) == nil && !last.Due.Equal(run.Due) {
			return old, nil
		}
		data, err := json.Marshal(run)
		old.Data = string(data)
		return old, err
	}))
}

// scheduleCheck looks at how the last runs ended.
func (c *Core) scheduleCheck(ctx context.Context) (api.HealthCheck, error) {
	check := api.HealthCheck{Name: "schedules", Status: api.CheckOK}
	all, err := c.state.Known(ctx, scheduled)
	if err != nil {
		return check, internalError("read the schedules", err)
	}
	check.Says = humanize.Plural(int64(len(all)), "schedule has run", "schedules have run")
	for _, k := range all {
		var run ScheduledRun
		if err := json.Unmarshal([]byte(k.Data), &run); err != nil {
			return check, internalError("read the last run of "+k.Name, err)
		}
		unended := run.Ended == nil && c.now().Sub(run.Due) > leastRunTime
		if unended || run.ExitCode != 0 {
			check.Status, check.Fix = api.CheckWarning, "See the log of the server and the folder schedules of state_dir."
			check.Says = fmt.Sprintf("%s, due %s, ended with exit code %d: %s", k.Name, run.Due.Format(time.RFC3339), run.ExitCode, run.Message)
		}
		if unended {
			check.Says = fmt.Sprintf("%s, due %s, has not ended: it still runs, or its server was killed", k.Name, run.Due.Format(time.RFC3339))
		}
	}
	return check, nil
}
