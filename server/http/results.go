package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/resultset"
)

// resultRoutes are the routes of results that are kept to be looked at.
func resultRoutes() []route {
	const at = "/api/page/results"
	return []route{
		{http.MethodPost, at, user, (*call).keepResult},
		{http.MethodPost, at + "/{id}/rows", user, resultFor((*call).resultRows)},
		{http.MethodPost, at + "/{id}/summaries", user, resultFor((*call).resultSummaries)},
		{http.MethodPost, at + "/{id}/groups", user, resultFor((*call).resultGroups)},
		{http.MethodDelete, at + "/{id}", user, (*call).dropResult},
	}
}

// keepResult runs a statement to its end. The same rights and limits apply as to
// streams; a result that a limit cuts is refused.
func (c *call) keepResult() error {
	var req api.KeepResult
	if err := c.params(); err != nil {
		return err
	}
	if err := c.body(&req); err != nil {
		return err
	}
	if c.router.results == nil {
		return errNoRoute
	}
	began := time.Now()
	return answer(c, func(ctx context.Context) (*api.KeptResult, error) {
		owner, err := c.owner(ctx)
		if err != nil {
			return nil, err
		}
		s, err := c.streamFor(ctx, api.PageFile{SQL: req.SQL, Scan: req.Scan, Here: req.Here, Fetch: req.Fetch})
		if err != nil {
			return nil, err
		}
		defer s.Close()
		s.RefuseCut(false)
		set, err := c.router.results.Keep(ctx, owner, s.Rows())
		if err != nil {
			if req.Here {
				err = atDesk(err)
			}
			return nil, err
		}
		return &api.KeptResult{ID: set.ID, Columns: set.Columns, Rows: set.Rows, Bytes: set.Bytes(), Caveats: set.Caveats,
			Until: c.router.results.Until(set), Elapsed: time.Since(began).Milliseconds()}, nil
	})
}

// owner is the caller with the rights of now.
func (c *call) owner(ctx context.Context) (resultset.Owner, error) {
	access, err := c.router.backend.Access(ctx, c.who)
	return resultset.Owner{User: c.who.User, Access: access}, err
}

// result finds a kept result of the caller. One of others, or that came under
// other rights, is not there.
func (c *call) result(ctx context.Context, id string) (*resultset.Set, error) {
	if c.router.results == nil {
		return nil, errNoRoute
	}
	owner, err := c.owner(ctx)
	if err != nil {
		return nil, err
	}
	return c.router.results.Find(id, owner)
}

// resultFor serves what a request in the body asks of the result in the path.
func resultFor[T, A any](do func(*call, context.Context, *resultset.Set, T) (A, error)) func(*call) error {
	return func(c *call) error {
		var req T
		if err := c.params(); err != nil {
			return err
		}
		if err := c.body(&req); err != nil {
			return err
		}
		return answer(c, func(ctx context.Context) (a A, err error) {
			set, err := c.result(ctx, c.r.PathValue("id"))
			if err != nil {
				return a, err
			}
			return do(c, ctx, set, req)
		})
	}
}

func (c *call) resultRows(ctx context.Context, set *resultset.Set, req api.ResultWindow) (*api.ResultRows, error) {
	if req.From < 0 || req.Limit < 1 || req.Limit > api.MaxPageRows {
		return nil, badBody(api.KindLimit, "limit must be from 1 to %d, and from not negative", api.MaxPageRows)
	}
	began := time.Now()
	s, found, err := set.Stream(ctx, req.Part, req.From, int64(req.Limit))
	if err != nil {
		return nil, err
	}
	defer s.Close()
	rows, err := readRows(s.Rows(), false)
	if err != nil {
		return nil, err
	}
	rows.More = req.From+int64(rows.Shown) < found
	rows.Elapsed = time.Since(began).Milliseconds()
	return &api.ResultRows{PageRows: *rows, Found: found}, nil
}

func (c *call) resultSummaries(ctx context.Context, set *resultset.Set, req api.SummarizeResult) ([]api.ColumnSummary, error) {
	if len(req.Columns) > api.MaxSummaries {
		return nil, badBody(api.KindLimit, "at most %d columns are summarized at a time", api.MaxSummaries)
	}
	return set.Summarize(ctx, req.Part, req.Columns)
}

func (c *call) resultGroups(ctx context.Context, set *resultset.Set, req api.GroupResult) (*api.ResultGroups, error) {
	began := time.Now()
	s, groups, err := set.Group(ctx, req)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	rows, err := readRows(s.Rows(), false)
	if err != nil {
		return nil, err
	}
	rows.More = groups.Found > int64(rows.Shown)
	rows.Elapsed, groups.PageRows = time.Since(began).Milliseconds(), *rows
	return groups, nil
}

func (c *call) dropResult() error {
	if c.router.results == nil {
		return errNoRoute
	}
	c.router.results.Drop(c.r.PathValue("id"), c.who.User)
	return c.done(nil)
}
