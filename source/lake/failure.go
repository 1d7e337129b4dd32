package lake

import (
	"context"
	"errors"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/duckdb"
)

// asking is what a failure depends on besides itself: who asked for what.
type asking struct {
	seesAll  bool // nothing of the relation is hidden from the caller
	computes bool // the caller's own expressions were computed
}

// failure turns an error of the engine into one of the vocabulary. What the
// engine says is told only to callers who see all of the relation: it may
// quote cells. The server's paths are told to nobody.
func (l *Lake) failure(ctx context.Context, t *table, err error, asked asking) error {
	if settled, ok := api.Settled(ctx, err, "reading the files"); ok {
		return settled
	}
	if duckdb.IsDiskFull(err) {
		return sourceError(api.SourceDiskFull, "the source has no space left for temporary files", err)
	}
	var e *duckdb.Error
	if !errors.As(err, &e) {
		return sourceError("", "the engine that reads the files failed", err)
	}
	switch e.Type {
	case "Out of Memory":
		return api.OutOfMemory(err)
	case "Conversion", "Out of Range", "Mismatch Type":
		return l.queryFailed(t, e, asked.seesAll)
	case "Invalid Input", "Invalid":
		// The engine's parquet reader says this of broken pages, the readers of
		// text of values, and functions of arguments. Where functions of the
		// caller's are at work, they are the likelier reason.
		if t != nil && t.set.format == parquet && !(asked.computes && e.Type == "Invalid Input") {
			return l.broken(t, e)
		}
		return l.queryFailed(t, e, asked.seesAll)
	case "IO", "Permission", "Serialization", "HTTP":
		return l.broken(t, e)
	case "INTERNAL", "FATAL", "":
		return &api.Error{Code: api.CodeInternal, Message: "the engine that reads the files failed", Err: err}
	}
	return l.queryFailed(t, e, asked.seesAll)
}

// unfit is failure for what the files say about themselves: there is nothing
// but them that could be wrong.
func (l *Lake) unfit(ctx context.Context, t *table, err error) error {
	err = l.failure(ctx, t, err, asking{})
	var e *duckdb.Error
	if api.CodeQueryFailed.Is(err) && errors.As(err, &e) {
		return l.broken(t, e)
	}
	return err
}

// broken is a file that cannot be read as what it claims to be.
func (l *Lake) broken(t *table, e *duckdb.Error) error {
	out := sourceError(api.SourceUnreadable, "a file of the table cannot be read", e)
	if w := l.locate(t, e.Message); w.file != "" {
		out.Message = w.String() + " cannot be read"
		out.Details = w.details()
	}
	return out
}

// queryFailed is a value that does not fit: one of a file, which is then
// named, or one that the predicate computes.
func (l *Lake) queryFailed(t *table, e *duckdb.Error, seesAll bool) error {
	out := &api.Error{Code: api.CodeQueryFailed, Message: "the engine refuses the request", Err: e}
	switch e.Type {
	case "Conversion", "Out of Range", "Mismatch Type", "Invalid Input":
		out.Message = "a value cannot be converted or computed as the request asks"
	}
	w := l.locate(t, e.Message)
	if w.file != "" {
		out.Message = w.String() + " does not fit the columns of the table"
		if t != nil && t.set.format == parquet {
			out.Message += ", or is damaged"
		}
		out.Details = w.details()
	}
	if seesAll {
		// The first lines say it; behind them is advice about the engine.
		lines := strings.SplitN(strings.TrimSpace(w.rest), "\n", 4)
		out.Message += ": " + api.Clip(duckdb.OneLine(strings.Join(lines[:min(len(lines), 3)], "\n")), 300)
		out.Hint = e.Casts()
		if len(e.Candidates) > 0 {
			if out.Details == nil {
				out.Details = map[string]any{}
			}
			out.Details["suggestions"] = e.Candidates
			out.Hint = "Did you mean " + strings.Join(e.Candidates, " or ") + "?"
		}
	}
	return out
}
