package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zeebo/xxh3"
	"golang.org/x/sync/errgroup"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/snapshot"
)

// Parts are what queries have fetched: snapshots in a store of their own, without
// names that users know. The least recently used are removed first.

// Parts lists what queries have fetched.
type Parts struct {
	Parts []snapshot.Meta `json:"parts"` // never null
	Bytes int64           `json:"bytes"`
	// QuotaBytes limits them; 0 means no limit.
	QuotaBytes int64 `json:"quota_bytes"`
}

// ListParts lists the parts that are still here.
func ListParts(a *analyst.Analyst) (*Parts, error) {
	out := &Parts{Parts: []snapshot.Meta{}, QuotaBytes: a.PartsQuota}
	store := a.PartsStore()
	if store == nil {
		return out, nil
	}
	all, err := store.List()
	for _, m := range all {
		if m.Damage == nil {
			out.Parts = append(out.Parts, m)
			out.Bytes += m.BytesLocal
		}
	}
	return out, err
}

// planTries is how often a statement is planned if parts of its plan disappear
// before they can be used.
const planTries = 3

// Query runs one SELECT as Query does, but first fetches what it needs of
// tables that are not here.
func Query(ctx context.Context, a *analyst.Analyst, sql string, o Options) (*query.Result, error) {
	for try := 1; ; try++ {
		plan, err := ready(ctx, a, sql, o)
		if err != nil {
			return nil, err
		}
		if plan.AtSource != nil {
			result, err := askSource(ctx, a, plan.sql)
			if err == nil || ctx.Err() != nil {
				return result, err
			}
			plan.fetchAll() // the source rejects the statement for a reason that does not apply here
		}
		parts, err := take(ctx, a, plan, o)
		if again(err, try) {
			continue
		}
		if err != nil {
			return nil, changing(err)
		}
		result, err := query.RunParts(ctx, a, sql, o.Portable, parts, o.Views, o.Expected)
		if err == nil {
			result.Known = append(result.Known, plan.caveats...)
		}
		return result, err
	}
}

// Take pins what a statement needs of tables that are not here, and runs it nowhere: rows
// of snapshots and of earlier queries, or else they are fetched, within the limits of o,
// and kept for later. The caller closes the parts.
func Take(ctx context.Context, a *analyst.Analyst, sql string, o Options) ([]*query.Part, error) {
	for try := 1; ; try++ {
		plan, err := ready(ctx, a, sql, o)
		if err != nil {
			return nil, err
		}
		if plan.AtSource != nil {
			plan.fetchAll()
		}
		parts, err := take(ctx, a, plan, o)
		if !again(err, try) {
			return parts, changing(err)
		}
	}
}

// ready plans a statement that may run within the limits of o, and tells the plan.
func ready(ctx context.Context, a *analyst.Analyst, sql string, o Options) (*Plan, error) {
	plan, err := prepare(ctx, a, sql, o)
	if err != nil {
		return nil, err
	}
	if err := plan.within(o.MaxBytes); err != nil {
		return nil, err
	}
	if o.Kept && plan.reads() {
		return nil, &api.Error{Code: api.CodeBudget, Kind: api.KindNotKept,
			Message: "its rows are not all kept here, and the source is not read again"}
	}
	if o.OnPlan != nil {
		o.OnPlan(plan)
	}
	return plan, nil
}

// again reports whether what was to be reused is gone, and the statement is planned once more.
func again(err error, try int) bool { return errors.Is(err, fetch.ErrNotReusable) && try < planTries }

// changing words that parts disappear each time.
func changing(err error) error {
	if !errors.Is(err, fetch.ErrNotReusable) {
		return err
	}
	return &api.Error{Code: api.CodeSnapshotBusy, Kind: api.KindChanging, Message: "what this statement reads changes while it is fetched",
		Hint: "Try again, or read all of it at the source.", Next: []api.Step{api.Set(api.OptionFresh, "use nothing that is here")}, Err: err}
}

// reads reports whether the plan reads anything at the source.
func (p *Plan) reads() bool {
	return slices.ContainsFunc(p.Tables, func(t Table) bool {
		return t.From == FromSource || t.From == FromRemainder || t.From == FromFetch
	})
}

// within rejects a plan that reads more than the budget.
func (p *Plan) within(most int64) error {
	if most <= 0 || p.ScanBytes == nil || *p.ScanBytes <= most {
		return nil
	}
	var read []string
	for _, t := range p.Tables {
		if t.Estimate != nil {
			read = append(read, t.String())
		}
	}
	return &api.Error{Code: api.CodeBudget, Kind: api.KindFetchBytes,
		Message: fmt.Sprintf("this statement would read %s at the source, and a query may fetch %s", humanize.Bytes(*p.ScanBytes),
			humanize.Bytes(most)),
		Hint:    "Nothing was read. It needs " + strings.Join(read, "; ") + ".",
		Next:    []api.Step{api.Set(api.OptionMaxScanBytes, "allow more")},
		Details: map[string]any{"plan": p, "limit": most}}
}

