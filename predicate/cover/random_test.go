package cover

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
)

// TestClaimsHold relates random predicates and counts, in the engine, the rows
// that a claim says cannot be there. DA_COVER_PAIRS sets how many pairs there are
// of each dialect; `make cover` takes a million of each.
func TestClaimsHold(t *testing.T) {
	pairs := 800
	if text := os.Getenv("DA_COVER_PAIRS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		pairs = n
	}
	conn := enginetest.Conn(t)
	rows(t, conn)
	for _, d := range []predicate.Dialect{predicate.DuckDB, predicate.GoogleSQL, predicate.Postgres} {
		t.Run(string(d), func(t *testing.T) { claimsHold(t, conn, d, pairs) })
	}
}

func claimsHold(t *testing.T, conn *duckdb.Conn, d predicate.Dialect, pairs int) {
	g := &generator{dialect: d, rand: rand.New(rand.NewPCG(1, uint64(len(d))))}
	s := schema(t, d)
	claims := map[Relation]int{}
	var batch []claim
	for range pairs {
		asked, held := g.pair()
		c := claim{asked: read(t, d, s, asked), held: read(t, d, s, held), text: asked + " | " + held}
		c.relation = Compare(d, c.asked, c.held)
		claims[c.relation]++
		if !c.print(d) {
			continue
		}
		if batch = append(batch, c); len(batch) == 80 {
			check(t, conn, d, batch)
			batch = nil
		}
	}
	check(t, conn, d, batch)
	t.Logf("%s: %d equal, %d within, %d disjoint, %d not proven", d, claims[Equal], claims[Within], claims[Disjoint], claims[Unproven])
	if claims[Equal] < pairs/100 || claims[Within] < pairs/20 || claims[Disjoint] < pairs/100 {
		t.Errorf("%s: too little is claimed: %v", d, claims)
	}
}

// claim is a pair of predicates and what is said of it.
type claim struct {
	asked, held predicate.Expr
	relation    Relation
	text        string
	p, q, rest  string // both predicates and the remainder, for the engine
}

// print writes the predicates for the engine; false if one has no form there.
func (c *claim) print(d predicate.Dialect) bool {
	var err error
	if c.p, err = print.SQL(predicate.DuckDB, c.asked, predicate.Env{}); err != nil {
		return false
	}
	if c.q, err = print.SQL(predicate.DuckDB, c.held, predicate.Env{}); err != nil {
		return false
	}
	c.rest = "false"
	if rest, some := Remainder(d, c.asked, c.held); some {
		if c.rest, err = print.SQL(predicate.DuckDB, rest, predicate.Env{}); err != nil {
			return false
		}
	}
	c.text += " | rest " + c.rest
	return true
}

// against is a condition that no row may meet: a row for which the relation of p and
// q does not hold, or the remainder is not what is left of p.
func (c *claim) against(p, q, rest string) string {
	wrong := fmt.Sprintf("%[3]s <> (%[1]s AND NOT %[2]s)", p, q, rest)
	switch c.relation {
	case Equal:
		wrong += fmt.Sprintf(" OR %s <> %s", p, q)
	case Within:
		wrong += fmt.Sprintf(" OR %s AND NOT %s", p, q)
	case Disjoint:
		wrong += fmt.Sprintf(" OR %s AND %s", p, q)
	}
	return wrong
}

// check counts the rows that contradict some claims.
func check(t *testing.T, conn *duckdb.Conn, d predicate.Dialect, claims []claim) {
	t.Helper()
	if len(claims) == 0 {
		return
	}
	var values, counts []string
	for i, c := range claims {
		p, q, rest := fmt.Sprint("p", i), fmt.Sprint("q", i), fmt.Sprint("r", i)
		values = append(values, fmt.Sprintf("(%s) IS TRUE AS %s, (%s) IS TRUE AS %s, (%s) IS TRUE AS %s", c.p, p, c.q, q, c.rest, rest))
		counts = append(counts, "count(*) FILTER (WHERE "+c.against(p, q, rest)+")")
	}
	r, err := conn.Query(t.Context(), "SELECT "+strings.Join(counts, ", ")+" FROM (SELECT "+strings.Join(values, ", ")+" FROM flights)")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		for i, c := range claims {
			if n := r.RecordBatch().Column(i).(*array.Int64).Value(0); n != 0 {
				t.Errorf("%s: %s: claimed %d, and %d rows say otherwise", d, c.text, c.relation, n)
			}
		}
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
}

