package table

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/internal/words/suggest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/statement"
	"github.com/agnes-data/da/table/intake"
	"github.com/agnes-data/da/table/jsonlines"
	"github.com/agnes-data/da/table/jsonrows"
)

// explain translates an error that stopped the reading of a file.
func (t *Tables) explain(path string, err error) error {
	var known *api.Error
	if errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if duckdb.IsDiskFull(err) || atomicfile.DiskFull(err) {
		return &api.Error{
			Code: api.CodeDiskFull, Message: fmt.Sprintf("there is no room to keep the rows of %s", path),
			Hint: "Free some space where DA_HOME is.", Err: err,
		}
	}
	if duckdb.IsOutOfMemory(err) {
		return api.OutOfMemory(err)
	}
	var broken *jsonrows.Error
	if errors.As(err, &broken) {
		return jsonlines.Fault(path, broken)
	}
	hint := intake.IsComplete
	if errors.Is(err, duckdb.ErrWideDecimal) {
		hint = duckdb.WideDecimalHint
	} else if errors.Is(err, duckdb.ErrNoType) || strings.Contains(err.Error(), "Unsupported converted type") { // as BSON in parquet
		hint = "Write a decimal with at most 38 digits, a float with 32 bits, and what else is not read as text."
	}
	said := opened().ReplaceAllLiteralString(err.Error(), path)
	return &api.Error{Code: api.CodeReadFailed, Message: fmt.Sprintf("cannot read %s: %s", path, said), Hint: hint,
		Details: map[string]any{"path": path}, Err: err}
}

// opened matches an open file's path as the engine has it (intake.File.EnginePath).
var opened = lazyregexp.New(`/proc/self/fd/\d+`)

// timedOut says so if it was the request's time that ended the work.
func timedOut(ctx context.Context, err error) error {
	return late(ctx, err, "the time limit is over", "Ask for less.")
}

// notRead is timedOut while the files are read, which takes the same time whatever
// is asked.
func notRead(ctx context.Context, err error) error {
	return late(ctx, err, "the time limit was over before the file was read", "The file is read once; later requests use what is kept of it.")
}

func late(ctx context.Context, err error, message, hint string) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return err
	}
	more := api.Set(api.OptionTimeout, "allow more time, such as 5 minutes")
	return &api.Error{Code: api.CodeTimeout, Message: message, Hint: hint, Next: []api.Step{more}, Err: err}
}

// queryError translates an engine's error about a statement that passed the gate.
// sel is nil for our own statements.
func queryError(ctx context.Context, sel *statement.Select, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return timedOut(ctx, err)
	}
	var said *duckdb.Error
	if !errors.As(err, &said) {
		return err
	}
	e := &api.Error{
		Code: api.CodeValidation, Kind: strings.ToLower(strings.ReplaceAll(said.Type, " ", "_")),
		Message: duckdb.OneLine(said.Message), Details: map[string]any{}, Err: err,
	}
	if about := opened().ReplaceAllLiteralString(e.Message, "the file"); about != e.Message {
		e.Code, e.Message, e.Hint = api.CodeReadFailed, "a parquet file cannot be read: "+about, intake.IsComplete
		if strings.Contains(about, "compression codec") {
			e.Hint = "Write the file again, with another compression such as zstd."
		}
		return e
	}
	if said.Type == "Invalid" { // only the engine's parquet reader throws it
		e.Code, e.Message = api.CodeReadFailed, "a parquet file cannot be read: "+e.Message
		e.Hint = "Other columns may be readable: name them. Or write the file again, with another encoding."
		return e
	}
	if said.Type == "Out of Memory" {
		e.Code, e.Kind, e.Hint = api.CodeBudget, api.KindMemory, "Select fewer columns, or aggregate earlier."
		e.Next = []api.Step{api.Set(api.OptionMemoryLimit, "allow more")}
	}
	if sel != nil {
		sel.Locate(e.Details, said.Position)
	}
	if casts := said.Casts(); casts != "" {
		e.Hint = casts
	}
	if len(said.Candidates) > 0 {
		e.Hint = predicate.DidYouMean(predicate.DuckDB, said.Candidates, nil)
		e.Details["suggestions"] = said.Candidates
	}
	if sel != nil && said.Type == "Binder" {
		e.Hint = cmp.Or(statement.Elsewhere(sel.SQL, said.Position), e.Hint)
	}
	if sel != nil && len(e.Next) == 0 {
		e.Hint = cmp.Or(e.Hint, statement.Near(said.Position))
	}
	return e
}

// rejected turns a statement that the gate refused into the table tools' code.
func rejected(err error) error {
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.CodeStatement {
		return err
	}
	out := *e
	out.Code, out.Err = api.CodeValidation, err
	return &out
}

// unknownColumn is the error for an unknown column of a file, with suggestions.
func unknownColumn(path, name string, columns []string) error {
	e := &api.Error{
		Code: api.CodeValidation, Kind: api.KindUnknownColumn, Message: fmt.Sprintf("there is no column %q", api.Clip(name, 80)),
		Next: []api.Step{api.Do(api.ActionMap, "see the columns", "path", path)}, Details: map[string]any{"column": name},
	}
	if near := suggest.Near(name, columns); len(near) > 0 {
		e.Hint = fmt.Sprintf("Did you mean %s?", strings.Join(near, " or "))
		e.Details["suggestions"] = near
	}
	return e
}
