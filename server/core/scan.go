package core

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// prepared is a request that has been checked against rights, schema and limits.
type prepared struct {
	*permit
	scan   source.Scan
	schema *source.Schema
}

// prepare checks a request and records it for the audit.
func (s *Session) prepare(ctx context.Context, req api.ScanRequest, now time.Time, r *record) (_ *prepared, err error) {
	defer func() { err = withColumnsStep(err, req.TableID) }()
	v, err := s.readRights(ctx)
	if err != nil {
		return nil, err
	}
	p, err := v.authoriseAsOf(ctx, req.TableID)
	if err != nil {
		return nil, err
	}
	r.event.Data.Limit = req.Limit
	if err := s.checkLimit(req.Limit); err != nil {
		return nil, err
	}
	rel := source.Relation{Name: p.Relation, Columns: p.columns(), Reading: p.reading()}
	sc, err := s.core.schema(ctx, p.table, rel)
	if err != nil {
		return nil, err
	}
	sc = p.told(sc)
	typed, err := p.typed(sc)
	if err != nil {
		return nil, err
	}
	scan := source.Scan{Relation: rel, Limit: req.Limit, Env: predicate.Env{Now: now}}
	dialect := p.source.Dialect()
	if scan.Select, err = selectColumns(dialect, req.Select, typed, sc.Columns); err != nil {
		return nil, err
	}
	r.event.Data.Select = scan.Select
	if req.Where != "" {
		r.asked = req.Where
		if scan.Where, err = predicate.Parse(dialect, req.Where, typed); err != nil {
			return nil, err
		}
		r.where(scan.Where)
	}
	tested := predicate.Columns(scan.Where)
	for _, item := range req.OrderBy {
		order, err := predicate.ParseOrder(dialect, item, typed)
		if err != nil {
			return nil, inItem(err, "order_by", item)
		}
		if slices.ContainsFunc(scan.OrderBy, func(o predicate.Order) bool { return o.Column == order.Column }) {
			return nil, &api.Error{Code: api.CodeBadRequest, Message: fmt.Sprintf("column '%s' is ordered by twice", order.Column),
				Hint: "Name each column once.", Details: map[string]any{"column": order.Column}}
		}
		scan.OrderBy = append(scan.OrderBy, order)
		tested = append(tested, order.Column)
	}
	var ok bool
	if scan.Relation, ok = p.part(scan.Select, tested); !ok {
		if err := p.maskedColumn(scan.Select, tested, "neither conditions nor orders can use it"); err != nil {
			return nil, err
		}
		return nil, p.notTogether(slices.Concat(scan.Select, tested))
	}
	for _, c := range scan.Select {
		if _, masked := scan.Relation.Masks[c]; masked {
			r.event.Data.Masked = append(r.event.Data.Masked, c)
		}
	}
	prep := &prepared{permit: p, scan: scan, schema: sc}
	if req.Files && len(scan.Relation.Masks) == 0 { // files can be partitions by a masked column
		err = s.core.trace(ctx, prep, req.HeldFiles)
	}
	return prep, err
}

// longestItem is the length at which an error cuts an item of a list, in bytes.
const longestItem = 300

