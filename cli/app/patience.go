package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/usage"
	"github.com/spf13/pflag"
)

// Patience says how long a run goes on with what may pass by itself.
type Patience struct {
	// Wait is how long to wait for another process to release a lock.
	Wait time.Duration
	// Retries is how often an error that can pass is tried again.
	Retries int
	// Deadline bounds the whole run; 0: nothing does.
	Deadline time.Duration

	wait, deadline string // as given
	until          context.Context
	stop           context.CancelFunc
}

func (p *Patience) addFlags(f *pflag.FlagSet) {
	f.StringVar(&p.wait, "wait", "", "wait up to this `time` while another process changes the same, as in 5m")
	f.IntVar(&p.Retries, "retry", 0, "try up to so many `times` again what may pass by itself")
	f.StringVar(&p.deadline, "deadline", "", "end, with exit code 5, what takes longer than this `time`")
}

// Bounded reads the flags, and returns a context that ends with the deadline, counted
// from the start of the run.
func (a *App) Bounded(ctx context.Context) (context.Context, error) {
	p := &a.Patience
	if p.Retries < 0 {
		return nil, usage.Error("--retry is below 0")
	}
	for _, f := range []struct {
		name, text string
		to         *time.Duration
	}{{"wait", p.wait, &p.Wait}, {"deadline", p.deadline, &p.Deadline}} {
		if f.text == "" {
			continue
		}
		var err error
		if *f.to, err = usage.ParseAge(f.name, f.text); err != nil {
			return nil, err
		}
	}
	if p.Deadline > 0 && p.until == nil {
		p.until, p.stop = context.WithDeadline(a.Ctx, a.started.Add(p.Deadline))
		a.Ctx = p.until
	}
	if p.until != nil {
		return p.until, nil
	}
	return ctx, nil
}

// Late returns the error of a run that its deadline has ended, and nil for others.
func (a *App) Late() error {
	if p := a.Patience; p.until != nil && errors.Is(context.Cause(p.until), context.DeadlineExceeded) {
		return &api.Error{Code: api.CodeTimeout, Message: fmt.Sprintf("not done within --deadline %s", p.deadline),
			Hint: "What was whole before is as it was. Give it more time, or ask for less."}
	}
	return nil
}

// Fresh reports whether the command can begin again: nothing has been printed or read
// from standard input.
func (a *App) Fresh() bool { return a.out.bytes.Load() == 0 && !a.in.begun.Load() }

// askAgain is how long a waiting command leaves the other process alone.
const askAgain = 500 * time.Millisecond

// Awaiting runs do until it does not find something in use, or for as long as most.
func (a *App) Awaiting(ctx context.Context, most time.Duration, do func() error) error {
	until := time.Now().Add(most)
	for told := false; ; told = true {
		err := do()
		if !api.CodeSnapshotBusy.Is(err) || !time.Now().Before(until) {
			return err
		}
		if !told {
			a.Note("waiting: " + err.Error())
		}
		if err := Pause(ctx, askAgain); err != nil {
			return err
		}
	}
}

// Pause waits, unless ctx ends first.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
