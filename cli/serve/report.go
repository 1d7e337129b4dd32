package serve

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/dashboard"
	"github.com/agnes-data/da/document/figures"
	httpapi "github.com/agnes-data/da/server/http"
	"github.com/agnes-data/da/statement/params"
)

const (
	// reportTime is how long a report may take, and reportsAtOnce how many are made at a time, one of each user.
	reportTime    = 5 * time.Minute
	reportsAtOnce = 2
)

var errReportTime = &api.Error{Code: api.CodeTimeout, Message: "the report was not made within 5 minutes",
	Hint: "Make its statements cheaper, or divide the dashboard."}

// reporter makes the reports of a server; dir is a folder for temporary results.
func reporter(a *app.App, dir string) httpapi.Reporter {
	room := newReportRoom()
	return func(ctx context.Context, w io.Writer, r httpapi.Report) ([]api.Caveat, error) {
		leave, err := room.enter(ctx, r.User)
		if err != nil {
			return nil, err
		}
		defer leave()
		ctx, cancel := context.WithTimeoutCause(ctx, reportTime, errReportTime)
		defer cancel()
		caveats, err := writeReport(ctx, a, dir, w, r)
		if err != nil && errors.Is(context.Cause(ctx), errReportTime) {
			err = errReportTime
		}
		return caveats, err
	}
}

// reportRoom bounds how many reports are made at a time.
type reportRoom struct {
	all   chan struct{}
	users sync.Map // of channels by user, each for one report
}

func newReportRoom() *reportRoom { return &reportRoom{all: make(chan struct{}, reportsAtOnce)} }

// enter waits until a report of a user may be made. A user's second report waits for the first,
// so that nobody takes the places of all.
func (r *reportRoom) enter(ctx context.Context, user string) (leave func(), err error) {
	mine, _ := r.users.LoadOrStore(user, make(chan struct{}, 1))
	own := mine.(chan struct{})
	select {
	case own <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	select {
	case r.all <- struct{}{}:
		return func() { <-r.all; <-own }, nil
	case <-ctx.Done():
		<-own
		return nil, context.Cause(ctx)
	}
}

func writeReport(ctx context.Context, a *app.App, dir string, w io.Writer, r httpapi.Report) ([]api.Caveat, error) {
	sheet, err := dashboard.Read(r.Sheet)
	if err != nil {
		return nil, err
	}
	if !r.Desk {
		sheet.Where = dashboard.Source
	}
	given := params.Values{}
	if len(r.Values) > 0 {
		if err := given.Read(r.Values); err != nil {
			return nil, err
		}
	}
	done, err := sheet.Write(ctx, w, dashboard.Request{Format: "." + r.Format, Given: given, Dir: dir, Now: a.Now(), Print: a.Print,
		Flavor: func(ctx context.Context, sql string) (string, error) { return fetch.FlavorOf(ctx, r.Data, sql) },
		Run: func(ctx context.Context, sql string) (*dashboard.Result, error) {
			s, err := r.Run(ctx, sheet.Where, sql)
			if err != nil {
				return nil, err
			}
			return &dashboard.Result{Rows: s.Rows(), Asked: figures.Asked{Remote: sheet.Where == dashboard.Source}, Close: s.Close}, nil
		}})
	if err != nil {
		return nil, err
	}
	return done.Caveats, nil
}
