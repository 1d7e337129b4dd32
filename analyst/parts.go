package analyst

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zeebo/xxh3"
	"golang.org/x/sync/errgroup"

	"github.com/agnes-data/da/analyst/checks"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/snapshot"
)

// Parts are what queries have fetched: snapshots in a store of their own, without
// names that users know. The least recently used are removed first.

func (a *Analyst) partsDir() string { return filepath.Join(a.Home, "parts") }

func (a *Analyst) openParts() (*snapshot.Store, error) { return snapshot.Open(a.partsDir()) }

func (a *Analyst) partsIfAny() *snapshot.Store { return storeIfAny(a.partsDir()) }

// Parts lists what queries have fetched.
type Parts struct {
	Parts []snapshot.Meta `json:"parts"` // never null
	Bytes int64           `json:"bytes"`
	// QuotaBytes limits them; 0 means no limit.
	QuotaBytes int64 `json:"quota_bytes"`
}

// Parts lists the parts that are still here.
func (a *Analyst) Parts() (*Parts, error) {
	out := &Parts{Parts: []snapshot.Meta{}, QuotaBytes: a.PartsQuota}
	store := a.partsIfAny()
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

// QueryOptions limit what a query may fetch.
type QueryOptions struct {
	Portable bool // see Query
	Fresh    bool // read at the source also what is here in parts and snapshots
	// MaxBytes limits what all fetches together read at the source; 0 means no
	// limit.
	MaxBytes int64
	// Kept refuses statements that would read anything at the source.
	Kept bool
	// Views are the views that the statement can read; nil if there are no views.
	Views *Views
	// Expect is what must be true of the whole result, if anything; OnChecked gets the
	// outcomes, before the rows come.
	Expect     []checks.Expectation
	OnChecked  func([]checks.Outcome)
	OnPlan     func(*Plan)
	OnProgress func(rows, bytes int64)
}

// planTries is how often a statement is planned if parts of its plan disappear
// before they can be used.
const planTries = 3

// QueryFetch runs one SELECT as Query does, but first fetches what it needs of
// tables that are not here.
func (a *Analyst) QueryFetch(ctx context.Context, sql string, o QueryOptions) (*QueryResult, error) {
	for try := 1; ; try++ {
		plan, err := a.plan(ctx, sql, o)
		if err != nil {
			return nil, err
		}
		if err := plan.within(o.MaxBytes); err != nil {
			return nil, err
		}
		if o.Kept && plan.reads() {
			return nil, &api.Error{Code: api.CodeBudget, Kind: api.KindNotKept, Message: "its rows are not all kept here, and the source is not read again"}
		}
		if o.OnPlan != nil {
			o.OnPlan(plan)
		}
		if plan.AtSource != nil {
			result, err := a.askSource(ctx, plan.sql)
			if err == nil || ctx.Err() != nil {
				return result, err
			}
			plan.fetchAll() // the source rejects the statement for a reason that does not apply here
		}
		parts, err := a.take(ctx, plan, o)
		if errors.Is(err, errNotReusable) {
			if try < planTries {
				continue
			}
			err = &api.Error{Code: api.CodeSnapshotBusy, Kind: api.KindChanging, Message: "what this statement reads changes while it is fetched", Hint: "Try again, or read all of it at the source.",
				Next: []api.Step{api.Set(api.OptionFresh, "use nothing that is here")}, Err: err}
		}
		if err != nil {
			return nil, err
		}
		result, err := a.queryParts(ctx, sql, parts, o)
		if err == nil {
			result.Known = append(result.Known, plan.caveats...)
		}
		return result, err
	}
}

// queryParts runs a statement over parts, and takes ownership of them.
func (a *Analyst) queryParts(ctx context.Context, sql string, parts map[string]*part, o QueryOptions) (*QueryResult, error) {
	s, err := a.session()
	if err != nil {
		closeParts(parts)
		return nil, err
	}
	s.parts = parts
	if o.Views != nil {
		s.steps = o.Views.steps
	}
	var result *QueryResult
	var outcomes []checks.Outcome
	if len(o.Expect) > 0 {
		result, outcomes, err = s.QueryExpecting(ctx, sql, o.Portable, o.Expect)
	} else {
		result, err = s.Query(ctx, sql, o.Portable)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	if o.OnChecked != nil {
		o.OnChecked(outcomes)
	}
	result.session = s
	return result, nil
}

// reads reports whether the plan reads anything at the source.
func (p *Plan) reads() bool {
	return slices.ContainsFunc(p.Tables, func(t PlannedTable) bool {
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
		Message: fmt.Sprintf("this statement would read %s at the source, and a query may fetch %s", humanize.Bytes(*p.ScanBytes), humanize.Bytes(most)),
		Hint:    "Nothing was read. It needs " + strings.Join(read, "; ") + ".",
		Next:    []api.Step{api.Set(api.OptionMaxScanBytes, "allow more")},
		Details: map[string]any{"plan": p, "limit": most}}
}

// String returns the table's line in a plan for people.
func (t PlannedTable) String() string {
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

// part is a table of a statement with its rows pinned.
type part struct {
	PlannedTable
	links *snapshot.Links // nil: no rows are needed
	file  string
	had   []string // columns of the file
}

func (p *part) close() {
	if p.links != nil {
		p.links.Close()
	}
}

func closeParts(parts map[string]*part) {
	for _, p := range parts {
		p.close()
	}
}

// take gets the rows of a plan, several tables at a time, and pins them.
func (a *Analyst) take(ctx context.Context, plan *Plan, o QueryOptions) (map[string]*part, error) {
	parts, here := map[string]*part{}, map[string]chan struct{}{}
	for _, t := range plan.Tables {
		if t.From != FromHere {
			parts[t.TableID], here[t.TableID] = &part{PlannedTable: t}, make(chan struct{})
		}
	}
	total := &summed{report: o.OnProgress}
	group, groupCtx := errgroup.WithContext(ctx)
	running := make(chan struct{}, atOnce)
	for _, p := range parts {
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
			err := a.takeOne(groupCtx, p, parts, o, total)
			if err == nil {
				close(here[p.TableID])
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		closeParts(parts)
		return nil, err
	}
	return parts, nil
}

// takeOne gets the rows of one table. The tables whose keys it needs have
// arrived.
func (a *Analyst) takeOne(ctx context.Context, p *part, parts map[string]*part, o QueryOptions, total *summed) error {
	if err := a.narrowBy(ctx, p, parts); err != nil {
		return err
	}
	switch p.From {
	case FromReuse:
		links, err := p.found.link()
		if err != nil {
			return err
		}
		p.hold(links)
	case FromFetch, FromRemainder:
		return a.fetchPart(ctx, p, o.Fresh, total.one())
	}
	return nil
}

// summed reports the progress of several fetches as one.
type summed struct {
	report      func(rows, bytes int64)
	mu          sync.Mutex
	rows, bytes int64
}

// one returns the progress function for one of the fetches.
func (s *summed) one() func(rows, bytes int64) {
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

// hold takes ownership of links to the one file of the part.
func (p *part) hold(links *snapshot.Links) {
	p.links = links
	p.file = links.Path(links.Metas[0].Name)
	for _, c := range links.Metas[0].Schema {
		p.had = append(p.had, c.Name)
	}
}

// busyWait is the interval between checks of a part that another process is
// fetching.
const busyWait = 100 * time.Millisecond

// fetchPart fetches a part, or waits for the process that is fetching it.
func (a *Analyst) fetchPart(ctx context.Context, p *part, fresh bool, progress func(rows, bytes int64)) error {
	store, err := a.openParts()
	if err != nil {
		return err
	}
	remote, err := a.Connect()
	if err != nil {
		return err
	}
	name := p.name(remote.Name)
	req := FetchRequest{Scan: p.request(), Name: name, Force: true, Fresh: fresh, OnProgress: progress, hold: p.hold, engine: a.onDemand()}
	defer req.engine.Close()
	if p.From == FromRemainder {
		req.most = p.Estimate.ScanBytes // as planned
	}
	for {
		_, err = a.fetchInto(ctx, store, nil, req)
		if !api.CodeSnapshotBusy.Is(err) {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(busyWait):
		}
	}
	if err != nil {
		return err
	}
	if a.PartsQuota > 0 {
		// What this statement uses is pinned. A failed prune must not fail the
		// query.
		_, _ = store.Prune(snapshot.PrunePolicy{Auto: true, Quota: a.PartsQuota}, false, nil)
	}
	return nil
}

// name depends only on the request and the rights.
func (p *part) name(server string) string {
	key := strings.Join(append([]string{server, p.rights, p.TableID, p.Where}, p.Select...), "\x00")
	return fmt.Sprintf("p_%x", xxh3.HashString128(key).Bytes())
}

// viewPart creates a view of a part with all columns of its table. Columns that
// the statement does not need are NULL.
func (s *Session) viewPart(ctx context.Context, r *QueryResult, p *part) error {
	items := make([]string, len(p.table.Columns))
	for i, c := range p.table.Columns {
		r.columns = append(r.columns, c.Name)
		items[i] = duckdb.Quote(c.Name)
		if !slices.Contains(p.had, c.Name) {
			items[i] = "NULL::" + p.types[i] + " AS " + items[i]
		}
	}
	from := " WHERE false"
	if p.links != nil {
		from = " FROM read_parquet(" + duckdb.PathLiteral(p.file) + ")"
	}
	if err := s.engine.Exec(ctx, "CREATE OR REPLACE VIEW "+duckdb.Quote(p.TableID)+" AS SELECT "+strings.Join(items, ", ")+from); err != nil {
		return &api.Error{Code: api.CodeReadFailed, Kind: api.KindDamaged, Message: fmt.Sprintf("what was fetched of '%s' cannot be read", p.TableID),
			Next: []api.Step{api.Set(api.OptionFresh, "fetch it again")}, Err: err}
	}
	return nil
}