// inItem adds to an error in which list an item was rejected, and quotes it,
// because the position in a gate's error refers to the item.
func inItem(err error, list, item string) error {
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.CodeRejected {
		return err
	}
	out := *e
	out.Details = maps.Clone(e.Details)
	if out.Details == nil {
		out.Details = map[string]any{}
	}
	out.Details["in"] = list
	if len(item) <= longestItem {
		out.Details["item"] = item
	}
	return &out
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
			return nil, inItem(err, "select", item)
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

func (s *Session) checkLimit(limit *int64) error {
	most, key := s.core.limits.Scan.MaxLimit, api.CapKey(capRows)
	if limit == nil || *limit >= 0 && *limit <= most {
		return nil
	}
	e := &api.Error{Code: api.CodeBadRequest, Kind: api.KindLimit, Message: fmt.Sprintf("limit %d is negative", *limit),
		Next:    []api.Step{api.SetTo(api.OptionLimit, "1", "get one row; more get more")},
		Details: map[string]any{"limit": *limit, "max_limit": most, "key": key}}
	if *limit > most {
		e.Message = fmt.Sprintf("limit %d is more than one request may return: %d rows", *limit, most)
		e.Next = []api.Step{api.SetTo(api.OptionLimit, fmt.Sprint(most), "get as many as one request returns")}
		e.Hint = "Use a smaller limit, or a narrower predicate. The operator can raise " + key + " in the instance file."
		if s.who.Local {
			e.Hint = "Use a smaller limit, or raise " + key + " in " + s.core.file + "."
		}
	}
	return e
}

// Estimate implements api.Scanner.
func (s *Session) Estimate(ctx context.Context, req api.ScanRequest) (*api.Estimate, error) {
	ctx = s.owned(ctx)
	r := s.begin(api.EventEstimate, req.TableID)
	var est *api.Estimate
	p, err := s.prepare(ctx, req, s.core.now().UTC(), r)
	if err == nil {
		p.scan.Account = s.account(r)
		ctx, cancel := s.core.withTimeout(ctx)
		defer cancel()
		if est, err = s.core.estimateOf(ctx, p); err == nil {
			err = s.core.identify(ctx, p, est)
			r.event.Data.EstimatedBytes = est.ScanBytes
		}
	}
	if err := r.end(ctx, err); err != nil {
		return nil, err
	}
	return est, nil
}

// estimate asks the source. Under a row rule, the estimate is for the rule alone
// and has no row counts: the caller must not learn how many hidden rows there
// are, or which of them a predicate matches.
func (c *Core) estimate(ctx context.Context, t *table, scan source.Scan) (*api.Estimate, error) {
	ruled := scan.Relation.Rule != nil
	if ruled {
		scan.Where, scan.Limit = nil, nil
	}
	defer c.quiet.begin()()
	est, err := t.source.Estimate(ctx, scan)
	if err != nil {
		return nil, c.sourceError(ctx, t, err)
	}
	est.TableID = t.ID
	if est.CostUSD == nil && est.BilledBytes != nil {
		est.CostUSD = c.cost(*est.BilledBytes)
	}
	if est.RowRule = ruled; ruled {
		est.ResultRows, est.RowsLow, est.RowsHigh, est.ResultBytes, est.TableRows, est.RowsUpperBound = nil, nil, nil, nil, nil, nil
	}
	c.compareWithCaps(est)
	return est, nil
}

// compareWithCaps sets whether the caps would cut the result, if that is known.
func (c *Core) compareWithCaps(est *api.Estimate) {
	yes, no := true, false
	rows, bytes := c.limits.Scan.MaxLimit, c.limits.Scan.MaxResultBytes
	switch {
	case est.RowsLow != nil && *est.RowsLow > rows:
		est.ResultTruncated, est.CutBy = &yes, &api.Cap{Key: api.CapKey(capRows), Limit: rows, Unit: "rows", Certain: true}
	case est.ResultBytes != nil && *est.ResultBytes > bytes:
		est.ResultTruncated, est.CutBy = &yes, &api.Cap{Key: api.CapKey(capBytes), Limit: bytes, Unit: "bytes"}
	case est.RowsHigh != nil && est.ResultBytes != nil:
		est.ResultTruncated = &no
	}
}

// Scan implements api.Scanner.
func (s *Session) Scan(ctx context.Context, req api.ScanRequest) (*api.Stream, error) {
	ctx = s.owned(ctx)
	r := s.begin(api.EventScan, req.TableID)
	now := s.core.now().UTC().Truncate(time.Microsecond)
	p, err := s.prepare(ctx, req, now, r)
	if err != nil {
		return nil, r.end(ctx, err)
	}
	var files func() []api.FileRows
	return s.stream(ctx, r, job{
		files: func() []api.FileRows { return files() },
		table: p.table, now: now, ordered: p.scan.Ordered(), ruled: p.scan.Relation.Rule != nil, refuseCut: req.RefuseCut,
		estimate: func(ctx context.Context) (*api.Estimate, error) {
			p.scan.Account = s.account(r)
			return s.core.estimateOf(ctx, p)
		},
		run: func(ctx context.Context) (array.RecordReader, error) {
			p.scan.Account = s.account(r)
			return s.core.rows(ctx, p.table, p.scan, p.schema.Columns, func(rows array.RecordReader) (array.RecordReader, error) {
				files = s.core.filesOf(p, rows)
				if rows, err = s.core.traced(p, rows); err != nil {
					return nil, err
				}
				return s.core.notice(ctx, p, rows), nil
			})
		},
	})
}

// job describes a request that is about to run.
type job struct {
	table   *table // for errors
	now     time.Time
	ordered bool
	ruled   bool   // a row rule applies
	limit   *int64 // the caller's row limit, unless run applies it
	// refuseCut refuses a result that is known to exceed a cap.
	refuseCut bool
	// estimate returns the cost; run starts the work.
	estimate func(context.Context) (*api.Estimate, error)
	run      func(context.Context) (array.RecordReader, error)
	// files, if set, is called after the last row for api.End.Files.
	files func() []api.FileRows
}

// stream admits a request, starts it under the request's timeout, and applies
// caps and audit.
func (s *Session) stream(ctx context.Context, r *record, w job) (*api.Stream, error) {
	c := s.core
	outer := ctx
	ctx, done := c.work.begin(ctx, r)
	ctx, cancel := c.withTimeout(ctx)
	over := c.quiet.begin()
	rdr, err := s.start(ctx, r, w)
	if err != nil {
		err = c.sourceError(ctx, w.table, err)
		cancel()
		done()
		over()
		return nil, r.end(outer, err)
	}
	maxRows := c.limits.Scan.MaxLimit
	if w.limit != nil {
		maxRows = *w.limit
	}
	batches := &metered{ctx: outer, record: r, capped: newCapped(rdr, maxRows, c.limits.Scan.MaxResultBytes, func(err error) error {
		return c.sourceError(ctx, w.table, err)
	})}
	batches.own = w.limit != nil
	if r.lease != nil {
		batches.allow = func(total int64) (int64, string, error) { return r.lease.Deliver(outer, total) }
	}
	return &api.Stream{
		RequestID:     r.event.RequestID,
		EffectiveAsOf: w.now,
		Ordered:       w.ordered,
		RowRule:       w.ruled,
		Batches:       batches,
		End: func() api.End {
			end := batches.end
			if end.Truncated {
				c.log.Warn("result truncated", "table", w.table.ID, "cap", end.Cap, "rows", end.Rows, "bytes", end.Bytes, "request_id",
					r.event.RequestID)
			}
			if w.files != nil && !end.Truncated {
				end.Files = w.files()
			}
			return end
		},
		CloseFunc: func() {
			cancel()
			done()
			batches.leave()
			over()
		},
	}, nil
}

// start admits and runs. What computes its rows here does all of that in one turn: when
// many requests come at once, estimating and admitting them takes as long as running.
func (s *Session) start(ctx context.Context, r *record, w job) (array.RecordReader, error) {
	computer, ok := w.table.source.(source.InProcessSource)
	here := ok && computer.ComputesHere()
	if here {
		defer s.core.turns.take(ctx)()
	}
	if s.bounded() || w.refuseCut {
		est, err := w.estimate(ctx)
		if err == nil && w.refuseCut {
			err = s.checkCaps(est)
		}
		if err == nil && s.bounded() {
			err = s.admit(ctx, r, est)
		}
		if err != nil {
			return nil, err
		}
	}
	rows, err := w.run(ctx)
	if err != nil || !here {
		return rows, err
	}
	return &inTurn{rows, ctx, s.core.turns}, nil
}

// errTimeout is the cause of a context that exceeded the request timeout.
var errTimeout = errors.New("request_timeout_seconds is over")

func (c *Core) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, c.limits.Scan.RequestTimeout, errTimeout)
}

