package plan

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/needs"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/statement"
)

// Make determines what a statement needs of tables that are not here. It reads no
// rows. A fresh plan ignores snapshots and parts.
func Make(ctx context.Context, a *analyst.Analyst, sql string, fresh bool) (*Plan, error) {
	return prepare(ctx, a, sql, Options{Fresh: fresh})
}

// prepare is Plan of a statement that may read views.
func prepare(ctx context.Context, a *analyst.Analyst, sql string, o Options) (*Plan, error) {
	s, err := query.NewSession(a, nil)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	r, err := s.Prove(ctx, sql, o.Views)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	here, away, caveats := placeNames(ctx, a, r.Select.Tables)
	dirs, err := s.Link(ctx, r, here)
	if err != nil {
		return nil, err
	}
	plan := &Plan{Tables: []Table{}, sql: r.Select.SQL, caveats: caveats}
	for _, name := range here {
		plan.Tables = append(plan.Tables, Table{TableID: name, From: FromHere})
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
	for i := range tables {
		tables[i].Columns = distinct(r.Select, tables[i].Columns)
	}
	if err := needs.Make(ctx, s.Engine.Conn, tables); err != nil {
		return nil, err
	}
	if err := s.Engine.Lockdown(ctx, dirs); err != nil {
		return nil, err
	}
	if err := needs.Configure(ctx, s.Engine.Conn, r.Select.Settings); err != nil {
		return nil, err
	}
	for _, t := range tables {
		for _, c := range t.Columns {
			r.Know(c.Name)
		}
	}
	found, err := needs.Find(ctx, s.Engine.Conn, r.Select.SQL, tables)
	if err != nil {
		return nil, r.Explain(ctx, err)
	}
	planned, err := chooseOrigins(ctx, a, remote, tables, found, o.Fresh)
	if err != nil {
		return nil, err
	}
	plan.Tables = append(plan.Tables, planned...)
	narrow := narrowing{a: a, remote: remote, conn: s.Engine.Conn, fresh: o.Fresh, tables: plan.Tables}
	if err := narrow.run(ctx, r.Select.SQL); err != nil {
		return nil, err
	}
	if len(o.Expected.All) == 0 { // which are checked here
		if err := plan.consider(ctx, remote, s.Engine.Conn, r.Select.SQL); err != nil {
			return nil, err
		}
	}
	plan.addUp()
	return plan, nil
}

// remoteTables describes tables of the catalog.
func remoteTables(ctx context.Context, remote analyst.Remote, names []string) ([]needs.Table, error) {
	tables := make([]needs.Table, len(names))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, name := range names {
		group.Go(func() error {
			schema, err := remote.Schema(ctx, name)
			if err != nil {
				return err
			}
			if err := query.NotSynced(ctx, remote, name, nil); err != nil {
				return err
			}
			tables[i] = needs.Table{ID: name, Dialect: predicate.Dialect(schema.SQLFlavor), Engine: predicate.Dialect(schema.EngineFlavor),
				Columns: schema.Columns}
			return nil
		})
	}
	return tables, group.Wait()
}

// atOnce is how many requests of one statement run concurrently.
const atOnce = 4

// chooseOrigins decides where the rows of each table come from.
func chooseOrigins(ctx context.Context, a *analyst.Analyst, remote analyst.Remote, tables []needs.Table, found []needs.Need,
	fresh bool) ([]Table, error) {
	planned := make([]Table, len(tables))
	here := fetch.Holdings(a) // the same for all tables
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, n := range found {
		p := &planned[i]
		*p = Table{TableID: n.TableID, From: FromNothing, Select: n.Columns, Where: n.Where, Local: n.Local, table: tables[i]}
		typed, err := predicate.NewSchema(tables[i].Dialect, tables[i].Columns)
		if err != nil {
			return nil, err
		}
		for _, f := range typed.Columns() {
			p.types = append(p.types, needs.LocalType(f.Type))
		}
		if n.Scanned {
			group.Go(func() error { return placeOne(ctx, a, remote, p, here, fresh) })
		}
	}
	return planned, group.Wait()
}

// placeOne decides where the needed rows of a table come from.
func placeOne(ctx context.Context, a *analyst.Analyst, remote analyst.Remote, p *Table, here func() []fetch.Holding, fresh bool) error {
	req := fetch.Request{Scan: p.request(), Fresh: fresh}
	est, err := remote.Estimate(ctx, req.Scan)
	if err != nil {
		return err
	}
	p.rights, p.source = est.Rights, est.Source
	p.From, p.Reuse, p.Estimate = FromFetch, nil, est.Shown()
	if p.found, err = fetch.FindReusable(ctx, a, remote, here, est, req); err != nil || p.found == nil {
		return err
	}
	p.From, p.Reuse, p.Estimate = FromReuse, p.found.Lineage(), nil
	p.Reuse.AsOf = time.Time{}
	if p.found.Remaining != nil {
		p.From, p.Estimate = FromRemainder, p.found.Remaining.Shown()
	}
	return nil
}

// placeNames separates the names that only this machine has from those of the
// catalog. A name of the catalog is the table: a snapshot of that name is no more
// than a candidate for its rows. Synced tables are whole, so they stand for
// themselves.
func placeNames(ctx context.Context, a *analyst.Analyst, names []string) (here, away []string, caveats []api.Caveat) {
	for _, name := range names {
		_, err := a.Store.Get(name)
		_, version := api.AsOf(name)
		switch {
		case statement.IsResult(name): // not the version r1 of a table
			here = append(here, name)
		case version != "":
			away = append(away, name) // only its source knows versions
		case err != nil && !keep.Holds(a, name):
			away = append(away, name)
		case err != nil:
			here = append(here, name)
		default:
			inCatalog, err := inCatalog(ctx, a, name)
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
func inCatalog(ctx context.Context, a *analyst.Analyst, name string) (bool, error) {
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

// distinct leaves out columns whose names are one for the engine, if a statement reads none of
// them.
func distinct(sel *statement.Select, columns []api.Column) []api.Column {
	had := map[string]int{}
	for _, c := range columns {
		had[duckdb.FoldCase(c.Name)]++
	}
	return slices.DeleteFunc(slices.Clone(columns), func(c api.Column) bool {
		name := duckdb.FoldCase(c.Name)
		return had[name] > 1 && !sel.Whole && !slices.Contains(sel.Reads, name)
	})
}
