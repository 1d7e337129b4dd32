package analyst

import (
	"context"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agnes-data/da/analyst/needs"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/snapshot"
	"github.com/agnes-data/da/statement"
)

// Plan says where the rows of a statement come from. It is deterministic for the
// same statement, tables and snapshots.
type Plan struct {
	Tables []PlannedTable `json:"tables"`
	// ScanBytes and CostUSD are the totals of all fetches; nil if unknown for any
	// of them.
	ScanBytes *int64   `json:"estimated_scan_bytes"`
	CostUSD   *float64 `json:"bq_cost_estimate_usd"`
	// AtSource says that the whole statement runs at the source; nil if it runs
	// here.
	AtSource *AtSource `json:"at_source,omitempty"`

	sql     string // the statement with the views that it reads
	caveats []api.Caveat
}

// The places that rows of a plan can come from.
const (
	FromHere      = "here"      // a snapshot, a synced table or a kept result of that name
	FromReuse     = "reuse"     // a snapshot or part that has the rows
	FromRemainder = "remainder" // a snapshot or part has some of the rows, the source the rest
	FromSource    = "source"    // the source, which runs the whole statement
	FromFetch     = "fetch"     // the source
	FromNothing   = "nothing"   // no row is needed
)

// PlannedTable is one table that a statement names.
type PlannedTable struct {
	TableID string   `json:"table_id"`
	From    string   `json:"from"`
	Select  []string `json:"select,omitempty"`
	Where   string   `json:"where,omitempty"` // in the table's dialect
	// Keys are conditions on columns that another table is joined by. That table
	// is fetched first, and its keys become the values.
	Keys     []KeyList         `json:"keys,omitempty"`
	Local    []string          `json:"local,omitempty"` // conditions that can only be checked on this machine, with the reason
	Reuse    *snapshot.Lineage `json:"reuse,omitempty"` // of FromReuse and FromRemainder
	Estimate *api.Estimate     `json:"estimate"`        // of what is read at the source; nil if nothing is

	table  needs.Table
	types  []string // of its columns, set once they are here
	rights string
	source string // see api.Estimate
	found  *reusable
}

// Plan determines what a statement needs of tables that are not here. It reads no
// rows. A fresh plan ignores snapshots and parts.
func (a *Analyst) Plan(ctx context.Context, sql string, fresh bool) (*Plan, error) {
	return a.plan(ctx, sql, QueryOptions{Fresh: fresh})
}

// plan is Plan of a statement that may read views.
func (a *Analyst) plan(ctx context.Context, sql string, o QueryOptions) (*Plan, error) {
	s, err := a.session()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	r := &QueryResult{sql: sql}
	defer r.Close()
	if r.checked, err = statement.CheckWithResults(ctx, s.engine.Conn, sql); err != nil {
		return nil, HintFiles(err)
	}
	if r.sel, err = o.Views.within(ctx, s.engine.Conn, r.checked); err != nil {
		return nil, err
	}
	kept, names := partition(r.sel.Tables, statement.IsResult)
	here, away, caveats := a.placeNames(ctx, names)
	dirs, err := s.link(ctx, r, kept, here)
	if err != nil {
		return nil, err
	}
	plan := &Plan{Tables: []PlannedTable{}, sql: r.sel.SQL, caveats: caveats}
	for _, name := range append(here, kept...) {
		plan.Tables = append(plan.Tables, PlannedTable{TableID: name, From: FromHere})
	}
	if len(away) == 0 {
		plan.addUp()
		return plan, nil
	}
	remote, err := a.Connect()
	if err != nil {
		return nil, err
	}
	tables, err := remoteTables(ctx, remote, away)
	if err != nil {
		return nil, err
	}
	if err := needs.Make(ctx, s.engine.Conn, tables); err != nil {
		return nil, err
	}
	if err := s.engine.Lockdown(ctx, dirs); err != nil {
		return nil, err
	}
	if err := needs.Configure(ctx, s.engine.Conn, r.sel.Settings); err != nil {
		return nil, err
	}
	for _, t := range tables {
		for _, c := range t.Columns {
			r.columns = append(r.columns, c.Name)
		}
	}
	found, err := needs.Find(ctx, s.engine.Conn, r.sel.SQL, tables)
	if err != nil {
		return nil, r.explain(ctx, err)
	}
	planned, err := a.place(ctx, remote, tables, found, o.Fresh)
	if err != nil {
		return nil, err
	}
	plan.Tables = append(plan.Tables, planned...)
	narrow := narrowing{a: a, remote: remote, conn: s.engine.Conn, fresh: o.Fresh, tables: plan.Tables}
	if err := narrow.run(ctx, r.sel.SQL); err != nil {
		return nil, err
	}
	if len(o.Expect) == 0 { // which are checked here
		if err := plan.consider(ctx, remote, s.engine.Conn, r.sel.SQL); err != nil {
			return nil, err
		}
	}
	plan.addUp()
	return plan, nil
}

// remoteTables describes tables of the catalog.
func remoteTables(ctx context.Context, remote Remote, names []string) ([]needs.Table, error) {
	tables := make([]needs.Table, len(names))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, name := range names {
		group.Go(func() error {
			schema, err := remote.Schema(ctx, name)
			if err != nil {
				return err
			}
			if err := notSynced(ctx, remote, name, nil); err != nil {
				return err
			}
			tables[i] = needs.Table{ID: name, Dialect: predicate.Dialect(schema.SQLFlavor), Engine: predicate.Dialect(schema.EngineFlavor), Columns: schema.Columns}
			return nil
		})
	}
	return tables, group.Wait()
}