// sourceError translates a source's error into the shared vocabulary. It checks
// ctx first, because an interrupted engine can return any error.
func (c *Core) sourceError(ctx context.Context, t *table, err error) error {
	if errors.Is(context.Cause(ctx), errTimeout) {
		seconds := int64(c.limits.Scan.RequestTimeout / time.Second)
		return &api.Error{Code: api.CodeTimeout, Err: err,
			Message: fmt.Sprintf("the request on '%s' took longer than %d s", t.ID, seconds),
			Hint:    "Ask for fewer rows or columns; the operator can raise api.scan.request_timeout_seconds.",
			Details: map[string]any{"table_id": t.ID, "timeout_seconds": seconds}}
	}
	if err := stopped(ctx); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return &api.Error{Code: api.CodeInterrupted, Message: "the request was cancelled", Err: ctx.Err()}
	}
	var known *api.Error
	if errors.As(err, &known) {
		if t.partial {
			return t.withoutNames(known)
		}
		return err
	}
	return &api.Error{Code: api.CodeInternal, Message: "internal error", Err: fmt.Errorf("table %s: %w", t.ID, err)}
}

// withoutNames hides file names from callers who see only part of the table: a
// file may be named after its contents.
func (t *table) withoutNames(e *api.Error) error {
	switch {
	case e.Code == api.CodeSource:
		return &api.Error{Code: e.Code, Kind: e.Kind, Message: fmt.Sprintf("the source of '%s' cannot be read as it is", t.ID),
			Hint: "The log of the server says more.", Err: e}
	case e.Code == api.CodeQueryFailed && e.Details["file"] != nil:
		return &api.Error{Code: e.Code, Kind: e.Kind, Message: fmt.Sprintf("a value of '%s' does not fit its column", t.ID), Err: e}
	}
	return e
}
