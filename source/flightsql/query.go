package flightsql

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/statement"
)

// querier is an engine that is DuckDB, whose parser is at hand: it runs whole
// statements, too. What another engine makes of a statement nobody here can
// prove.
type querier struct{ *FlightSQL }

var _ source.Querier = querier{}

// Inspect proves a statement and tells what it reads. It asks no engine but one
// of its own, which holds nothing.
func (q querier) Inspect(ctx context.Context, sql string) (source.Statement, error) {
	sel, _, err := prove(ctx, sql)
	if err != nil {
		return source.Statement{}, err
	}
	return source.Statement{Tables: sel.Tables, Columns: sel.Reads, Whole: sel.Whole}, nil
}

// prove checks a statement and writes it anew from its tree, so that nothing of
// the user's text reaches the engine but what the parser has understood.
func prove(ctx context.Context, sql string) (sel *statement.Select, written string, err error) {
	db, err := duckdb.Open(duckdb.Options{Threads: 1})
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = db.Close() }()
	c, err := db.Conn()
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = c.Close() }()
	if sel, err = statement.Check(ctx, c, sql); err != nil {
		return nil, "", err
	}
	if sel.Kind != statement.KindSelect {
		return nil, "", &api.Error{Code: api.CodeStatement, Kind: "unsupported", Message: "only a SELECT runs on this source",
			Hint: "See the columns with 'da schema'."}
	}
	if err := c.QueryRow(ctx, "SELECT json_deserialize_sql(json_serialize_sql($1::VARCHAR))", []any{sel.SQL}, &written); err != nil {
		return nil, "", err
	}
	again, err := statement.Check(ctx, c, written)
	if err != nil {
		return nil, "", err
	}
	slices.Sort(sel.Reads)
	slices.Sort(again.Reads)
	if !slices.Equal(again.Tables, sel.Tables) || !slices.Equal(again.Reads, sel.Reads) || again.Whole != sel.Whole {
		return nil, "", errors.New("a statement that was written anew reads something else")
	}
	return sel, strings.TrimSuffix(strings.TrimSpace(written), ";"), nil
}

// Query runs a statement below definitions of its tables, each cut down to what
// the caller may see.
func (q querier) Query(ctx context.Context, sql string, tables map[string]source.Relation) (array.RecordReader, error) {
	_, written, err := prove(ctx, sql)
	if err != nil {
		return nil, err
	}
	w := work{seesAll: true, ordered: true}
	var defined []string
	shown := source.Shown{}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		rel := tables[name]
		r, err := q.describe(ctx, rel.Name)
		if err != nil {
			return nil, err
		}
		w.seesAll = w.seesAll && rel.Whole()
		items := r.visible(rel)
		shown[name] = slices.Clone(items)
		for i, item := range items {
			items[i] = duckdb.Quote(item)
		}
		if len(items) == 0 {
			items = []string{"NULL AS _"} // the statement only counts rows
		}
		// By its whole name: the short one may be what is being defined.
		r.name = r.full
		definition := "SELECT " + strings.Join(items, ", ") + " FROM " + r.from(predicate.DuckDB)
		if rel.Rule != nil {
			// The clock of a rule is the engine's.
			text, err := predicate.Print(predicate.DuckDB, rel.Rule, predicate.Env{})
			if err != nil {
				return nil, err
			}
			definition += " WHERE " + text + barriers[predicate.DuckDB]
		}
		defined = append(defined, duckdb.Quote(name)+" AS ("+definition+")")
	}
	with := "WITH " + strings.Join(defined, ", ")
	from := " FROM (" + written + ") AS result"
	items, warnings, err := q.results(ctx, with+" SELECT *"+from+" LIMIT 0", w.seesAll)
	if err == nil {
		w.warnings = warnings
		aliases := make([]string, len(items))
		for i := range items {
			aliases[i] = duckdb.Quote(numbered(i))
		}
		w.sql = with + " SELECT " + strings.Join(items, ", ") + from + "(" + strings.Join(aliases, ", ") + ")"
		var r array.RecordReader
		if r, err = q.run(ctx, w); err == nil {
			return r, nil
		}
	}
	return nil, misnamed(err, w.seesAll, shown)
}

// numbered is what a column of a result is called by, since its own name need
// not be unique.
func numbered(i int) string { return fmt.Sprintf("c%d", i) }

// results finds out how the columns of a statement travel.
func (f *FlightSQL) results(ctx context.Context, sql string, seesAll bool) (items, warnings []string, err error) {
	r, err := f.run(ctx, work{sql: sql, seesAll: seesAll})
	if err != nil {
		return nil, nil, err
	}
	defer r.Release()
	for r.Next() {
		continue // there are none
	}
	if err := r.Err(); err != nil {
		return nil, nil, err
	}
	for i, field := range r.Schema().Fields() {
		name, alias := duckdb.Quote(field.Name), duckdb.Quote(numbered(i))
		field.Name = numbered(i)
		c, err := f.column(field)
		if err != nil {
			return nil, nil, err
		}
		items = append(items, strings.TrimSuffix(c.expr, " AS "+alias)+" AS "+name)
		if c.warning != "" {
			warnings = append(warnings, strings.Replace(c.warning, alias, name, 1))
		}
	}
	return items, warnings, nil
}

// misnamed tells a caller who does not see all of the tables which columns there
// are, in place of the engine's own words.
func misnamed(err error, seesAll bool, shown source.Shown) error {
	var e *api.Error
	if seesAll || !errors.As(err, &e) || e.Code != api.CodeQueryFailed {
		return err
	}
	out := shown.Misnamed(e.Kind, err)
	out.Message = e.Message // the protocol has no code of its own for it
	return out
}