// atOnce is how many requests of one statement run concurrently.
const atOnce = 4

// place decides where the rows of each table come from.
func (a *Analyst) place(ctx context.Context, remote Remote, tables []needs.Table, found []needs.Need, fresh bool) ([]PlannedTable, error) {
	planned := make([]PlannedTable, len(tables))
	here := sync.OnceValue(a.holdings) // the same for all tables
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, n := range found {
		p := &planned[i]
		*p = PlannedTable{TableID: n.TableID, From: FromNothing, Select: n.Columns, Where: n.Where, Local: n.Local, table: tables[i]}
		typed, err := predicate.NewSchema(tables[i].Dialect, tables[i].Columns)
		if err != nil {
			return nil, err
		}
		for _, f := range typed.Columns() {
			p.types = append(p.types, needs.LocalType(f.Type))
		}
		if n.Scanned {
			group.Go(func() error { return a.placeOne(ctx, remote, p, here, fresh) })
		}
	}
	return planned, group.Wait()
}

// placeOne decides where the needed rows of a table come from.
func (a *Analyst) placeOne(ctx context.Context, remote Remote, p *PlannedTable, here func() []holding, fresh bool) error {
	req := FetchRequest{Scan: p.request(), Fresh: fresh}
	est, err := remote.Estimate(ctx, req.Scan)
	if err != nil {
		return err
	}
	p.rights, p.source = est.Rights, est.Source
	p.From, p.Reuse, p.Estimate = FromFetch, nil, est.Shown()
	if p.found, err = a.find(ctx, remote, candidates(here, remote, req), est, req); err != nil || p.found == nil {
		return err
	}
	p.From, p.Reuse, p.Estimate = FromReuse, p.found.lineage(), nil
	p.Reuse.AsOf = time.Time{}
	if p.found.rest != nil {
		p.From, p.Estimate = FromRemainder, p.found.rest.Shown()
	}
	return nil
}

func (t PlannedTable) request() api.ScanRequest {
	return api.ScanRequest{TableID: t.TableID, Select: t.Select, Where: t.Where}
}

// planSoon is Plan for a statement that is refused anyway: it takes checkTime at
// most.
func (a *Analyst) planSoon(ctx context.Context, sql string) (*Plan, error) {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	return a.Plan(ctx, sql, false)
}

// brief is the plan in two lines: what the statement needs, and how much that
// reads.
func (p *Plan) brief() string {
	var needs []string
	for _, t := range p.Tables {
		if t.From != FromHere {
			needs = append(needs, t.String())
		}
	}
	reads := "an unknown number of bytes"
	if p.ScanBytes != nil {
		reads = humanize.Bytes(*p.ScanBytes)
	}
	return "The statement needs " + api.Clip(strings.Join(needs, "; "), longestBrief) + ".\nTo fetch that reads " + reads + " at the source."
}

// longestBrief is the length at which an error cuts the list of what a statement
// needs, in characters.
const longestBrief = 600

// addUp adds up what the fetches cost.
func (p *Plan) addUp() {
	bytes, cost := int64(0), 0.0
	p.ScanBytes, p.CostUSD = &bytes, &cost
	for _, t := range p.Tables {
		if t.Estimate == nil {
			continue
		}
		if t.Estimate.ScanBytes == nil {
			p.ScanBytes = nil
		} else {
			bytes += *t.Estimate.ScanBytes
		}
		if t.Estimate.CostUSD == nil {
			p.CostUSD = nil
		} else {
			cost += *t.Estimate.CostUSD
		}
	}
}

// placeNames separates the names that only this machine has from those of the
// catalog. A name of the catalog is the table: a snapshot of that name is no more
// than a candidate for its rows. Synced tables are whole, so they stand for
// themselves.
func (a *Analyst) placeNames(ctx context.Context, names []string) (here, away []string, caveats []api.Caveat) {
	for _, name := range names {
		_, err := a.Store.Get(name)
		switch {
		case err != nil && !a.holds(name):
			away = append(away, name)
		case err != nil:
			here = append(here, name)
		default:
			inCatalog, err := a.inCatalog(ctx, name)
			if inCatalog {
				away = append(away, name)
				continue
			}
			here = append(here, name)
			if err != nil {
				caveats = append(caveats, api.Caveat{Kind: api.CaveatNotTheTable, About: api.Subject{Snapshot: name}, Reason: "no_catalog",
					Text: "'" + name + "' is read from the snapshot: the catalog could not be asked for a table of that name"})
			}
		}
	}
	return here, away, caveats
}

// inCatalog reports whether the catalog has a table of that name that the user may
// read; err says that it could not be asked.
func (a *Analyst) inCatalog(ctx context.Context, name string) (bool, error) {
	remote, err := a.Connect()
	if err != nil {
		return false, err
	}
	_, err = remote.Schema(ctx, name)
	if api.CodeUnknownTable.Is(err) || api.CodeForbidden.Is(err) || api.CodeInvalidName.Is(err) {
		return false, nil
	}
	return err == nil, err
}
