// Package jsonlines has the engine read JSON lines: of a file that somebody
// sent, and of all files of a lake's table. It decides which types their values
// have, for both.
package jsonlines

import (
	"context"
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/internal/shellwords"
	"github.com/agnes-data/da/table/jsonrows"
)

// Lines are JSON lines that package jsonrows has read through: the engine ends
// the process where values are nested too deeply.
type Lines struct {
	// From are the files, as the engine takes them: a path, or a list of paths.
	From string
	// Compression is "gzip", "zstd", "auto_detect" for what the names say, or
	// empty.
	Compression string
	// Longest is how many bytes the longest row has. Each of the engine's threads
	// has room for two rows of the length that it is told.
	Longest int
	// Beyond are numbers that a float changes, by column: see jsonrows.Numbers.
	Beyond map[string]jsonrows.Number
}

// leastRow is the length of a row that there is always room for, with the blanks
// around it.
const leastRow = 4 << 20

// SQL is the table function that reads the lines. Without columns the engine
// finds them out by looking at all lines. more are further options, each behind
// a comma.
func (l Lines) SQL(columns []duckdb.Column, more string) string {
	compression := "uncompressed"
	if l.Compression != "" {
		compression = l.Compression
	}
	// Types of a hundred levels are as many as the engine's expressions bear.
	how := "sample_size = -1, maximum_sample_files = 1000000, maximum_depth = 100"
	if len(columns) > 0 {
		parts := make([]string, len(columns))
		for i, c := range columns {
			parts[i] = duckdb.Literal(c.Name) + ": " + duckdb.Literal(c.Type)
		}
		how = "columns = {" + strings.Join(parts, ", ") + "}"
	}
	if more == "" {
		more = ", hive_partitioning = false"
	}
	return fmt.Sprintf("read_ndjson(%s, %s, maximum_object_size = %d, compression = '%s'%s)", l.From, how, max(2*l.Longest, leastRow), compression, more)
}

// Columns finds the columns of the lines, of which there is at least one. It
// reads them up to seven times.
func (l Lines) Columns(ctx context.Context, c *duckdb.Conn) ([]duckdb.Column, error) {
	columns, err := c.Describe(ctx, "SELECT * FROM "+l.SQL(nil, ""))
	if err == nil && len(columns) == 1 && columns[0].Name == "json" && strings.HasPrefix(columns[0].Type, "MAP") {
		// The engine takes rows of many keys for one map. Should "json" be the
		// only key, its values are read the same in either way.
		columns, err = c.Describe(ctx, "SELECT * FROM "+l.SQL(nil, ", map_inference_threshold = -1, hive_partitioning = false"))
	}
	if err != nil {
		return nil, err
	}
	if err := l.findMoments(ctx, c, columns); err != nil {
		return nil, err
	}
	if err := l.settleMoments(ctx, c, columns); err != nil {
		return nil, err
	}
	if err := l.settle(ctx, c, columns); err != nil {
		return nil, err
	}
	return columns, l.keepNumbers(ctx, c, columns)
}

// Fault says where a JSON file goes wrong, and how to make rows of it.
func Fault(path string, err *jsonrows.Error) *api.Error {
	e := &api.Error{
		Code: api.CodeReadFailed, Kind: "json", Message: fmt.Sprintf("cannot read %s as rows: %v", path, err),
		Hint:    "Correct it there. Rows are the objects of one list, the features of GeoJSON, or JSON lines.",
		Details: map[string]any{"path": path, "line": err.Line}, Err: err,
	}
	if err.Jq != "" {
		e.Hint = fmt.Sprintf("Make rows of what you need, as in: jq -c %s %s > rows.jsonl", shellwords.Quote(err.Jq), shellwords.Quote(path))
	}
	return e
}
