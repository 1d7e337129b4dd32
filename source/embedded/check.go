package embedded

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/statement"
)

// Check proves a statement by the parser of the engine, for a server whose users it
// must not hurt.
func (e *Engines) Check(ctx context.Context, sql string) (*statement.Select, error) {
	s, err := e.Session(ctx, true)
	if err != nil {
		return nil, err
	}
	sel, err := statement.Check(ctx, worker.Parser{Conn: s.Conn}, sql)
	s.Done(err == nil)
	if err != nil {
		return nil, err
	}
	if sel.Grows != nil {
		return nil, sel.Grows
	}
	if sel.Backtracks {
		return nil, &api.Error{Code: api.CodeStatement, Kind: api.KindUnsupported,
			Message: "this pattern is not matched for others: the engine may try it for ever",
			Hint:    "Write it out as text with % alone, and for ILIKE as LIKE on lower(…); or use regexp_matches, contains or starts_with."}
	}
	return sel, nil
}

// Bind begins a statement over empty tables with the same columns, and ends it before it has a
// row. refuse turns an error of the engine into ours; schema describes a table.
func (e *Engines) Bind(ctx context.Context, sql string, tables map[string]source.Relation,
	schema func(context.Context, source.Relation) (*source.Schema, error), refuse func(err error, seesAll bool) error) error {
	sel, err := e.Check(ctx, sql)
	if err != nil {
		return err
	}
	views := &Views{}
	for name, rel := range tables {
		of, err := schema(ctx, rel)
		if err != nil {
			return err
		}
		var names, items []string
		for _, c := range of.Columns {
			names, items = append(names, c.Name), append(items, fmt.Sprintf("NULL::%s AS %s", c.Type, duckdb.Quote(c.Name)))
		}
		if err := views.Add(name, rel, names, "(SELECT "+strings.Join(items, ", ")+" LIMIT 0)"); err != nil {
			return err
		}
	}
	rows, err := e.Isolated(ctx, worker.Job{Engine: e.Settings(true), Setup: views.Setup, SQL: sel.SQL}, nil, sel.Settings)
	if err == nil {
		rows.Release()
		return nil
	}
	var refused *duckdb.Error
	if setup := (*worker.SetupError)(nil); errors.As(err, &setup) || !errors.As(err, &refused) {
		return nil // not a fault of the statement
	}
	if misnamed := views.Misnamed(err); misnamed != nil {
		return misnamed
	}
	return views.Explain(sel, refuse(err, !views.Part))
}