// String returns the table's line in a plan for people.
func (t Table) String() string {
	text := t.TableID + " (" + strings.Join(t.Select, ", ")
	where := t.Where
	if t.From == FromRemainder {
		where = t.Reuse.Rest
	}
	if where != "" {
		text += " WHERE " + where
	}
	text = api.Clip(text, longestPart)
	for _, k := range t.Keys {
		text += ", " + k.String()
	}
	return text + ")"
}

// longestPart is the length at which the line for a part is cut, in characters.
const longestPart = 300

// take gets the rows of a plan, several tables at a time, and pins them.
func take(ctx context.Context, a *analyst.Analyst, plan *Plan, o Options) ([]*query.Part, error) {
	t := &taking{a: a, fresh: o.Fresh, progress: summed{report: o.OnProgress}, parts: map[string]*query.Part{}}
	here := map[string]chan struct{}{}
	var all []*query.Part
	for _, p := range plan.Tables {
		if p.From != FromHere {
			t.parts[p.TableID], here[p.TableID] = &query.Part{TableID: p.TableID, Columns: p.table.Columns, Types: p.types}, make(chan struct{})
			all = append(all, t.parts[p.TableID])
		}
	}
	group, groupCtx := errgroup.WithContext(ctx)
	running := make(chan struct{}, atOnce)
	for _, p := range plan.Tables {
		if p.From == FromHere {
			continue
		}
		group.Go(func() error {
			for _, k := range p.Keys { // only smaller tables have keys here, so tables cannot wait for each other in a cycle
				select {
				case <-here[k.Of]:
				case <-groupCtx.Done():
					return groupCtx.Err()
				}
			}
			running <- struct{}{}
			defer func() { <-running }()
			links, err := t.rows(groupCtx, p)
			if err == nil {
				t.parts[p.TableID].Links = links
				close(here[p.TableID])
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		for _, p := range all {
			p.Close()
		}
		return nil, err
	}
	return all, nil
}

// taking gets the rows of the tables of one plan.
type taking struct {
	a        *analyst.Analyst
	fresh    bool
	progress summed
	parts    map[string]*query.Part
}

// rows pins the rows of one table; nil if none are needed. The tables whose keys it
// needs have arrived.
func (t *taking) rows(ctx context.Context, p Table) (*snapshot.Links, error) {
	if err := t.narrow(ctx, &p); err != nil {
		return nil, err
	}
	switch p.From {
	case FromReuse:
		return p.found.Link()
	case FromFetch, FromRemainder:
		return t.fetch(ctx, p)
	}
	return nil, nil //nolint:nilnil // no row is needed
}

// narrow fills in key values of tables that have been fetched by now.
func (t *taking) narrow(ctx context.Context, p *Table) error {
	for _, k := range p.Keys {
		found := []string{}
		if other := t.parts[k.Of]; other.Links != nil {
			var err error
			if found, err = valuesIn(ctx, t.a, "FROM read_parquet("+duckdb.PathLiteral(other.File())+")", k.OfColumn); err != nil {
				return err
			}
		}
		p.among(k.Column, found)
	}
	return nil
}

// summed reports the progress of several fetches as one.
type summed struct {
	report      func(rows, bytes int64)
	mu          sync.Mutex
	rows, bytes int64
}

// progress returns the progress function for one of the fetches.
func (s *summed) progress() func(rows, bytes int64) {
	if s.report == nil {
		return nil
	}
	var hadRows, hadBytes int64
	return func(rows, bytes int64) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.rows, s.bytes = s.rows+rows-hadRows, s.bytes+bytes-hadBytes
		hadRows, hadBytes = rows, bytes
		s.report(s.rows, s.bytes)
	}
}

// busyWait is the interval between checks of a part that another process is
// fetching.
const busyWait = 100 * time.Millisecond

// fetch fetches a part, or waits for the process that is fetching it.
func (t *taking) fetch(ctx context.Context, p Table) (*snapshot.Links, error) {
	a := t.a
	store, err := snapshot.Open(a.PartsDir())
	if err != nil {
		return nil, err
	}
	remote, err := a.Connect()
	if err != nil {
		return nil, err
	}
	req := fetch.Request{Scan: p.request(), Name: p.name(remote.Name), Force: true, Fresh: t.fresh, OnProgress: t.progress.progress()}
	var most *int64
	if p.From == FromRemainder {
		most = p.Estimate.ScanBytes // as planned
	}
	for {
		links, err := fetch.RunPart(ctx, a, store, req, most)
		if err == nil && a.PartsQuota > 0 {
			// What this statement uses is pinned. A failed prune must not fail the
			// query.
			_, _ = store.Prune(snapshot.PrunePolicy{Auto: true, Quota: a.PartsQuota}, false, nil)
		}
		if !api.CodeSnapshotBusy.Is(err) {
			return links, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(busyWait):
		}
	}
}

// name depends only on the request and the rights.
func (t Table) name(server string) string {
	key := strings.Join(append([]string{server, t.rights, t.TableID, t.Where}, t.Select...), "\x00")
	return fmt.Sprintf("p_%x", xxh3.HashString128(key).Bytes())
}
