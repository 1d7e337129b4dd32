package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/agnes-data/da/api"
)

// Desk is the local data of a page's only user: snapshots, and an engine that
// queries them.
type Desk interface {
	Snapshots
	// Plan returns where the rows of a statement would come from, as a value to
	// encode as JSON.
	Plan(ctx context.Context, sql string) (any, error)
	// Query runs one SELECT locally. fetch first fetches what it needs of tables
	// that are not here. The caller owns the stream, even if it does not read it
	// to the end.
	Query(ctx context.Context, sql string, fetch bool) (*api.Stream, error)
}

// Snapshots are a desk's snapshots. Results of type any are encoded as JSON.
type Snapshots interface {
	// Snapshots lists what can be queried locally.
	Snapshots(ctx context.Context) ([]api.PageSnapshot, error)
	// Keep fetches a part of a table as a snapshot.
	Keep(ctx context.Context, req api.KeepSnapshot) (any, error)
	// PriceRefresh returns what a refresh would read.
	PriceRefresh(ctx context.Context, name string) (any, error)
	Refresh(ctx context.Context, name string) (any, error)
	// Restore undoes the last refresh.
	Restore(ctx context.Context, name string) (any, error)
	Drop(ctx context.Context, name string) error
	Pin(ctx context.Context, name string, pinned bool) error
	Compare(ctx context.Context, req api.CompareSnapshots) (any, error)
}

// desk returns the desk of this page.
func (c *call) desk() (Desk, error) {
	if err := c.params("typing"); err != nil {
		return nil, err
	}
	if c.router.desk == nil {
		return nil, errNoRoute // a shared server has no desk
	}
	return c.router.desk, nil
}

// deskStatement returns the desk and the statement of the request.
func (c *call) deskStatement() (d Desk, req api.DeskQuery, err error) {
	if d, err = c.desk(); err == nil {
		err = c.body(&req)
	}
	return d, req, err
}

// atDesk gives an error of the user's own machine a code that servers send. At a
// desk there is nobody else whose secrets it could hold.
func atDesk(err error) error {
	var e *api.Error
	if !errors.As(err, &e) || e.Code == api.CodeInternal || e.Code.HTTPStatus() != http.StatusInternalServerError {
		return err
	}
	said := *e
	if said.Code = api.CodeQueryFailed; said.Kind == "" {
		said.Kind = string(e.Code)
	}
	return &said
}

func (c *call) deskPlan() error {
	d, req, err := c.deskStatement()
	if err != nil {
		return err
	}
	return c.typed(answer(c, func(ctx context.Context) (any, error) {
		plan, err := d.Plan(ctx, req.SQL)
		return plan, atDesk(err)
	}))
}

func (c *call) deskQuery() error {
	d, req, err := c.deskStatement()
	if err != nil {
		return err
	}
	began := time.Now()
	return answer(c, func(ctx context.Context) (*api.PageRows, error) {
		s, err := d.Query(ctx, req.SQL, req.Fetch)
		if err != nil {
			return nil, atDesk(err)
		}
		defer s.Close()
		rows, err := readRows(s.Rows(), false)
		if err != nil {
			return nil, atDesk(err)
		}
		rows.Elapsed = time.Since(began).Milliseconds()
		return rows, nil
	})
}
