package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// prepare checks a request against rights, schema and limits, and returns what
// the source is to run.
func (s *session) prepare(ctx context.Context, req api.ScanRequest, now time.Time) (*table, source.Scan, error) {
	t, rel, err := s.authorise(req.TableID)
	if err != nil {
		return nil, source.Scan{}, err
	}
	if err := s.core.checkLimit(req.Limit); err != nil {
		return nil, source.Scan{}, err
	}
	sc, err := s.core.schema(ctx, t, rel)
	if err != nil {
		return nil, source.Scan{}, err
	}
	dialect := t.source.Dialect()
	typed, err := predicate.NewSchema(dialect, sc.Columns)
	if err != nil {
		return nil, source.Scan{}, err
	}
	scan := source.Scan{Relation: rel, Limit: req.Limit, Env: predicate.Env{Now: now}}
	if scan.Select, err = selectColumns(dialect, req.Select, typed, sc.Columns); err != nil {
		return nil, source.Scan{}, err
	}
	if req.Where != "" {
		if scan.Where, err = predicate.Parse(dialect, req.Where, typed); err != nil {
			return nil, source.Scan{}, err
		}
	}
	for _, item := range req.OrderBy {
		order, err := predicate.ParseOrder(dialect, item, typed)
		if err != nil {
			return nil, source.Scan{}, err
		}
		scan.OrderBy = append(scan.OrderBy, order)
	}
	return t, scan, nil
}

// selectColumns resolves the select list; an empty one means every column.
func selectColumns(d predicate.Dialect, items []string, typed *predicate.Schema, cols []api.Column) ([]string, error) {
	var names []string
	if len(items) == 0 {
		for _, c := range cols {
			names = append(names, c.Name)
		}
		return names, nil
	}
	seen := map[string]bool{}
	for _, item := range items {
		name, err := predicate.ParseColumn(d, item, typed)
		if err != nil {
			return nil, err
		}
		if seen[name] {
			return nil, &api.Error{Code: api.CodeBadRequest, Message: fmt.Sprintf("column '%s' is selected twice", name),
				Hint: "Name each column once.", Details: map[string]any{"column": name}}
		}
		seen[name] = true
		names = append(names, name)
	}
	return names, nil
}

func (c *Core) checkLimit(limit *int64) error {
	if limit == nil || (*limit >= 0 && *limit <= c.limits.Scan.MaxLimit) {
		return nil
	}
	return &api.Error{Code: api.CodeBadRequest, Kind: "limit",
		Message: fmt.Sprintf("limit %d is outside 0 to %d", *limit, c.limits.Scan.MaxLimit),
		Hint:    "Use a smaller --limit, or a narrower --where.",
		Details: map[string]any{"limit": *limit, "max_limit": c.limits.Scan.MaxLimit}}
}

// Estimate implements api.Scanner.
func (s *session) Estimate(ctx context.Context, req api.ScanRequest) (*api.Estimate, error) {
	t, scan, err := s.prepare(ctx, req, s.core.now().UTC())
	if err != nil {
		return nil, err
	}
	ctx, cancel := s.core.withTimeout(ctx)
	defer cancel()
	est, err := t.source.Estimate(ctx, scan)
	if err != nil {
		return nil, s.core.sourceError(ctx, t, err)
	}
	est.TableID = t.ID
	est.ResultTruncated = s.core.wouldTruncate(est)
	return est, nil
}

// wouldTruncate says whether the caps would cut the result, nil if that is not
// known.
func (c *Core) wouldTruncate(est *api.Estimate) *bool {
	yes, no := true, false
	if est.ResultRows != nil && *est.ResultRows > c.limits.Scan.MaxLimit ||
		est.ResultBytes != nil && *est.ResultBytes > c.limits.Scan.MaxResultBytes {
		return &yes
	}
	if est.ResultRows != nil && est.ResultBytes != nil {
		return &no
	}
	return nil
}

// Scan implements api.Scanner.
func (s *session) Scan(ctx context.Context, req api.ScanRequest) (*api.Stream, error) {
	now := s.core.now().UTC().Truncate(time.Microsecond)
	t, scan, err := s.prepare(ctx, req, now)
	if err != nil {
		return nil, err
	}
	return s.core.stream(ctx, t, now, scan.Ordered(), nil, func(ctx context.Context) (array.RecordReader, error) {
		return t.source.Scan(ctx, scan)
	})
}

// stream starts run under the request's timeout and puts the caps around it.
// limit, if not nil, is a number of rows that the caller asked for.
func (c *Core) stream(ctx context.Context, t *table, now time.Time, ordered bool, limit *int64,
	run func(context.Context) (array.RecordReader, error)) (*api.Stream, error) {
	ctx, cancel := c.withTimeout(ctx)
	rdr, err := run(ctx)
	if err != nil {
		err = c.sourceError(ctx, t, err)
		cancel()
		return nil, err
	}
	maxRows := c.limits.Scan.MaxLimit
	if limit != nil {
		maxRows = *limit
	}
	batches := newCapped(rdr, maxRows, c.limits.Scan.MaxResultBytes, func(err error) error {
		return c.sourceError(ctx, t, err)
	})
	return &api.Stream{
		RequestID:     newRequestID(),
		EffectiveAsOf: now,
		Ordered:       ordered,
		Batches:       batches,
		End: func() api.End {
			if batches.end.Truncated {
				c.log.Warn("result truncated", "table", t.ID, "cap", batches.end.Cap, "rows", batches.end.Rows, "bytes", batches.end.Bytes)
			}
			return batches.end
		},
		CloseFunc: func() {
			cancel()
			batches.Release()
		},
	}, nil
}

// errTimeout is the cause of a context that ran out of request time.
var errTimeout = errors.New("request_timeout_seconds is over")

func (c *Core) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, c.limits.Scan.RequestTimeout, errTimeout)
}

// sourceError puts what a source returned into the shared vocabulary. ctx is
// asked first: an interrupted engine reports all sorts of things.
func (c *Core) sourceError(ctx context.Context, t *table, err error) error {
	if errors.Is(context.Cause(ctx), errTimeout) {
		seconds := int64(c.limits.Scan.RequestTimeout / time.Second)
		return &api.Error{Code: api.CodeTimeout, Err: err,
			Message: fmt.Sprintf("the request on '%s' took longer than %d s", t.ID, seconds),
			Hint:    "Ask for fewer rows or columns; the operator can raise api.scan.request_timeout_seconds.",
			Details: map[string]any{"table_id": t.ID, "timeout_seconds": seconds}}
	}
	if ctx.Err() != nil {
		return &api.Error{Code: api.CodeInterrupted, Message: "the request was cancelled", Err: ctx.Err()}
	}
	var known *api.Error
	if errors.As(err, &known) {
		return err
	}
	return &api.Error{Code: api.CodeInternal, Message: "internal error", Err: fmt.Errorf("table %s: %w", t.ID, err)}
}
