// Package jsonlines lets the engine read JSON lines: of a file that somebody
// sent, and of all files of a lake's table. It decides the types of the values
// for both.
package jsonlines

import (
	"context"
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/shellwords"
	"github.com/agnes-data/da/table/jsonrows"
)

// leastRow is the minimum row length, including blanks, that the engine is told.
const leastRow = 4 << 20

// Columns determines the columns of the lines. There must be at least one line. It reads
// them up to seven times. mixed are the indexes of those that are text because their values
// have several types of JSON.
func (l Lines) Columns(ctx context.Context, c *duckdb.Conn) (columns []duckdb.Column, mixed []int, err error) {
	columns, err = c.Describe(ctx, "SELECT * FROM "+l.SQL(nil, ""))
	if err == nil && len(columns) == 1 && columns[0].Name == "json" && strings.HasPrefix(columns[0].Type, "MAP") {
		// The engine takes rows of many keys for one map. Should "json" be the
		// only key, its values are read the same in either way.
		columns, err = c.Describe(ctx, "SELECT * FROM "+l.SQL(nil, ", map_inference_threshold = -1, hive_partitioning = false"))
	}
	if err != nil {
		return nil, nil, err
	}
	if err := l.findMoments(ctx, c, columns); err != nil {
		return nil, nil, err
	}
	if err := l.settleMoments(ctx, c, columns); err != nil {
		return nil, nil, err
	}
	if mixed, err = l.settle(ctx, c, columns); err != nil {
		return nil, nil, err
	}
	return columns, mixed, l.keepNumbers(ctx, c, columns)
}

// Fault returns the error for an invalid JSON file: where it is wrong, and how to
// turn it into rows.
func Fault(path string, err *jsonrows.Error) *api.Error {
	e := &api.Error{
		Code: api.CodeReadFailed, Kind: api.KindJSON, Message: fmt.Sprintf("cannot read %s as rows: %v", path, err),
		Hint:    "Correct it there. Rows are the objects of one list, the features of GeoJSON, or JSON lines.",
		Details: map[string]any{"path": path, "line": err.Line}, Err: err,
	}
	if err.Jq != "" {
		file := shellwords.File(path) + " "
		if path == "-" { // jq reads standard input when no file is named
			file = ""
		}
		e.Hint = fmt.Sprintf("Make rows of what you need, as in: jq -c %s %s> rows.jsonl", shellwords.Quote(err.Jq), file)
	}
	return e
}
