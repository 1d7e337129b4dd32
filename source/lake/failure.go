package lake

import (
	"context"
	"errors"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/predicate"
)

// asking is the part of a request that determines what its error may reveal.
type asking struct {
	seesAll  bool // the caller sees all of the relation
	computes bool // the caller's own expressions were evaluated
}

// failure translates an error of the engine. Only callers who see all of the
// relation get the engine's message, because it can quote cells. Nobody gets the
// server's paths.
func (l *Lake) failure(ctx context.Context, t *table, err error, asked asking) error {
	if settled, ok := api.Settled(ctx, err, "reading the files"); ok {
		return settled
	}
	if duckdb.IsDiskFull(err) {
		return sourceError(api.KindDiskFull, "the source has no space left for temporary files", err)
	}
	var e *duckdb.Error
	if !errors.As(err, &e) {
		return sourceError("", "the engine that reads the files failed", err)
	}
	switch e.Type {
	case "Out of Memory":
		return api.OutOfMemory(err)
	case "Conversion", "Out of Range", "Mismatch Type":
		return l.queryFailed(t, e, asked)
	case "Invalid Input", "Invalid":
		// The engine uses this type for broken parquet pages, for values in text
		// files, and for arguments of functions. If the caller's own functions
		// were evaluated, they are the more likely cause.
		if t != nil && t.set.format.Kind == format.Parquet && !(asked.computes && e.Type == "Invalid Input") {
			return l.broken(t, e)
		}
		return l.queryFailed(t, e, asked)
	case "IO", "Permission", "Serialization", "HTTP":
		return l.broken(t, e)
	case "INTERNAL", "FATAL", "":
		return &api.Error{Code: api.CodeInternal, Message: "the engine that reads the files failed", Err: err}
	}
	return l.queryFailed(t, e, asked)
}

// unfit is failure for reading the files' metadata, where only the files can be
// the cause.
func (l *Lake) unfit(ctx context.Context, t *table, err error) error {
	err = l.failure(ctx, t, err, asking{})
	var e *duckdb.Error
	if api.CodeQueryFailed.Is(err) && errors.As(err, &e) {
		return l.broken(t, e)
	}
	return err
}

// broken is the error for a file whose content does not match its format.
func (l *Lake) broken(t *table, e *duckdb.Error) error {
	w, said := l.locate(t, e.Message), *e
	said.Message = w.rest // users know the file by its own name
	out := sourceError(api.KindUnreadable, "a file of the table cannot be read", &said)
	if w.file != "" {
		out.Message = w.String() + " cannot be read"
		out.Details = w.details()
	}
	return out
}

// queryFailed is the error for a value that does not fit: one in a file, which it
// names, or one that the predicate computes.
func (l *Lake) queryFailed(t *table, e *duckdb.Error, asked asking) error {
	out := &api.Error{Code: api.CodeQueryFailed, Message: "the engine refuses the request", Err: e}
	switch e.Type {
	case "Conversion", "Out of Range", "Mismatch Type", "Invalid Input":
		out.Message = "a value cannot be converted or computed as the request asks"
	}
	w := l.locate(t, e.Message)
	if w.file != "" {
		out.Message = w.String() + " does not fit the columns of the table"
		if t != nil && t.set.format.Kind == format.Parquet {
			out.Message += ", or is damaged"
		}
		out.Details = w.details()
	}
	if asked.seesAll {
		// The first lines say it; behind them is advice about the engine.
		lines := strings.SplitN(strings.TrimSpace(w.rest), "\n", 4)
		out.Message += ": " + api.Clip(duckdb.OneLine(strings.Join(lines[:min(len(lines), 3)], "\n")), 300)
		out.Hint = e.Casts()
		if len(e.Candidates) > 0 {
			if out.Details == nil {
				out.Details = map[string]any{}
			}
			out.Details["suggestions"] = e.Candidates
			out.Hint = predicate.DidYouMean(predicate.DuckDB, e.Candidates, nil)
		}
	}
	return out
}
