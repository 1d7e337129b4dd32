package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/results"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/toolbox/fit"
)

// About says where the rows of an answer come from.
type About struct {
	SQL    string
	Server string // the server that ran it; empty: this machine
}

// restBytes is the maximum JSON size of Rest, and of the caveats that are known
// only after the last row.
const restBytes = 900

// Reserve returns the bytes of JSON that caveats take in an answer.
func Reserve(caveats []api.Caveat) (bytes int) {
	for _, c := range caveats {
		text, _ := json.Marshal(c) // cannot fail: texts and numbers
		bytes += len(text) + 2
	}
	return bytes
}

// Answer reads rows to their end and answers with what fits; the caller still
// owns rows. If some rows do not fit, the whole result is kept, and the answer's
// Rest names it; a warning says so if it cannot be kept. An error of rows is
// returned unchanged.
func Answer(ctx context.Context, a *analyst.Analyst, rows api.Rows, about About, o fit.Options) (*fit.Answer, error) {
	o.Reserve += restBytes + Reserve(rows.Caveats())
	collector, err := fit.New(rows.Schema(), o)
	if err != nil {
		return nil, err
	}
	tee := newTee(rows, collector)
	defer tee.close()
	var rest *fit.Rest
	var said []string
	if tee.peek(ctx) {
		if rest, said, err = keepRest(ctx, a, tee, rows, about); err != nil {
			return nil, err
		}
	}
	if err := first(context.Cause(ctx), rows.Err()); err != nil {
		return nil, err
	}
	answer := collector.Answer()
	answer.Rest = rest
	answer.Tell(append(rows.Caveats(), api.CaveatsOf(api.CaveatOther, said...)...))
	if rest != nil {
		rest.SQL = nextRows(answer, rest.Result)
	}
	return answer, nil
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// nextRows is the statement that selects the rows not shown.
func nextRows(answer *fit.Answer, result string) string {
	if answer.Elided == nil {
		return "SELECT * FROM " + result
	}
	return fmt.Sprintf("SELECT * FROM %s LIMIT %d OFFSET %d", result, max(answer.RowsShown, 1), answer.RowsShown)
}

// keepRest writes all rows into a kept result. It reads the rows to their end even if
// writing fails; it returns only the error of the rows.
func keepRest(ctx context.Context, a *analyst.Analyst, tee *tee, rows api.Rows, about About) (*fit.Rest, []string, error) {
	kept, evicted, err := keepIn(ctx, a, tee, rows, about)
	for tee.Next() { // the rows that a failed writer has not read
	}
	if failed := first(context.Cause(ctx), tee.Err()); failed != nil {
		return nil, nil, failed
	}
	if err != nil {
		return nil, []string{api.Clip("the whole result is not kept: "+analyst.WriteError("write the result", err).Error(), 300)}, nil
	}
	var warnings []string
	if n := len(evicted); n > 0 {
		names := evicted[0].Name
		if n > 1 {
			names += " to " + evicted[n-1].Name
		}
		warnings = append(warnings, fmt.Sprintf("%s made room for this result: at most %d results and %s are kept",
			names, results.MaxResults, humanize.Bytes(results.MaxBytes)))
	}
	return &fit.Rest{Result: kept.Name, Rows: kept.Rows}, warnings, nil
}

func keepIn(ctx context.Context, a *analyst.Analyst, tee *tee, rows api.Rows, about About) (results.Meta, []results.Meta, error) {
	eng, err := a.OpenEngine(true)
	if err != nil {
		return results.Meta{}, nil, err
	}
	defer eng.Close()
	if eng.Scratch.Path == "" {
		return results.Meta{}, nil, errors.New("nothing can be written below " + a.Home)
	}
	file := filepath.Join(eng.Scratch.Path, "result.parquet")
	if _, err := eng.WriteParquet(ctx, file, tee); err != nil {
		return results.Meta{}, nil, err
	}
	meta := results.Meta{
		SQL: about.SQL, Server: about.Server, Rows: tee.rows.Load(), Columns: arrowjson.Names(tee.Schema()),
		Caveats: derived(api.Arranged(rows.Caveats())),
	}
	return a.Results().Add(file, meta)
}
