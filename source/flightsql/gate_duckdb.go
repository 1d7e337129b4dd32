package flightsql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/statement"
)

// proveDuckDB checks a statement and prints it again from its tree. So nothing of
// the user's text reaches the engine except what the parser has understood. The
// parser belongs to a local engine without data.
func proveDuckDB(ctx context.Context, sql string) (p proven, err error) {
	db, err := duckdb.Open(duckdb.Options{Threads: 1})
	if err != nil {
		return p, err
	}
	defer func() { _ = db.Close() }()
	c, err := db.Conn()
	if err != nil {
		return p, err
	}
	defer func() { _ = c.Close() }()
	parser := worker.Parser{Conn: c}
	sel, err := statement.Check(ctx, parser, sql)
	if err != nil {
		return p, err
	}
	if sel.Grows != nil {
		return p, sel.Grows
	}
	if sel.Kind != statement.KindSelect {
		return p, &api.Error{Code: api.CodeStatement, Kind: api.KindUnsupported, Message: "only a SELECT runs on this source",
			Next: []api.Step{api.Do(api.ActionSchema, "see the columns")}}
	}
	var written string
	if err := parser.QueryRow(ctx, "SELECT json_deserialize_sql(json_serialize_sql($1::VARCHAR))", []any{sel.SQL}, &written); err != nil {
		return p, err
	}
	again, err := statement.Check(ctx, parser, written)
	if err != nil {
		return p, err
	}
	slices.Sort(sel.Reads)
	slices.Sort(again.Reads)
	if !slices.Equal(again.Tables, sel.Tables) || !slices.Equal(again.Reads, sel.Reads) || again.Whole != sel.Whole {
		return p, errors.New("a statement that was written anew reads something else")
	}
	written = strings.TrimSuffix(strings.TrimSpace(written), ";")
	return proven{
		Statement: source.Statement{Tables: sel.Tables, Columns: sel.Reads, Whole: sel.Whole},
		over:      func(tables []bound) (string, string, error) { return below(tables), written, nil },
	}, nil
}

// below defines the tables before a statement. First all relations are read, under
// names with a space, which no table has. Only then are the tables' own names
// defined, so that none of them can hide a relation.
func below(tables []bound) string {
	if len(tables) == 0 {
		return ""
	}
	var read, named []string
	for i, t := range tables {
		own := duckdb.Quote(fmt.Sprintf("relation %d", i+1))
		read = append(read, own+" AS ("+t.rows+")")
		named = append(named, duckdb.Quote(t.name)+" AS (SELECT * FROM "+own+")")
	}
	return "WITH " + strings.Join(append(read, named...), ", ") + " "
}
