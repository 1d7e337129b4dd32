package analyst

import (
	"context"
	"errors"
	"fmt"
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
	ctx context.Context
	sel *statement.Select
}

// Err implements array.RecordReader.
func (q *queryRows) Err() error { return queryError(q.ctx, q.sel, q.Stream.Err()) }

// queryError says what the engine had against a statement that passed the
// gate: a column that is not there, a cast that failed, no more memory.
func queryError(ctx context.Context, sel *statement.Select, err error) error {
	var said *duckdb.Error
	if err == nil || ctx.Err() != nil || !errors.As(err, &said) {
		return err
	}
	e := &api.Error{Code: api.CodeQueryFailed, Kind: strings.ToLower(strings.ReplaceAll(said.Type, " ", "_")),
		Message: said.Error(), Details: map[string]any{}, Err: err}
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
	if len(said.Candidates) > 0 {
		e.Hint = fmt.Sprintf("Did you mean %s?", strings.Join(said.Candidates, " or "))
		e.Details["suggestions"] = said.Candidates
	}
	if said.Type == "Out of Memory" {
		e.Hint = fmt.Sprintf("A query may use %s and spill %s: select fewer columns, or aggregate earlier.", memoryLimit, maxSpill)
	}
	return e
}

// unreadable says that a snapshot's file cannot be opened.
func unreadable(m snapshot.Meta, err error) error {
	return &api.Error{Code: api.CodeReadFailed, Message: fmt.Sprintf("snapshot '%s' cannot be read: %v", m.Name, err),
		Hint: fmt.Sprintf("Fetch it again: da snapshot refresh %s.", m.Name), Err: err}
}