// rows makes a table whose values are those that the predicates name, their
// neighbours, the ends of types, and NULL.
func rows(t *testing.T, conn *duckdb.Conn) {
	t.Helper()
	pick := func(salt int, values string) string {
		return fmt.Sprintf("list_extract([%s], (hash(r, %d) %% len([%s]))::INTEGER + 1)", values, salt, values)
	}
	days := "NULL, DATE 'infinity', DATE '-infinity', DATE '2025-12-31', DATE '2026-01-01', DATE '2026-02-28', DATE '2026-03-01', DATE '2026-03-02', DATE '2026-03-31', DATE '2026-04-01', DATE '1970-01-01'"
	items := []string{
		pick(1, "NULL, -9223372036854775808, 9223372036854775807, 0, 1, 2, 3, 4, 5, 9007199254740992, 9007199254740993") + "::BIGINT AS id",
		pick(2, "NULL, -2147483647, 2147483646, 0, 1, 2, 3, 4, 5, 6, 10, 11, 16777217") + "::INTEGER AS n",
		pick(3, "NULL, -128, 127, 0, 1, 2, 3, 4, 5") + "::TINYINT AS small",
		pick(4, "NULL, 0, 0.01, 2, 2.49, 2.5, 2.51, 3, 4.99, 5, 10") + "::DECIMAL(10,2) AS price",
		pick(5, "NULL, 'nan', 'inf', '-inf', '0', '-0.0', '0.1', '0.3', '2', '2.5', '3', '5', '60', '120', '9007199254740993'") + "::DOUBLE AS delay",
		pick(6, "NULL, 'nan', 'inf', '-inf', '0', '0.1', '0.3', '0.7', '2', '2.5', '3', '5', '16777217'") + "::FLOAT AS ratio",
		pick(7, days) + " AS day",
		pick(8, "NULL, 'infinity', '-infinity', '2025-12-31 23:59:59.999999', '2026-01-01', '2026-03-01', '2026-03-01 00:00:00.000001', '2026-03-01 10:00:00', '2026-03-31 23:59:59.999999', '2026-04-01'") + "::TIMESTAMP AS moment",
		pick(9, "NULL, '2026-03-01 00:00:00+00', '2026-03-01 00:00:00.000001+00', '2026-04-01 00:00:00+00'") + "::TIMESTAMPTZ AS seen",
		pick(10, "NULL, '00:00:00', '10:00:00', '10:00:00.000001', '23:59:59.999999'") + "::TIME AS clock",
		pick(11, "NULL, '', 'A', 'B', 'P', 'PR', 'PRG', 'PRH', 'Pé', 'Q', 'p', 'prg', '~'") + " AS origin",
		pick(12, "NULL, '', 'A', 'B', 'P', 'PR', 'PRG', 'a', 'x', 'X'") + " AS name",
		pick(13, "NULL, true, false") + "::BOOLEAN AS late",
		pick(14, "NULL, '6ba7b810-9dad-11d1-80b4-00c04fd430c8', '6ba7b811-9dad-11d1-80b4-00c04fd430c8'") + "::UUID AS key",
	}
	for _, setting := range []string{"SET TimeZone = 'UTC'", "PRAGMA disable_optimizer"} { // optimising would take most of the time
		if err := conn.Exec(t.Context(), setting); err != nil {
			t.Fatal(err)
		}
	}
	if err := conn.Exec(t.Context(), "CREATE TABLE flights AS SELECT "+strings.Join(items, ", ")+" FROM range(1500) t(r)"); err != nil {
		t.Fatal(err)
	}
}

// generator writes predicates that are likely to have to do with each other.
type generator struct {
	dialect predicate.Dialect
	rand    *rand.Rand
}

// pair is two predicates, often one made of the other.
func (g *generator) pair() (asked, held string) {
	held = g.condition(2)
	switch g.rand.IntN(5) {
	case 0:
		return g.condition(2), held
	case 1:
		return held + " AND " + g.test(), held
	case 2:
		return "(" + held + ") AND (" + g.condition(1) + ")", held
	case 3:
		return held, "(" + held + ") OR " + g.test()
	}
	column := g.column()
	return g.on(column), g.on(column)
}

func (g *generator) condition(depth int) string {
	if depth == 0 || g.rand.IntN(3) == 0 {
		return g.test()
	}
	a, b := g.condition(depth-1), g.condition(depth-1)
	switch g.rand.IntN(6) {
	case 0:
		return "NOT (" + a + ")"
	case 1:
		return "((" + a + ") IS " + g.one("", "NOT ") + g.one("TRUE", "FALSE") + ")"
	case 2, 3:
		return "((" + a + ") OR (" + b + "))"
	}
	return "((" + a + ") AND (" + b + "))"
}

func (g *generator) one(of ...string) string { return of[g.rand.IntN(len(of))] }

func (g *generator) column() string {
	return g.one("id", "n", "n", "small", "price", "delay", "delay", "ratio", "day", "day", "moment", "clock", "origin", "origin", "name", "late")
}

