package jsonlines

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/table/jsonrows"
)

// doubt is an engine type that can mean several kinds of values. Only all values
// together show which type is best.
type doubt struct {
	read  string // the type for examining the values
	ask   string // three numbers to compute from them; %[1]s is the column
	solve func(kind, whole, fraction int64) string
}

const (
	digits  = `coalesce(max(length(ltrim(split_part(%[1]s, '.', 1), '-'))), 0), coalesce(max(length(rtrim(split_part(%[1]s, '.', 2), '0'))), 0)`
	nested  = `json_type(%[1]s) IN ('OBJECT', 'ARRAY')`
	numeral = `'-?(0|[1-9][0-9]*)(\.[0-9]+)?'`
)

// doubts about the engine's types. It reads every number beyond 64 bits, and
// every amount, as a float. It reads numbers among texts as JSON, in which texts
// are quoted and do not compare equal to anything. If these texts are numbers,
// too, JSON could not represent them otherwise, as in files written by an export.
var doubts = map[string]doubt{
	"DOUBLE": {"VARCHAR", `coalesce(bool_and(regexp_full_match(%[1]s, '-?[0-9]+(\.[0-9]+)?')), false)::BIGINT + 2 * coalesce(bool_or(regexp_full_match(%[1]s, '-?[0-9]{16,}')), false)::BIGINT, ` + digits, exactNumber},
	"JSON[]": {"JSON[]", `(NOT coalesce(bool_or(len(list_filter(%[1]s, lambda x: json_type(x) IN ('OBJECT', 'ARRAY'))) > 0), false))::BIGINT, 0, 0`,
		func(scalars, _, _ int64) string { return []string{"", "VARCHAR[]"}[scalars] }},
	"JSON": {"JSON", `CASE WHEN bool_or(` + nested + `) THEN 0
WHEN bool_and(json_type(%[1]s) != 'BOOLEAN' AND regexp_full_match(%[1]s->>'$', ` + numeral + `) AND (json_type(%[1]s) != 'VARCHAR' OR length(%[1]s->>'$') > 15)) THEN 2
WHEN bool_and(CASE json_type(%[1]s) WHEN 'BOOLEAN' THEN false WHEN 'VARCHAR' THEN %[1]s->>'$' IN ('NaN', 'Infinity', '-Infinity') ELSE true END) THEN 3 ELSE 1 END, ` +
		strings.ReplaceAll(digits, "%[1]s", "%[1]s->>'$'"), plainType},
}

// exactNumber returns a type that keeps all digits of a column of floats, "" if
// there is none. kind is odd if no number has an exponent, and 2 or 3 if an
// integer has more digits than a float keeps. whole and fraction are the maximum
// digits before and after the point.
func exactNumber(kind, whole, fraction int64) string {
	plain := kind%2 == 1
	switch {
	case plain && fraction == 0 && whole <= 38:
		return "HUGEINT"
	case plain && fraction <= 4 && whole+fraction <= 15:
		// With more digits the engine would convert them via a float.
		return fmt.Sprintf("DECIMAL(18,%d)", fraction)
	case kind >= 2:
		return "VARCHAR"
	}
	return ""
}

// plainType returns a type for JSON values that are neither objects nor lists.
func plainType(kind, whole, fraction int64) string {
	switch {
	case kind == 0:
		return ""
	case kind == 2 && fraction == 0 && whole <= 38:
		return "HUGEINT"
	case kind == 2 && whole+fraction <= 38:
		return fmt.Sprintf("DECIMAL(38,%d)", fraction)
	case kind == 3:
		return "DOUBLE"
	}
	return "VARCHAR"
}

// settle sets the best types for the columns, and returns the indexes of those that become
// text because their values have several types. It reads the files again if any type is
// doubtful.
func (l Lines) settle(ctx context.Context, c *duckdb.Conn, columns []duckdb.Column) (mixed []int, err error) {
	read := slices.Clone(columns)
	var asked []string
	told := make([]int64, 3*len(columns))
	var dest []any
	for i, col := range columns {
		if d, ok := doubts[col.Type]; ok {
			read[i].Type = d.read
			asked = append(asked, fmt.Sprintf(d.ask, duckdb.Quote(col.Name)))
			dest = append(dest, &told[3*i], &told[3*i+1], &told[3*i+2])
		}
	}
	if len(asked) == 0 {
		return nil, nil
	}
	if err := c.QueryRow(ctx, "SELECT "+strings.Join(asked, ", ")+" FROM "+l.SQL(read, ""), nil, dest...); err != nil {
		return nil, err
	}
	for i, col := range columns {
		if d, ok := doubts[col.Type]; ok {
			if better := d.solve(told[3*i], told[3*i+1], told[3*i+2]); better != "" {
				columns[i].Type = better
			}
			if col.Type == "JSON" && columns[i].Type == "VARCHAR" {
				mixed = append(mixed, i)
			}
		}
	}
	return mixed, nil
}

// Lines are JSON lines that package jsonrows has checked, because values nested
// too deeply crash the engine's process.
type Lines struct {
	// From are the files in the engine's notation: a path, or a list of paths.
	From string
	// Compression is "gzip", "zstd", "auto_detect" to derive it from the names,
	// or empty.
	Compression string
	// Longest is the length of the longest row in bytes. Each thread of the
	// engine allocates twice the length that it is given.
	Longest int
	// Beyond are numbers that a float changes, by column: see jsonrows.Numbers.
	Beyond map[string]jsonrows.Number
}

// SQL returns the call of the table function that reads the lines. Without
// columns the engine determines them from all lines. more are further options,
// each preceded by a comma.
func (l Lines) SQL(columns []duckdb.Column, more string) string {
	compression := "uncompressed"
	if l.Compression != "" {
		compression = l.Compression
	}
	// What lies deeper stays JSON: lists within lists are slow to read in parquet.
	how := fmt.Sprintf("sample_size = -1, maximum_sample_files = 1000000, maximum_depth = %d", duckdb.MaxLists)
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
	return fmt.Sprintf("read_ndjson(%s, %s, maximum_object_size = %d, compression = '%s'%s)", l.From, how, max(2*l.Longest, leastRow),
		compression, more)
}
