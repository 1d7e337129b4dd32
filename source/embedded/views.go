package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/suggest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/statement"
)

// Inspect proves a statement and returns what it reads.
func (e *Engines) Inspect(ctx context.Context, sql string) (source.Statement, error) {
	sel, err := e.Check(ctx, sql)
	if err != nil {
		return source.Statement{}, err
	}
	return source.Statement{Tables: sel.Tables, Columns: sel.Reads, Whole: sel.Whole}, nil
}

// Views are the tables of a statement: views with their names, reduced to what the
// caller can see.
type Views struct {
	Setup []string // the statements that create them
	Part  bool     // the caller does not see all of every table
	shown source.Shown
}

// Add adds a table with these columns, whose rows are those of from.
func (v *Views) Add(name string, rel source.Relation, columns []string, from string) error {
	var items []string
	for _, c := range columns {
		if rel.Sees(c) {
			items, v.shown = append(items, duckdb.Quote(c)), v.shown.With(name, c)
		}
	}
	if len(items) == 0 {
		items = []string{"NULL AS _"} // the statement reads no column, it only counts rows
	}
	sql := fmt.Sprintf("CREATE TEMP VIEW %s AS SELECT %s FROM %s", duckdb.Quote(name), strings.Join(items, ", "), from)
	if rel.Rule != nil {
		// A view must not depend on when it was made: a rule's clock is the engine's.
		text, err := print.SQL(predicate.DuckDB, rel.Rule, predicate.Env{})
		if err != nil {
			return err
		}
		sql += " WHERE " + text + Barrier
	}
	v.Setup, v.Part = append(v.Setup, sql), v.Part || !rel.Whole()
	return nil
}

// Misnamed returns the error for a statement that does not fit its tables, if the
// caller does not see all of them; nil if err is something else. The engine's own
// message could contain names that are hidden from the caller.
func (v *Views) Misnamed(err error) error {
	var e *duckdb.Error
	if !v.Part || !errors.As(err, &e) || e.Type != "Binder" && e.Type != "Catalog" {
		return nil
	}
	return v.shown.Misnamed(api.KindBinder, err)
}

// Explain adds to the error of a statement where the mistake is and which columns may
// have been meant, if the caller sees all of its tables.
func (v *Views) Explain(sel *statement.Select, err error) error {
	var out *api.Error
	var e *duckdb.Error
	if v.Part || !errors.As(err, &out) || !errors.As(err, &e) || e.Type != "Binder" {
		return err
	}
	if out.Details == nil {
		out.Details = map[string]any{}
	}
	sel.Locate(out.Details, e.Position)
	columns := slices.Concat(slices.Collect(maps.Values(v.shown))...)
	slices.Sort(columns)
	columns = slices.Compact(columns)
	if near := suggest.Near(e.Name, columns); len(e.Candidates) == 0 && len(near) > 0 {
		out.Details["suggestions"], out.Hint = near, predicate.DidYouMean(predicate.DuckDB, near, nil)
	}
	out.Hint = cmp.Or(statement.Elsewhere(sel.SQL, e.Position), out.Hint)
	return out
}
