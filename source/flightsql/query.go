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
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
	"github.com/agnes-data/da/source"
)

var _ source.Querier = (*FlightSQL)(nil)

// proven is a statement that only reads tables.
type proven struct {
	source.Statement
	// over prints the statement over its tables. from is its SELECT, which follows
	// the definitions in with. It is called once.
	over func(tables []bound) (with, from string, err error)
}

// bound is a table of a statement.
type bound struct {
	name    string   // in the statement
	full    []string // the relation's catalog, schema and table, if the engine has them
	columns []string // that exist for the caller
	rows    string   // a SELECT of what exists for the caller
}

// gates prove statements, by dialect. Each uses the parser of an engine that
// speaks the dialect and that is linked into this program.
var gates = map[predicate.Dialect]func(ctx context.Context, sql string) (proven, error){
	predicate.DuckDB: proveDuckDB, predicate.Postgres: provePostgres,
}

// Inspect proves a statement and returns what it reads. It does not contact the
// engine.
func (f *FlightSQL) Inspect(ctx context.Context, sql string) (source.Statement, error) {
	p, err := gates[f.o.Dialect](ctx, sql)
	return p.Statement, err
}

// Query runs a statement over its tables. Each table is reduced to what the caller
// can see.
func (f *FlightSQL) Query(ctx context.Context, sql string, tables map[string]source.Relation) (array.RecordReader, error) {
	p, err := gates[f.o.Dialect](ctx, sql)
	if err != nil {
		return nil, err
	}
	w, shown := work{seesAll: true, ordered: true}, source.Shown{}
	var bindings []bound
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		b, err := f.bind(ctx, name, tables[name])
		if err != nil {
			return nil, err
		}
		w.seesAll = w.seesAll && tables[name].Whole()
		shown[name] = b.columns
		bindings = append(bindings, b)
	}
	with, from, err := p.over(bindings)
	if err != nil {
		return nil, err
	}
	r, err := f.query(ctx, w, with, "("+from+") AS result")
	if err != nil {
		return nil, misnamed(err, w.seesAll, shown)
	}
	return r, nil
}

// bind finds a table's relation, and writes a SELECT of what the caller can see of
// it.
func (f *FlightSQL) bind(ctx context.Context, name string, rel source.Relation) (bound, error) {
	r, err := f.describe(ctx, rel.Name)
	if err != nil {
		return bound{}, err
	}
	d := f.o.Dialect
	b := bound{name: name, full: r.full, columns: source.Visible(rel, r.columns)}
	items := []string{"NULL AS _"} // the statement only counts rows
	if len(b.columns) > 0 {
		items = quoted(d, b.columns)
	}
	// Use the full name: the short one may be the name that is being defined.
	b.rows = "SELECT " + strings.Join(items, ", ") + " FROM " + strings.Join(quoted(d, r.full), ".")
	if rel.Rule == nil {
		return b, nil
	}
	// A rule uses the engine's clock.
	text, err := print.SQL(d, rel.Rule, predicate.Env{})
	b.rows += " WHERE " + text + barriers[d]
	return b, err
}

// query decides how the columns of a statement are read, and runs it.
func (f *FlightSQL) query(ctx context.Context, w work, with, from string) (array.RecordReader, error) {
	probe := w
	probe.sql = with + "SELECT * FROM " + from + " LIMIT 0"
	r, err := f.run(ctx, probe)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	for r.Next() {
		continue // nothing to read
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	var items, aliases []string
	for i, field := range r.Schema().Fields() {
		// Number the columns, because their names may not be unique.
		name, alias := field.Name, fmt.Sprintf("c%d", i)
		quotedName, quotedAlias := predicate.QuoteIdent(f.o.Dialect, name), predicate.QuoteIdent(f.o.Dialect, alias)
		field.Name = alias
		c, err := f.column(field)
		if err != nil {
			return nil, err
		}
		aliases, items = append(aliases, quotedAlias), append(items, strings.TrimSuffix(c.expr, " AS "+quotedAlias)+" AS "+quotedName)
		if c.warning != "" {
			w.warnings = append(w.warnings, strings.Replace(c.warning, quotedAlias, quotedName, 1))
		}
	}
	w.sql = with + "SELECT " + strings.Join(items, ", ") + " FROM " + from + "(" + strings.Join(aliases, ", ") + ")"
	return f.run(ctx, w)
}

// misnamed lists the columns of the tables, in place of the engine's message, for
// a caller who does not see all of the tables.
func misnamed(err error, seesAll bool, shown source.Shown) error {
	var e *api.Error
	if seesAll || !errors.As(err, &e) || e.Code != api.CodeQueryFailed {
		return err
	}
	out := shown.Misnamed(e.Kind, err)
	out.Message = e.Message // the protocol has no code for an unknown column
	return out
}
