package analyst

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/snapshot"
	"github.com/agnes-data/da/statement"
)

// queryRows are the rows of a local query, whose errors are in the shared
// vocabulary.
type queryRows struct {
	*duckdb.Stream
	ctx     context.Context
	sel     *statement.Select
	columns []string // of the snapshots that are read
}

// Err implements array.RecordReader.
func (q *queryRows) Err() error { return queryError(q.ctx, q.sel, q.columns, q.Stream.Err()) }

// queryError says what the engine had against a statement that passed the
// gate: a column that is not there, a cast that failed, no more memory.
func queryError(ctx context.Context, sel *statement.Select, columns []string, err error) error {
	var said *duckdb.Error
	if err == nil || ctx.Err() != nil || !errors.As(err, &said) {
		return err
	}
	e := &api.Error{Code: api.CodeQueryFailed, Kind: strings.ToLower(strings.ReplaceAll(said.Type, " ", "_")),
		Message: duckdb.OneLine(said.Error()), Details: map[string]any{}, Err: err}
	if duckdb.IsDiskFull(err) {
		e.Code, e.Hint = api.CodeDiskFull, "The query spilled to disk until it was full: aggregate earlier, or free some space."
		return e
	}
	if said.Position >= 0 && said.Position <= len(sel.SQL) {
		before := sel.SQL[:said.Position]
		e.Details["position"] = utf8.RuneCountInString(before) + 1
		e.Details["line"] = strings.Count(before, "\n") + 1
		e.Details["column"] = utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
		sel.Locate(e.Details)
	}
	if near := meant(said, columns); len(near) > 0 {
		e.Hint = fmt.Sprintf("Did you mean %s?", strings.Join(near, " or "))
		e.Details["suggestions"] = near
	}
	if said.Type == "Out of Memory" {
		e.Hint = fmt.Sprintf("A query may use %s and spill %s: select fewer columns, or aggregate earlier.", memoryLimit, maxSpill)
	}
	return e
}

// meant are the names that a missing one may stand for: columns of which it is a
// part, or which are a part of it, as delay is of arr_delay, and then those that
// the engine finds alike.
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
	for _, c := range said.Candidates {
		if !slices.Contains(near, c) {
			near = append(near, c)
		}
	}
	return near[:min(len(near), 5)]
}

// unreadable says that a snapshot's file cannot be opened.
func unreadable(m snapshot.Meta, err error) error {
	return &api.Error{Code: api.CodeReadFailed, Message: fmt.Sprintf("snapshot '%s' cannot be read: %v", m.Name, err),
		Hint: fmt.Sprintf("Fetch it again: da snapshot refresh %s.", m.Name), Err: err}
}
