package keep

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// The statements of a comparison name the columns c0, c1, … in the order of key
// and values, so that real column names cannot clash.

// columnsOf selects the compared columns of a file under these names.
func (c *comparison) columnsOf(file, more string) string {
	var items []string
	for i, name := range append(append([]string{}, c.key...), c.values...) {
		items = append(items, fmt.Sprintf("%s AS c%d", duckdb.Quote(name), i))
	}
	return fmt.Sprintf("SELECT %s, %s FROM read_parquet(%s)", strings.Join(items, ", "), more, duckdb.PathLiteral(file))
}

// eachColumn repeats the text for every column from first to the last. # is its number, and
// differs(#) whether its values do.
func (c *comparison) eachColumn(first int, text, separator string) string {
	var items []string
	for i := first; i < len(c.key)+len(c.values); i++ {
		items = append(items, strings.ReplaceAll(strings.ReplaceAll(text, "differs(#)", c.differs(i)), "#", fmt.Sprint(i)))
	}
	return strings.Join(items, separator)
}

// differs is true for a pair of rows if their values of column i differ.
func (c *comparison) differs(i int) string {
	x, y := fmt.Sprintf("x.c%d", i), fmt.Sprintf("y.c%d", i)
	distinct := fmt.Sprintf("%s IS DISTINCT FROM %s", x, y)
	if i < len(c.key) || c.d.Tolerance == 0 {
		return distinct
	}
	near := nearBy(c.types[c.values[i-len(c.key)]], x, y, strconv.FormatFloat(c.d.Tolerance, 'f', -1, 64))
	if near == "" {
		return distinct
	}
	return fmt.Sprintf("(%s AND NOT coalesce(%s, false))", distinct, near)
}

// nearBy is true for two numbers of a type that are not further apart than tolerance;
// "" for other types. It is NULL or false for a NULL, and for NaN and infinities.
func nearBy(columnType, x, y, tolerance string) string {
	// Floats are rarely exactly as far apart as they look: 1.01 - 1.0 > 0.01.
	rounding := map[string]string{"FLOAT": "1.2e-7", "DOUBLE": "4.5e-16"}[columnType]
	asFloats := fmt.Sprintf("TRY(abs(%s::DOUBLE - %s::DOUBLE) <= %s", x, y, tolerance)
	switch {
	case rounding != "":
		return fmt.Sprintf("isfinite(%s) AND isfinite(%s) AND %s + %s * greatest(abs(%s), abs(%s)))", x, y, asFloats, rounding, x, y)
	case slices.Contains([]string{"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "HUGEINT"},
		columnType):
		x, y = x+"::HUGEINT", y+"::HUGEINT"
	case columnType != "UHUGEINT" && !strings.HasPrefix(columnType, "DECIMAL("):
		return ""
	}
	// Where the exact difference does not fit its type, the numbers are so large that
	// floats tell.
	return fmt.Sprintf("coalesce(TRY(greatest(%s, %s) - least(%s, %s) <= %s), %s))", x, y, x, y, tolerance, asFloats)
}

// wholeRows builds the statements that compare complete rows.
type wholeRows struct{ c *comparison }

func wholeRowsSQL(c *comparison) wholeRows { return wholeRows{c} }

// from selects each distinct row and n, how many more times it occurs in after
// than in before.
func (s wholeRows) from() string {
	c := s.c
	return fmt.Sprintf("(SELECT %s, sum(side) AS n FROM (%s UNION ALL %s) GROUP BY %s)",
		c.eachColumn(0, "c#", ", "), c.columnsOf(c.a, "-1 AS side"), c.columnsOf(c.b, "1 AS side"), c.eachColumn(0, "c#", ", "))
}

func (s wholeRows) counts() string {
	return "SELECT coalesce(sum(greatest(n, 0)), 0)::BIGINT, coalesce(sum(greatest(-n, 0)), 0)::BIGINT FROM " + s.from()
}

func (s wholeRows) rows(where string) string {
	return fmt.Sprintf("SELECT %s FROM %s WHERE %s ORDER BY ALL LIMIT %d", s.c.eachColumn(0, "c#", ", "), s.from(), where, s.c.examples)
}

// keyed builds the statements that compare rows by key.
type keyed struct{ c *comparison }

func keyedSQL(c *comparison) keyed { return keyed{c} }

// repeated counts the key values that occur more than once in a file.
func (s keyed) repeated(file string) string {
	names := make([]string, len(s.c.key))
	for i, k := range s.c.key {
		names[i] = duckdb.Quote(k)
	}
	list := strings.Join(names, ", ")
	return fmt.Sprintf("SELECT count(*) FROM (SELECT 1 FROM read_parquet(%s) GROUP BY %s HAVING count(*) > 1)", duckdb.PathLiteral(file), list)
}

// from joins x, the rows before, with y, the rows after. here is NULL on the side
// without such a row.
func (s keyed) from() string {
	c := s.c
	var on []string
	for i := range c.key {
		on = append(on, fmt.Sprintf("x.c%d IS NOT DISTINCT FROM y.c%d", i, i))
	}
	return fmt.Sprintf("(%s) x FULL JOIN (%s) y ON %s", c.columnsOf(c.a, "true AS here"), c.columnsOf(c.b, "true AS here"),
		strings.Join(on, " AND "))
}

const inBoth = "x.here AND y.here"

// differs is true for a pair of rows if any value differs.
func (s keyed) differs() string {
	if len(s.c.values) == 0 {
		return "false"
	}
	return inBoth + " AND (" + s.c.eachColumn(len(s.c.key), "differs(#)", " OR ") + ")"
}

func (s keyed) counts() string {
	items := "count(*) FILTER (x.here IS NULL), count(*) FILTER (y.here IS NULL), count(*) FILTER (" + s.differs() + ")"
	if len(s.c.values) > 0 {
		items += ", " + s.c.eachColumn(len(s.c.key), "count(*) FILTER ("+inBoth+" AND differs(#))", ", ")
	}
	return "SELECT " + items + " FROM " + s.from()
}

// changed selects the key and, for each value, whether it differs, and both
// values.
func (s keyed) changed() string {
	n := len(s.c.key)
	var key, order []string
	for i := range n {
		key, order = append(key, fmt.Sprintf("x.c%d", i)), append(order, fmt.Sprint(i+1))
	}
	return fmt.Sprintf("SELECT %s, %s FROM %s WHERE %s ORDER BY %s LIMIT %d", strings.Join(key, ", "),
		s.c.eachColumn(n, "differs(#) AS d#, x.c# AS b#, y.c# AS a#", ", "), s.from(), s.differs(), strings.Join(order, ", "), s.c.examples)
}

// only selects the rows that only side x or y has.
func (s keyed) only(side string) string {
	other := map[string]string{"x": "y", "y": "x"}[side]
	return fmt.Sprintf("SELECT %s FROM %s WHERE %s.here IS NULL ORDER BY ALL LIMIT %d", s.c.eachColumn(0, side+".c#", ", "), s.from(), other,
		s.c.examples)
}
