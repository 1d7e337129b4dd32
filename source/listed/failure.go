package listed

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
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
func (s *Source) failure(ctx context.Context, r *Request, err error, asked asking) error {
	if settled, ok := api.Settled(ctx, err, "reading the files"); ok {
		return settled
	}
	if duckdb.IsDiskFull(err) {
		return &api.Error{Code: api.CodeSource, Kind: api.KindDiskFull, Message: "the source has no space left for temporary files", Err: err}
	}
	var e *duckdb.Error
	if !errors.As(err, &e) {
		return &api.Error{Code: api.CodeSource, Message: "the engine that reads the files failed", Err: err}
	}
	switch e.Type {
	case "Out of Memory":
		return api.OutOfMemory(err)
	case "INTERNAL", "FATAL", "":
		return &api.Error{Code: api.CodeInternal, Message: "the engine that reads the files failed", Err: err}
	case "IO", "Permission", "Serialization", "HTTP":
		return s.broken(r, e)
	case "Invalid Input", "Invalid": // of broken parquet pages, and of functions
		if !asked.computes {
			return s.broken(r, e)
		}
	}
	if strings.Contains(e.Message, "must have at least one matching member") {
		return Refused("a struct has none of the fields that it is read with, as if they were all replaced after a file was written")
	}
	out := &api.Error{Code: api.CodeQueryFailed, Message: "the engine refuses the request", Err: e}
	switch e.Type {
	case "Conversion", "Out of Range", "Mismatch Type", "Invalid Input":
		out.Message = "a value cannot be converted or computed as the request asks"
	}
	if asked.seesAll {
		lines := strings.SplitN(strings.TrimSpace(s.withoutPaths(e.Message)), "\n", 4)
		out.Message += ": " + api.Clip(duckdb.OneLine(strings.Join(lines[:min(len(lines), 3)], "\n")), 300)
		out.Hint = e.Casts()
		if len(e.Candidates) > 0 {
			out.Details = map[string]any{"suggestions": e.Candidates}
			out.Hint = predicate.DidYouMean(predicate.DuckDB, e.Candidates, nil)
		}
	}
	return out
}

// broken is the error for a file that the engine cannot read.
func (s *Source) broken(r *Request, e *duckdb.Error) error {
	said := *e
	said.Message = s.withoutPaths(e.Message)
	out := &api.Error{Code: api.CodeSource, Kind: api.KindUnreadable, Message: "a file of the table cannot be read", Err: &said}
	if name, ok := r.file(e.Message); ok {
		out.Message, out.Details = name+" cannot be read", map[string]any{"file": name}
	}
	return out
}

// withoutPaths removes the server's folders from a text.
func (s *Source) withoutPaths(said string) string {
	said = s.linked.ReplaceAllLiteralString(said, "a file")
	for _, dir := range []string{s.root.dir, s.temp} {
		if dir != string(filepath.Separator) {
			said = strings.ReplaceAll(said, dir+string(filepath.Separator), "")
			said = strings.ReplaceAll(said, dir, ".")
		}
	}
	return said
}
