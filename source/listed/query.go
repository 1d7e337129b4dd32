package listed

import (
	"context"
	"maps"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/embedded"
	"github.com/agnes-data/da/statement"
)

// Inspect proves a statement and returns what it reads.
func (s *Source) Inspect(ctx context.Context, sql string) (source.Statement, error) {
	return s.engines.Inspect(ctx, sql)
}

// Query runs a statement in a process of its own.
func (s *Source) Query(ctx context.Context, sql string, tables map[string]source.Relation) (array.RecordReader, error) {
	sel, err := s.engines.Check(ctx, sql)
	if err != nil {
		return nil, err
	}
	return with(ctx, s, func(r *Request) (array.RecordReader, error) { return s.run(ctx, r, sel, tables) })
}

// Bind implements source.Binder.
func (s *Source) Bind(ctx context.Context, sql string, tables map[string]source.Relation) error {
	return s.engines.Bind(ctx, sql, tables, s.Schema, func(err error, seesAll bool) error {
		return s.failure(ctx, &Request{}, err, asking{seesAll: seesAll, computes: true})
	})
}

// run runs a statement that was proven.
func (s *Source) run(ctx context.Context, r *Request, sel *statement.Select,
	tables map[string]source.Relation) (array.RecordReader, error) {
	job, views := worker.Job{Engine: s.engines.Settings(true), SQL: sel.SQL}, &embedded.Views{}
	var caveats []api.Caveat
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		rel := tables[name]
		t, err := s.table(ctx, r, rel)
		if err != nil {
			return nil, err
		}
		if err := s.view(ctx, r, t, name, rel, views); err != nil {
			return nil, s.failure(ctx, r, err, asking{})
		}
		if plan, ok := t.Plan.(Apart); ok {
			reads := func(c string) bool { // as a view names its columns, and its rule's
				return rel.Sees(c) || slices.Contains(predicate.Columns(rel.Rule), c)
			}
			if err := plan.Prepare(r, &job, reads, -1); err != nil {
				return nil, err
			}
		}
		said := slices.DeleteFunc(slices.Clone(t.Caveats), func(c api.Caveat) bool { return !rel.SeesAll(c) })
		if !sel.Whole {
			said = api.CaveatsAbout(sel.Reads, said)
		}
		caveats = append(caveats, said...)
	}
	fail := func(err error) error {
		if misnamed := views.Misnamed(err); misnamed != nil {
			return misnamed
		}
		return views.Explain(sel, s.failure(ctx, r, err, asking{seesAll: !views.Part, computes: true}))
	}
	job.Setup = append(job.Setup, views.Setup...)
	rows, err := s.engines.Isolated(ctx, job, r.files, sel.Settings)
	if err != nil {
		return nil, fail(err)
	}
	return newReader(embedded.Warned(rows, caveats), r, func(bool) {}, fail), nil
}

// view adds a table to those of a statement.
func (s *Source) view(ctx context.Context, r *Request, t *Table, name string, rel source.Relation, views *embedded.Views) error {
	files, _, err := s.files(ctx, r, t, source.Scan{Relation: rel})
	if err != nil {
		return err
	}
	from, err := t.relationOf(ctx, r, files, "")
	if err != nil {
		return err
	}
	return views.Add(name, rel, t.names(), duckdb.RowByRow(from, engineColumns(t.Columns), nil))
}

func (t *Table) names() []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}
