package lake

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/embedded"
	"github.com/agnes-data/da/statement"
)

var _ source.Querier = (*Lake)(nil)

// Inspect proves a statement and returns what it reads.
func (l *Lake) Inspect(ctx context.Context, sql string) (source.Statement, error) {
	sel, err := l.engines.Check(ctx, sql)
	if err != nil {
		return source.Statement{}, err
	}
	return source.Statement{Tables: sel.Tables, Columns: sel.Reads, Whole: sel.Whole}, nil
}

// Query runs a statement in its own session. Each relation is a view with its
// table's name, reduced to what the caller can see.
func (l *Lake) Query(ctx context.Context, sql string, tables map[string]source.Relation) (array.RecordReader, error) {
	sel, err := l.engines.Check(ctx, sql)
	if err != nil {
		return nil, err
	}
	return held(l, func(h *hold) (array.RecordReader, error) { return l.run(ctx, h, sel, tables) })
}

// run runs a statement that was proven.
func (l *Lake) run(ctx context.Context, h *hold, sel *statement.Select, tables map[string]source.Relation) (array.RecordReader, error) {
	views, err := l.views(ctx, h, tables)
	if err != nil {
		return nil, err
	}
	fail := func(err error) error {
		var setup *worker.SetupError
		if errors.As(err, &setup) {
			v := views.of[setup.Step]
			return l.failure(ctx, v.table, err, asking{seesAll: v.relation.Whole()})
		}
		if misnamed := l.misnamed(ctx, h, err, views.whole, tables); misnamed != nil {
			return misnamed
		}
		return l.failure(ctx, nil, err, asking{seesAll: views.whole, computes: true, sql: sel.SQL})
	}
	rows, err := l.engines.Isolated(ctx, worker.Job{Engine: l.engines.Settings(true), Setup: views.sql, SQL: sel.SQL}, h.files(), sel.Settings)
	if err != nil {
		return nil, fail(err)
	}
	r := newReader(embedded.Warned(rows, views.caveats(sel)), h, func(bool) {}, fail)
	if l.mirror != nil {
		return r.begin()
	}
	return r, nil
}

// misnamed returns the error for a statement that does not fit its tables, if the
// caller does not see all of them; nil if err is something else. The engine's own
// message could contain names that are hidden from the caller.
func (l *Lake) misnamed(ctx context.Context, h *hold, err error, all bool, tables map[string]source.Relation) error {
	var e *duckdb.Error
	if all || !errors.As(err, &e) || e.Type != "Binder" && e.Type != "Catalog" {
		return nil
	}
	shown := source.Shown{}
	for name, rel := range tables {
		t, lookupErr := l.table(ctx, h, rel)
		if lookupErr != nil {
			return lookupErr
		}
		for _, c := range t.columns {
			if rel.Sees(c.Name) {
				shown[name] = append(shown[name], c.Name)
			}
		}
	}
	return shown.Misnamed(api.KindBinder, err)
}

// views are the statements that create the views of a query.
type views struct {
	sql   []string
	of    []viewed // for each of sql
	whole bool     // the caller sees all of every table
}

// caveats returns those about what a statement reads. Those about files are only
// for tables that the caller sees completely.
func (v *views) caveats(sel *statement.Select) (all []api.Caveat) {
	for _, of := range v.of {
		switch {
		case !of.relation.Whole():
		case sel.Whole:
			all = append(all, of.table.caveats...)
		default:
			all = append(all, api.CaveatsAbout(sel.Reads, of.table.caveats)...)
		}
		for _, c := range of.table.columns {
			if c.cut && of.relation.Sees(c.Name) && (sel.Whole || slices.Contains(sel.Reads, strings.ToLower(c.Name))) {
				all = append(all, duckdb.NanosCut(c.Name))
			}
		}
	}
	return all
}

type viewed struct {
	table    *table
	relation source.Relation
}

// views writes the views of a statement, and brings the files that they read.
func (l *Lake) views(ctx context.Context, h *hold, tables map[string]source.Relation) (*views, error) {
	all := &views{whole: true}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		rel := tables[name]
		t, err := l.table(ctx, h, rel)
		if err != nil {
			return nil, err
		}
		if err := h.bring(ctx, t.set.files, true); err != nil {
			return nil, err
		}
		from, err := l.relation(ctx, h, t, t.set.files, 0)
		if err != nil {
			return nil, err
		}
		view, err := t.view(name, rel, from)
		if err != nil {
			return nil, err
		}
		all.whole = all.whole && rel.Whole()
		all.sql, all.of = append(all.sql, view), append(all.of, viewed{t, rel})
	}
	return all, nil
}

// view creates a temporary view of a relation over the rows of from.
func (t *table) view(name string, rel source.Relation, from string) (string, error) {
	var items, names []string
	for _, c := range t.columns {
		names = append(names, c.Name)
		if rel.Sees(c.Name) {
			items = append(items, duckdb.Quote(c.Name))
		}
	}
	from = duckdb.RowByRow(from, t.inParquet(names), nil)
	if len(items) == 0 {
		// The statement reads no column, it only counts rows.
		items = []string{"NULL AS _"}
	}
	sql := fmt.Sprintf("CREATE TEMP VIEW %s AS SELECT %s FROM %s", duckdb.Quote(name), strings.Join(items, ", "), from)
	if rel.Rule != nil {
		// A view must not depend on when it was made: a rule's clock is the
		// engine's.
		text, err := print.SQL(predicate.DuckDB, rel.Rule, predicate.Env{})
		if err != nil {
			return "", err
		}
		sql += " WHERE " + text + embedded.Barrier
	}
	return sql, nil
}
