package jsonlines

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/duckdb"
)

// doubt is a type that stands for several kinds of values: only all of them
// together tell which type holds them best.
type doubt struct {
	read  string // the type to look at the values as
	ask   string // three numbers that they tell; %[1]s is the column
	solve func(kind, whole, fraction int64) string
}

const (
	digits  = `coalesce(max(length(ltrim(split_part(%[1]s, '.', 1), '-'))), 0), coalesce(max(length(rtrim(split_part(%[1]s, '.', 2), '0'))), 0)`
	nested  = `json_type(%[1]s) IN ('OBJECT', 'ARRAY')`
	numeral = `'-?(0|[1-9][0-9]*)(\.[0-9]+)?'`
)

// doubts of the engine's types. Every number beyond 64 bits, and every amount,
// comes as a float. Numbers among texts come as JSON, in which texts have quotes
// and compare to nothing; if these texts are numbers, too, they are ones that
// JSON could not hold otherwise, as those that an export writes.
var doubts = map[string]doubt{
	"DOUBLE": {"VARCHAR", `coalesce(bool_and(regexp_full_match(%[1]s, '-?[0-9]+(\.[0-9]+)?')), false)::BIGINT + 2 * coalesce(bool_or(regexp_full_match(%[1]s, '-?[0-9]{16,}')), false)::BIGINT, ` + digits, exactNumber},
	"JSON[]": {"JSON[]", `(NOT coalesce(bool_or(len(list_filter(%[1]s, lambda x: json_type(x) IN ('OBJECT', 'ARRAY'))) > 0), false))::BIGINT, 0, 0`,
		func(scalars, _, _ int64) string { return []string{"", "VARCHAR[]"}[scalars] }},
	"JSON": {"JSON", `CASE WHEN bool_or(` + nested + `) THEN 0
WHEN bool_and(json_type(%[1]s) != 'BOOLEAN' AND regexp_full_match(%[1]s->>'$', ` + numeral + `) AND (json_type(%[1]s) != 'VARCHAR' OR length(%[1]s->>'$') > 15)) THEN 2
WHEN bool_and(CASE json_type(%[1]s) WHEN 'BOOLEAN' THEN false WHEN 'VARCHAR' THEN %[1]s->>'$' IN ('NaN', 'Infinity', '-Infinity') ELSE true END) THEN 3 ELSE 1 END, ` +
		strings.ReplaceAll(digits, "%[1]s", "%[1]s->>'$'"), plainType},
}

// exactNumber is a type that keeps all digits of a column of floats, "" if there
// is not one: kind is odd if they have no exponents, and 2 or 3 if a whole number
// has more digits than a float keeps; whole and fraction are the most digits
// before and behind the point.
func exactNumber(kind, whole, fraction int64) string {
	plain := kind%2 == 1
	switch {
	case plain && fraction == 0 && whole <= 38:
		return "HUGEINT"
	case plain && fraction <= 4 && whole+fraction <= 15:
		// With more digits the engine would take them by way of a float.
		return fmt.Sprintf("DECIMAL(18,%d)", fraction)
	case kind >= 2:
		return "VARCHAR"
	}
	return ""
}

// plainType is a type for JSON that is neither objects nor lists.
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

// settle gives the columns the types that hold their values best. It reads the
// files once more if there is any doubt.
func (l Lines) settle(ctx context.Context, c *duckdb.Conn, columns []duckdb.Column) error {
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
		return nil
	}
	if err := c.QueryRow(ctx, "SELECT "+strings.Join(asked, ", ")+" FROM "+l.SQL(read, ""), nil, dest...); err != nil {
		return err
	}
	for i, col := range columns {
		if d, ok := doubts[col.Type]; ok {
			if better := d.solve(told[3*i], told[3*i+1], told[3*i+2]); better != "" {
				columns[i].Type = better
			}
		}
	}
	return nil
}
