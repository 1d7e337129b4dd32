package lake

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/embedded"
	"github.com/agnes-data/da/statement"
)

var _ source.Binder = (*Lake)(nil)

// Inspect proves a statement and returns what it reads.
func (l *Lake) Inspect(ctx context.Context, sql string) (source.Statement, error) {
	return l.engines.Inspect(ctx, sql)
}

// Query runs a statement in its own session.
func (l *Lake) Query(ctx context.Context, sql string, tables map[string]source.Relation) (array.RecordReader, error) {
	sel, err := l.engines.Check(ctx, sql)
	if err != nil {
		return nil, err
	}
	return held(l, func(h *hold) (array.RecordReader, error) { return l.run(ctx, h, sel, tables) })
}

// Bind implements source.Binder.
func (l *Lake) Bind(ctx context.Context, sql string, tables map[string]source.Relation) error {
	return l.engines.Bind(ctx, sql, tables, l.Schema, func(err error, seesAll bool) error {
		return l.failure(ctx, nil, err, asking{seesAll: seesAll, computes: true})
	})
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
		if misnamed := views.Misnamed(err); misnamed != nil {
			return misnamed
		}
		return views.Explain(sel, l.failure(ctx, nil, err, asking{seesAll: !views.Part, computes: true}))
	}
	rows, err := l.engines.Isolated(ctx, worker.Job{Engine: l.engines.Settings(true), Setup: views.Setup, SQL: sel.SQL}, h.files(),
		sel.Settings)
	if err != nil {
		return nil, fail(err)
	}
	r := newReader(embedded.Warned(rows, views.caveats(sel)), h, func(bool) {}, fail)
	if l.mirror != nil {
		return r.begin()
	}
	return r, nil
}

// views are the tables of a statement.
type views struct {
	embedded.Views
	of []viewed // for each of Setup
}

type viewed struct {
	table    *table
	relation source.Relation
}

// caveats returns those about what a statement reads. Those about files are only
// for tables that the caller sees completely.
func (v *views) caveats(sel *statement.Select) (all []api.Caveat) {
	for _, of := range v.of {
		told := of.relation.Told(of.table.caveats)
		if !sel.Whole {
			told = api.CaveatsAbout(sel.Reads, told)
		}
		all = append(all, told...)
		for _, c := range of.table.columns {
			if c.cut && of.relation.Sees(c.Name) && (sel.Whole || slices.Contains(sel.Reads, strings.ToLower(c.Name))) {
				all = append(all, duckdb.NanosCut(c.Name))
			}
		}
	}
	return all
}

// views writes the views of a statement, and brings the files that they read.
func (l *Lake) views(ctx context.Context, h *hold, tables map[string]source.Relation) (*views, error) {
	all := &views{}
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
		names := make([]string, len(t.columns))
		for i, c := range t.columns {
			names[i] = c.Name
		}
		if err := all.Add(name, rel, names, duckdb.RowByRow(from, t.inParquet(names), nil)); err != nil {
			return nil, err
		}
		all.of = append(all.of, viewed{t, rel})
	}
	return all, nil
}