func (g *generator) test() string { return g.on(g.column()) }

// on is a test of one column, which may be a combination.
func (g *generator) on(column string) string {
	compare := func() string { return g.one("=", "<>", "<", "<=", ">", ">=") }
	value := func() string { return g.value(column) }
	switch g.rand.IntN(15) {
	case 0:
		return column + " IS " + g.one("", "NOT ") + "NULL"
	case 1:
		return column + g.one("", " NOT") + " IN (" + value() + ", " + value() + ", " + value() + ")"
	case 2:
		if column != "late" {
			return column + g.one("", " NOT") + " BETWEEN " + value() + " AND " + value()
		}
	case 3:
		return "(" + column + " " + compare() + " " + value() + " " + g.one("AND", "OR") + " " + column + " " + compare() + " " + value() + ")"
	case 4:
		if text := g.special(column); text != "" {
			return text
		}
	case 5:
		return column + " IS " + g.one("", "NOT ") + "DISTINCT FROM " + value()
	case 6:
		return value() + " " + compare() + " " + column
	case 7:
		if column == "late" {
			return column
		}
	case 8: // a value that is sought in several columns
		return value() + g.one("", " NOT") + " IN (" + column + ", " + g.alike(column) + g.one("", ", "+value()) + ")"
	case 9:
		return column + g.one("", " NOT") + " IN (" + g.alike(column) + ", " + value() + ", " + value() + ")"
	case 10:
		if column != "late" {
			return g.one(value(), g.alike(column)) + g.one("", " NOT") + " BETWEEN " + g.one(column, value()) + " AND " + g.one(g.alike(column), value())
		}
	}
	return column + " " + compare() + " " + value()
}

// alike is a column whose values a column can be compared with, often another.
func (g *generator) alike(column string) string {
	switch column {
	case "id", "n", "small":
		return g.one("id", "n", "small")
	case "origin", "name":
		return g.one("origin", "name")
	}
	return column
}

func (g *generator) value(column string) string {
	switch column {
	case "id":
		return g.one("0", "1", "2", "3", "4", "5", "9007199254740992", "9007199254740993", "1e0", "1e18")
	case "small":
		return g.one("0", "1", "2", "3", "4", "5")
	case "n":
		return g.one("0", "1", "2", "3", "4", "5", "10", "2.5", "3.0")
	case "price":
		return g.one("0", "2", "2.49", "2.5", "2.50", "3", "5", "10")
	case "delay":
		return g.one("0", "2", "2.5", "3", "60", "120", "0.1", "0.3", "1e1", "3e-1")
	case "ratio":
		return g.one("0", "2", "2.5", "3", "0.1", "0.3", "0.7", "0.10000001", "1e0")
	case "day":
		return g.one("DATE '2026-01-01'", "DATE '2026-02-28'", "DATE '2026-03-01'", "DATE '2026-03-02'", "DATE '2026-03-31'", "DATE '2026-04-01'")
	case "moment":
		word := "TIMESTAMP"
		if g.dialect == predicate.GoogleSQL {
			word = "DATETIME"
		}
		return word + " " + g.one("'2026-01-01 00:00:00'", "'2026-03-01 00:00:00'", "'2026-03-01 10:00:00'", "'2026-04-01 00:00:00'", "'2026-03-31 23:59:59.999999'")
	case "clock":
		return "TIME " + g.one("'00:00:00'", "'10:00:00'", "'10:00:00.000001'")
	case "late":
		return g.one("TRUE", "FALSE")
	}
	return g.one("''", "'A'", "'B'", "'P'", "'PR'", "'PRG'", "'PRH'", "'Q'", "'p'")
}

// special is a test in a form that only some columns have.
func (g *generator) special(column string) string {
	switch column {
	case "origin", "name":
		return g.one(column+g.one("", " NOT")+" LIKE "+g.one("'P%'", "'PR%'", "'PRG'", "'%'", "'%R%'", "'P_G'", "'P__'"),
			"starts_with("+column+", "+g.one("'P'", "'PR'", "'Q'")+")", "lower("+column+") = "+g.one("'p'", "'prg'"))
	case "day", "moment":
		year := "EXTRACT(year FROM " + column + ") = " + g.one("2025", "2026")
		if column == "moment" {
			return g.one(year, "CAST(moment AS DATE) "+g.one("=", "<", "<=", ">", ">=")+" "+g.value("day"))
		}
		if g.dialect == predicate.DuckDB {
			return g.one(year, "date_trunc("+g.one("'month'", "'year'")+", day) = "+g.one("DATE '2026-03-01'", "DATE '2026-01-01'", "DATE '2026-03-02'"))
		}
		return year
	case "n":
		return g.one("abs(n)", "n + 1") + " = " + g.one("0", "1", "2")
	}
	return ""
}
