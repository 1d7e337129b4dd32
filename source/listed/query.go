package listed

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

// Inspect proves a statement and returns what it reads.
func (s *Source) Inspect(ctx context.Context, sql string) (source.Statement, error) {
	sel, err := s.engines.Check(ctx, sql)
	if err != nil {
		return source.Statement{}, err
	}
	return source.Statement{Tables: sel.Tables, Columns: sel.Reads, Whole: sel.Whole}, nil
}

// Query runs a statement in a process of its own. Each relation is a view with its
// table's name, reduced to what the caller can see.
func (s *Source) Query(ctx context.Context, sql string, tables map[string]source.Relation) (array.RecordReader, error) {
	sel, err := s.engines.Check(ctx, sql)
	if err != nil {
		return nil, err
	}
	return with(s, func(r *Request) (array.RecordReader, error) { return s.run(ctx, r, sel, tables) })
}

// run runs a statement that was proven.
func (s *Source) run(ctx context.Context, r *Request, sel *statement.Select, tables map[string]source.Relation) (array.RecordReader, error) {
	asked, shown := asking{seesAll: true, computes: true}, source.Shown{}
	job := worker.Job{Engine: s.engines.Settings(true), SQL: sel.SQL}
	var caveats []api.Caveat
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		rel := tables[name]
		t, err := s.table(ctx, r, rel)
		if err != nil {
			return nil, err
		}
		view, err := s.view(ctx, r, t, name, rel)
		if err != nil {
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
		job.Setup = append(job.Setup, view)
		asked.seesAll = asked.seesAll && rel.Whole()
		for _, c := range t.Columns {
			if rel.Sees(c.Name) {
				shown[name] = append(shown[name], c.Name)
			}
		}
		said := api.CaveatsAbout(shown[name], t.Caveats)
		if !sel.Whole {
			said = api.CaveatsAbout(sel.Reads, said)
		}
		caveats = append(caveats, said...)
	}
	fail := func(err error) error {
		var e *duckdb.Error
		if !asked.seesAll && errors.As(err, &e) && (e.Type == "Binder" || e.Type == "Catalog") {
			return shown.Misnamed(api.KindBinder, err)
		}
		return s.failure(ctx, r, err, asked)
	}
	rows, err := s.engines.Isolated(ctx, job, r.files, sel.Settings)
	if err != nil {
		return nil, fail(err)
	}
	return newReader(embedded.Warned(rows, caveats), r, func(bool) {}, fail), nil
}

// view creates a temporary view of what a caller sees of a table.
func (s *Source) view(ctx context.Context, r *Request, t *Table, name string, rel source.Relation) (string, error) {
	files, _, err := s.files(ctx, r, t, source.Scan{Relation: rel})
	if err != nil {
		return "", err
	}
	from, err := t.relationOf(ctx, r, files)
	if err != nil {
		return "", err
	}
	var items []string
	for _, c := range t.Columns {
		if rel.Sees(c.Name) {
			items = append(items, duckdb.Quote(c.Name))
		}
	}
	if len(items) == 0 {
		items = []string{"NULL AS _"} // the statement reads no column, it only counts rows
	}
	from = duckdb.RowByRow(from, engineColumns(t.Columns), nil)
	sql := fmt.Sprintf("CREATE TEMP VIEW %s AS SELECT %s FROM %s", duckdb.Quote(name), strings.Join(items, ", "), from)
	if rel.Rule == nil {
		return sql, nil
	}
	// A view must not depend on when it was made: a rule's clock is the engine's.
	text, err := print.SQL(predicate.DuckDB, rel.Rule, predicate.Env{})
	return sql + " WHERE " + text + embedded.Barrier, err
}
