package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/internal/words/suggest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/snapshot"
	"github.com/agnes-data/da/statement"
)

// queryRows wraps the rows of a local query and translates their errors into the
// shared vocabulary.
type queryRows struct {
	*duckdb.Stream
	ctx    context.Context
	result *Result
	ran    string
}

// Err implements array.RecordReader.
func (q *queryRows) Err() error {
	return q.result.Explain(q.ctx, duckdb.Within(q.ran, q.result.Select.SQL, q.Stream.Err()))
}

// queryError translates an engine's error about a statement that passed the gate:
// an unknown column, a failed cast, out of memory.
func queryError(ctx context.Context, sel *statement.Select, columns []string, err error) error {
	var said *duckdb.Error
	if err == nil || ctx.Err() != nil || !errors.As(err, &said) {
		return err
	}
	e := &api.Error{Code: api.CodeQueryFailed, Kind: strings.ToLower(strings.ReplaceAll(said.Type, " ", "_")),
		Message: duckdb.OneLine(said.Message), Details: map[string]any{}, Err: err}
	if duckdb.IsDiskFull(err) {
		e.Code, e.Hint = api.CodeDiskFull, "The query spilled to disk until it was full: aggregate earlier, or free some space."
		return e
	}
	sel.Locate(e.Details, said.Position)
	if near := meant(said, columns); len(near) > 0 {
		e.Hint = predicate.DidYouMean(predicate.DuckDB, near, columns)
		e.Details["suggestions"] = near
	}
	if hint := statement.Elsewhere(sel.SQL, said.Position); said.Type == "Binder" && hint != "" {
		e.Hint = hint
	}
	if casts := said.Casts(); casts != "" {
		e.Hint = casts
	}
	if said.Type == "Out of Memory" {
		e.Code, e.Kind = api.CodeBudget, api.KindMemory
		e.Hint = fmt.Sprintf("A query may use %s and spill %s: select fewer columns, or aggregate earlier.", analyst.MemoryLimit,
			analyst.MaxSpill)
	}
	e.Hint = cmp.Or(e.Hint, statement.Near(said.Position))
	return e
}

// meant returns the names that a missing name may have been meant for: columns
// that contain it or are contained in it, as delay is in arr_delay, and then the
// engine's own suggestions.
func meant(said *duckdb.Error, columns []string) []string {
	var near []string
	if missing := strings.ToLower(said.Name); said.Subtype == "COLUMN_NOT_FOUND" && len(missing) > 2 {
		for _, c := range columns {
			column := strings.ToLower(c)
			if len(column) > 2 && (strings.Contains(missing, column) || strings.Contains(column, missing)) && !slices.Contains(near, c) {
				near = append(near, c)
			}
		}
	}
	if m := missingTable().FindStringSubmatch(said.Message); m != nil {
		// In name.common, name was taken for a table. The user meant a column
		// with a dot in its name.
		for _, c := range columns {
			if strings.HasPrefix(strings.ToLower(c), strings.ToLower(m[1])+".") {
				near = append(near, c)
			}
		}
	}
	for _, c := range said.Candidates {
		if !slices.Contains(near, c) {
			near = append(near, c)
		}
	}
	if len(near) == 0 && said.Subtype == "COLUMN_NOT_FOUND" {
		near = suggest.Near(said.Name, columns)
	}
	return near[:min(len(near), 5)]
}

// missingTable matches the engine's error about an unknown table before a dot.
var missingTable = lazyregexp.New(`^Referenced table "([^"]+)" not found`)

// fileFunctions are functions of DuckDB that read files.
var fileFunctions = lazyregexp.New(`(?i)^(read_(csv|csv_auto|parquet|json|json_auto|json_objects|json_objects_auto|ndjson|ndjson_auto|ndjson_objects|text|blob|xlsx)|parquet_scan|parquet_schema|parquet_metadata|sniff_csv|st_read|glob)$`)

// HintFiles adds advice to the rejection of a statement that reads a file: how to
// read it. It returns other errors unchanged.
func HintFiles(err error) error {
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.CodeStatement {
		return err
	}
	function, _ := e.Details["function"].(string)
	if e.Kind != api.KindFileAccess && !fileFunctions().MatchString(function) {
		return err
	}
	hinted := *e
	hinted.Hint = "A statement names tables and reads no files."
	hinted.Next = []api.Step{api.Do(api.ActionImport, "make a file a table", "as", "NAME"),
		api.Do(api.ActionQueryFile, "query a file in place")}
	hinted.Err = err
	return &hinted
}

// unreadable says that a snapshot's file cannot be opened.
func unreadable(m snapshot.Meta, err error) error {
	return &api.Error{Code: api.CodeReadFailed, Message: fmt.Sprintf("snapshot '%s' cannot be read: %v", m.Name, err),
		Next: []api.Step{api.Do(api.ActionRefresh, "fetch it again", "name", m.Name)}, Err: err}
}
