package needs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/predicate"
)

var flights = Table{ID: "flights", Dialect: predicate.DuckDB, Columns: []api.Column{
	{Name: "moment", Type: "TIMESTAMP"}, {Name: "day", Type: "DATE"}, {Name: "delay", Type: "INTEGER"}, {Name: "origin", Type: "VARCHAR"},
	{Name: "price", Type: "DECIMAL(9,2)"}, {Name: "ratio", Type: "DOUBLE"}, {Name: "Odd Col", Type: "BIGINT"}, {Name: "late", Type: "BOOLEAN"},
	{Name: "seat", Type: "STRUCT(delay BIGINT, late BOOLEAN)"},
}}

var airports = Table{ID: "airports", Dialect: predicate.DuckDB, Columns: []api.Column{
	{Name: "iata", Type: "VARCHAR"}, {Name: "state", Type: "VARCHAR"}, {Name: "size", Type: "BIGINT"},
}}

// finder is Find in an engine of its own, where it finds something.
func finder(t *testing.T, tables ...Table) func(sql string) []Need {
	t.Helper()
	conn := connected(t, tables...)
	return func(sql string) []Need {
		t.Helper()
		needs, err := Find(t.Context(), conn, sql, tables)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		return needs
	}
}

// connected is an engine with the tables.
func connected(t *testing.T, tables ...Table) *duckdb.Conn {
	t.Helper()
	db, err := duckdb.Open(duckdb.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	conn, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := errors.Join(Make(t.Context(), conn, tables), Configure(t.Context(), conn, map[string]string{"disabled_optimizers": "expression_rewriter"}), Configure(t.Context(), conn, nil)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestSettingsOfAStatement do not enable what Find cannot use.
func TestSettingsOfAStatement(t *testing.T) {
	conn := enginetest.Conn(t)
	if err := Configure(t.Context(), conn, map[string]string{"disabled_optimizers": "expression_rewriter"}); err != nil {
		t.Fatal(err)
	}
	var now string
	if err := conn.QueryRow(t.Context(), "SELECT current_setting('disabled_optimizers')", nil, &now); err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Split(disabled+",expression_rewriter", ",") {
		if !strings.Contains(now, name) {
			t.Errorf("%s is enabled: %s", name, now)
		}
	}
}

func TestFind(t *testing.T) {
	many := make([]string, 200)
	for i := range many {
		many[i] = fmt.Sprintf("'A%03d'", i)
	}
	find := finder(t, flights)
	for _, c := range []struct{ sql, columns, where string }{
		{"SELECT count(*) FROM flights", "day", ""},
		{"SELECT avg(delay) FROM flights WHERE origin = 'SEA' AND moment >= TIMESTAMP '2001-03-01'", "moment,delay,origin", `"origin" = 'SEA' AND "moment" >= TIMESTAMP '2001-03-01 00:00:00'`},
		{"SELECT delay FROM flights WHERE origin LIKE 'S%' AND day BETWEEN '2001-03-01' AND '2001-03-31'", "day,delay,origin",
			`"day" >= DATE '2001-03-01' AND "origin" >= 'S' AND "day" <= DATE '2001-03-31' AND "origin" < 'T'`},
		{"SELECT delay FROM flights WHERE origin = 'it''s'", "delay,origin", `"origin" = 'it''s'`},
		{"SELECT delay FROM flights WHERE origin = 'a AND optional: b'", "delay,origin", ""},
		{`SELECT delay FROM flights WHERE "Odd Col" > 3 AND origin = 'Odd Col'`, "delay,origin,Odd Col", `"origin" = 'Odd Col' AND "Odd Col" > 3`},
		{`SELECT delay FROM flights WHERE NOT late AND "Odd Col" IS NOT NULL OR "Odd Col" IN (1, 7)`, "delay,Odd Col,late", `(NOT "late" AND "Odd Col" IS NOT NULL OR "Odd Col" IN (1, 7)) AND ("Odd Col" IN (1, 7) OR "Odd Col" IS NOT NULL)`},
		{"SELECT 1 FROM flights WHERE delay > 3 UNION ALL SELECT 2 FROM flights WHERE late", "delay,late", `"late" OR "delay" > 3`},
		{"SELECT f.delay FROM flights f, flights g WHERE f.delay > 3 AND g.price = f.price", "delay,price", ""},
		{"SELECT 1 FROM flights WHERE delay > 3 AND delay < 2", "", ""},
		{"SELECT delay FROM flights WHERE random() < 0.5 AND price > 3", "delay,price", `"price" > 3.00`},
		{"SELECT 1 FROM flights WHERE origin IN (" + strings.Join(many, ", ") + ")", "origin", `"origin" IN (` + strings.Join(many, ", ") + ")"},
		{"SELECT * FROM flights", "moment,day,delay,origin,price,ratio,Odd Col,late,seat", ""},
	} {
		n := find(c.sql)[0]
		if got := strings.Join(n.Columns, ","); got != c.columns || n.Where != c.where {
			t.Errorf("%s\nneeds %s WHERE %s\nwant  %s WHERE %s\nlocal %v", c.sql, got, n.Where, c.columns, c.where, n.Local)
		}
	}
}

// TestConstantsThatFitNoColumn are refused before anything is fetched, at their place,
// unless the statement may never look at them.
func TestConstantsThatFitNoColumn(t *testing.T) {
	conn := connected(t, flights)
	for where, at := range map[string]string{
		"day = '20010301'":                         "'20010301'",
		"delay > 3 AND day IN ('2001-03-01', 'x')": "'x'",
		"delay = 'abc'":                            "'abc'",
		"price < '1,5'":                            "'1,5'",
		"day = '2001-03-01' AND delay = '5'":       "",
		"CASE WHEN late THEN day = '20010301' END": "",
		"day = TRY_CAST('20010301' AS DATE)":       "",
	} {
		sql := "SELECT delay FROM flights WHERE " + where
		_, err := Find(t.Context(), conn, sql, []Table{flights})
		var said *duckdb.Error
		if at == "" && err != nil || at != "" && (!errors.As(err, &said) || said.Position != strings.Index(sql, at)) {
			t.Errorf("%s: %v", where, err)
		}
	}
}

// TestNamesThatNeedQuotes: the plan quotes them, too.
func TestNamesThatNeedQuotes(t *testing.T) {
	for _, id := range []string{"names", "order", "a-b", "a.b", "2024", "select"} {
		table := Table{ID: id, Dialect: predicate.DuckDB, Columns: []api.Column{{Name: "order", Type: "BIGINT"}, {Name: "n", Type: "BIGINT"}}}
		n := finder(t, table)(`SELECT "order" FROM ` + duckdb.Quote(id) + ` WHERE n > 3`)[0]
		if !n.Scanned || strings.Join(n.Columns, ",") != "order,n" || n.Where != `"n" > 3` {
			t.Errorf("%s: %+v", id, n)
		}
	}
}

// TestNamesOfWords: a condition is sent to the source only if its names are clear.
func TestNamesOfWords(t *testing.T) {
	var columns []api.Column
	for _, name := range []string{"a", "b", "a b", "Größe", "x y", "x y z", "x y %", "a AND b", "Time IN", "TIME ZONE", "order date", "a-b", "no-2 x", "z-", "x-AND"} {
		columns = append(columns, api.Column{Name: name, Type: "BIGINT"})
	}
	find := finder(t, Table{ID: "t", Dialect: predicate.DuckDB, Columns: append(columns, api.Column{Name: "ok", Type: "BOOLEAN"}, api.Column{Name: "moment", Type: "TIMESTAMP"})})
	for where, sent := range map[string]string{
		`"a b" > 5`: `"a b" > 5`, `a > 5 AND b > 6`: `"a" > 5 AND "b" > 6`, `"Größe" > 5 AND ok`: `"ok" AND "Größe" > 5`, `"x y z" = 5`: `"x y z" = 5`, `"order date" <= a`: `"order date" <= "a"`,
		`"x y" = 5`: `"x y" = 5`, `"x y" % 3 = 1`: "", `"x y %" = 3`: "", `"Time IN" = 3`: "", `"a AND b" > 3`: "", `moment::TIMESTAMPTZ > now() AND "TIME ZONE" = 1`: `"TIME ZONE" = 1`,
		`"a-b" > 5`: `"a-b" > 5`, `a-b > 5`: `("a" - "b") > 5`, `"a-b"-a-b > 5`: `(("a-b" - "a") - "b") > 5`, `a > -5 AND -b > -a`: `"a" > (-5) AND (-"b") > (-"a")`,
		`"no-2 x" = -5`: `"no-2 x" = (-5)`, `"z-" = 5`: "", `"x-AND" = 5`: "",
	} {
		if n := find("SELECT count(*) FROM t WHERE " + where)[0]; n.Where != sent {
			t.Errorf("%s sends %q, want %q (local %v)", where, n.Where, sent, n.Local)
		}
	}
}

// TestNamesWithSpacesAround: their columns are fetched, and no condition on them is sent as
// one on another column.
func TestNamesWithSpacesAround(t *testing.T) {
	for _, name := range []string{" b", "b ", "\tb", "c  b", "c\nb", " "} {
		find := finder(t, Table{ID: "t", Dialect: predicate.DuckDB, Columns: []api.Column{{Name: "a", Type: "BIGINT"}, {Name: "b", Type: "BIGINT"}, {Name: name, Type: "BIGINT"}}})
		for _, where := range []string{" = 3", " % 2 = 1", " = a"} {
			for _, selected := range []string{"count(*)", "a", "sum(" + duckdb.Quote(name) + ")"} {
				n := find("SELECT " + selected + " FROM t WHERE " + duckdb.Quote(name) + where)[0]
				if !slices.Contains(n.Columns, name) || n.Where != "" {
					t.Errorf("%s of %q%s: needs %q WHERE %s", selected, name, where, n.Columns, n.Where)
				}
			}
		}
		if n := find("SELECT " + duckdb.Quote(name) + " FROM t")[0]; !slices.Contains(n.Columns, name) {
			t.Errorf("%q needs %q", name, n.Columns)
		}
		if n := find("SELECT a FROM t WHERE a = 3")[0]; name != " " && n.Where != `"a" = 3` {
			t.Errorf("beside %q: %s", name, n.Where)
		}
	}
}

// TestNamesGivenAnew: a condition is not sent as one on a column that only has its name.
func TestNamesGivenAnew(t *testing.T) {
	find := finder(t, Table{ID: "t", Dialect: predicate.DuckDB, Columns: []api.Column{
		{Name: "a", Type: "BIGINT"}, {Name: "b", Type: "BIGINT"}, {Name: "s", Type: "STRUCT(b BIGINT)"}}})
	for from, sent := range map[string]string{
		"SELECT a AS b FROM t": "", "SELECT a AS b, b AS a FROM t": "", "SELECT b, a FROM t x(b, a)": "", "WITH w(b, a) AS (FROM t) SELECT b, a FROM w": "",
		"SELECT * RENAME (a AS b, b AS a) FROM t": "", "SELECT s.b, a FROM t": "", "SELECT unnest(s), a FROM t": "", "SELECT a, b FROM t": `("b" % 2) = 0`,
	} {
		if n := find("SELECT * FROM (" + from + ") q WHERE b % 2 = 0")[0]; n.Where != sent {
			t.Errorf("%s sends %q, want %q (local %v)", from, n.Where, sent, n.Local)
		}
	}
}

// TestNamesWithinWords: a condition on amount does not ask for n, nor one on
// order_id for "order" and id.
func TestNamesWithinWords(t *testing.T) {
	table := Table{ID: "t", Dialect: predicate.DuckDB, Columns: []api.Column{
		{Name: "n", Type: "BIGINT"}, {Name: "amount", Type: "DECIMAL(9,2)"}, {Name: "order_id", Type: "BIGINT"}, {Name: "id", Type: "BIGINT"}, {Name: "order", Type: "BIGINT"},
		{Name: "%", Type: "BIGINT"}, {Name: "Ü", Type: "BIGINT"}, {Name: `a"b`, Type: "BIGINT"}, {Name: "x y", Type: "BIGINT"}, {Name: "s", Type: "STRUCT(n BIGINT, m BIGINT)"}}}
	find := finder(t, table)
	for _, c := range []struct{ where, columns string }{
		{"amount > 5", "amount"}, {"order_id > 5", "order_id"}, {"amount > n", "n,amount"}, {"n + amount > 5", "n,amount"}, {`"order" > 5`, "order"}, {`"%" > 5`, "%"}, {`"Ü" % 3 = 1`, "%,Ü"},
		{`"a""b" > 5`, `a"b`}, {`"x y" > 5`, "x y"}, {"N IS NULL", "n"}, {"s.m > 3", "s"},
	} {
		n := find("SELECT count(*) FROM t WHERE " + c.where)[0]
		if got := strings.Join(n.Columns, ","); got != c.columns {
			t.Errorf("%s needs %s, want %s (where %s, local %v)", c.where, got, c.columns, n.Where, n.Local)
		}
	}
}

// TestANeedSurvivesJoins: what an outer join keeps is not filtered away.
func TestANeedSurvivesJoins(t *testing.T) {
	n := finder(t, flights, airports)("SELECT a.state, count(*) FROM flights f LEFT JOIN airports a ON f.origin = a.iata AND a.size > 3 AND f.delay > 5 GROUP BY 1")
	if n[0].Where != "" || n[1].Where != `"size" > 3` {
		t.Errorf("%+v", n)
	}
}

// TestPlansOfASOF: without the order of joins, the engine crashes when it plans ASOF as a
// loop: for few rows on the left, and for further conditions.
func TestPlansOfASOF(t *testing.T) {
	find := finder(t, flights)
	for _, left := range []string{"(VALUES (TIMESTAMP '2026-01-01')) p(m)", "(SELECT moment AS m FROM flights WHERE false) p", "(SELECT moment AS m FROM flights LIMIT 3) p"} {
		for _, on := range []string{"", " AND false", " AND (p.m > f.day OR p.m < f.day)", " AND f.late"} {
			for _, kind := range []string{" ASOF ", " asof LEFT "} {
				if n := find("SELECT f.delay FROM " + left + kind + "JOIN flights f ON p.m >= f.moment" + on)[0]; n.Scanned && !slices.Contains(n.Columns, "delay") {
					t.Errorf("%s%s%s: %+v", left, kind, on, n)
				}
			}
		}
	}
}

// all finds the joins of a statement over both tables.
func all(t *testing.T, conn *duckdb.Conn, sql string) []Join {
	t.Helper()
	columns := Columns{}
	for _, table := range []Table{flights, airports} {
		for _, c := range table.Columns {
			columns[table.ID] = append(columns[table.ID], c.Name)
		}
	}
	joins, err := Joins(t.Context(), conn, sql, columns)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return joins
}

// TestJoins finds equalities that every row must meet, and no others.
func TestJoins(t *testing.T) {
	conn := enginetest.Conn(t)
	both := "flights.origin=airports.iata airports.iata=flights.origin"
	for sql, want := range map[string]string{
		"SELECT 1 FROM flights f JOIN airports a ON f.origin = a.iata AND a.size > 3":                                     both,
		"SELECT 1 FROM flights, airports WHERE origin = iata AND late":                                                    both,
		"SELECT 1 FROM flights f LEFT JOIN airports a ON f.origin = a.iata":                                               "",
		"SELECT 1 FROM flights f LEFT JOIN airports a ON true WHERE f.origin = a.iata":                                    both,
		"SELECT 1 FROM flights f RIGHT JOIN airports a ON true WHERE f.origin = a.iata":                                   "",
		"SELECT 1 FROM flights f SEMI JOIN airports a ON f.origin = a.iata":                                               both,
		"SELECT 1 FROM flights f ANTI JOIN airports a ON f.origin = a.iata":                                               "",
		"SELECT 1 FROM flights f WHERE origin IN (SELECT iata FROM airports WHERE size > 3)":                              "flights.origin=airports.iata",
		"SELECT 1 FROM flights f WHERE origin NOT IN (SELECT iata FROM airports)":                                         "",
		"SELECT 1 FROM flights f WHERE late OR origin IN (SELECT iata FROM airports)":                                     "",
		"SELECT 1 FROM flights f, airports a WHERE f.origin = a.iata OR late":                                             "",
		"SELECT 1 FROM flights f JOIN airports a ON upper(f.origin) = a.iata":                                             "",
		"SELECT 1 FROM flights f JOIN airports a ON f.origin = a.iata JOIN flights g ON g.delay = f.delay":                "airports.iata=flights.origin",
		"SELECT (SELECT max(delay) FROM flights) FROM flights f JOIN airports a ON f.origin = a.iata":                     "airports.iata=flights.origin",
		"WITH flights AS (SELECT 'x' AS origin) SELECT 1 FROM flights f JOIN airports a ON f.origin = a.iata":             "",
		"WITH w AS (SELECT f.delay FROM flights f JOIN airports a ON f.origin = a.iata) SELECT 1 FROM w JOIN w x ON true": both,
		"SELECT 1 FROM (SELECT delay AS origin FROM flights) f JOIN airports a ON f.origin = a.iata":                      "",
		"SELECT 1 FROM flights f POSITIONAL JOIN airports a WHERE f.origin = a.iata":                                      "",
		"SELECT 1 FROM flights f TABLESAMPLE 10% JOIN airports a ON f.origin = a.iata":                                    "airports.iata=flights.origin",
		"SELECT 1 FROM flights f(x) JOIN airports a ON f.origin = a.iata":                                                 "",
		"SELECT 1 FROM flights f JOIN (SELECT iata, 1 AS origin FROM airports) a ON origin = iata":                        "",
		"SELECT upper(state) AS origin FROM flights f, airports a WHERE origin = iata":                                    "",
		"SELECT 1 FROM flights f FULL JOIN airports a ON f.origin = a.iata UNION ALL SELECT 1":                            "",
		"SELECT 1 FROM flights f JOIN airports a ON f.origin = a.iata UNION ALL SELECT 1":                                 both,
	} {
		var found []string
		for _, j := range all(t, conn, sql) {
			found = append(found, j.Table+"."+j.Column+"="+j.Other+"."+j.OtherColumn)
		}
		if got := strings.Join(found, " "); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}

// statements are random SELECTs over both tables; all have one result only.
func statements(r *rand.Rand) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	cond := func(q string) string {
		var terms []string
		for range 1 + r.IntN(3) {
			terms = append(terms, pick(q+"delay > 2", q+"delay <= -1", q+"origin = 'SEA'", q+"origin LIKE 'S%'", q+"origin IS NULL", q+"origin IN ('SEA', 'JFK', NULL)",
				"NOT "+q+"late", q+"late", q+"price > 5.25", q+"price BETWEEN 2 AND 9", q+"ratio < 3", q+"ratio >= 0.1", q+"day >= DATE '2026-01-05'", "date_trunc('month', "+q+"day) = DATE '2026-01-01'",
				q+`"Odd Col" % 3 = 1`, q+`"Odd Col" > 20`, q+`"Odd Col" IN (3, 5, 60)`, "NOT "+q+`"Odd Col" < 9`, q+`"Odd Col" IS NOT NULL`, q+"delay % 2 = 0", q+"delay % 3 = "+q+`"Odd Col" % 3`, "upper("+q+"origin) < 'M'", "coalesce("+q+"delay, 0) = 0", q+"moment < TIMESTAMP '2026-01-09 10:00:00'", q+"delay <> 1", q+"delay IS DISTINCT FROM 1", q+"delay::DOUBLE / 2 > 1"))
		}
		return "(" + strings.Join(terms, pick(" AND ", " OR ")) + ")"
	}
	turned := `SELECT moment, day, "Odd Col" AS delay, origin, price, ratio, delay AS "Odd Col", late FROM flights`
	swapped := `SELECT moment, day, delay, origin, TRY_CAST(ratio AS DECIMAL(9, 2)) AS price, price::DOUBLE AS ratio, "Odd Col", day > '2026-01-09' AS late FROM flights`
	from := pick("flights f", "(SELECT * FROM flights WHERE "+cond("")+") f", "("+turned+") f", "("+swapped+") f", "("+turned+" UNION ALL "+swapped+") f",
		"(SELECT moment, day, day_of AS delay, origin, price, ratio, \"Odd Col\", late FROM (SELECT *, delay AS first, \"Odd Col\" AS day_of FROM flights)) f",
		`(SELECT moment, day, seat.delay, origin, price, ratio, "Odd Col", seat.late FROM flights) f`,
		`(SELECT moment, day, origin, price, delay AS ratio, "Odd Col", unnest(seat) FROM flights) f`,
		`(SELECT moment, day, delay, origin, price, ratio, "Odd Col", late FROM flights UNION ALL SELECT moment, day, "Odd Col", origin, price, ratio, delay, late FROM flights) f`,
		"(SELECT * RENAME (delay AS \"Odd Col\", \"Odd Col\" AS delay) FROM flights) f",
		"(WITH w(moment, day, \"Odd Col\", origin, price, ratio, delay, late) AS (FROM flights) FROM w) f",
		"(SELECT moment, day, size AS delay, origin, price, ratio, delay AS \"Odd Col\", late FROM flights x(moment, day, size, origin, price, ratio, delay, late)) f", "flights f "+pick("", "LEFT ", "RIGHT ", "FULL ")+"JOIN airports a ON f.origin = a.iata AND "+cond("f."),
		"flights f "+pick("", "LEFT ")+"JOIN airports a ON f.origin = a.iata", "flights f SEMI JOIN airports a ON f.origin = a.iata AND a.size > 2", "flights f ANTI JOIN airports a ON f.origin = a.iata",
		"flights f JOIN flights g ON f.delay = g.delay AND "+cond("g."))
	where := pick("", " WHERE "+cond("f."), " WHERE f.delay > (SELECT avg(delay) FROM flights x WHERE x.origin = f.origin AND "+cond("x.")+")",
		" WHERE EXISTS (SELECT 1 FROM airports b WHERE b.iata = f.origin AND b.size > 1) AND "+cond("f."), " WHERE f.origin IN (SELECT iata FROM airports WHERE state = 'WA')")
	return pick(
		"SELECT f.* FROM "+from+where,
		"SELECT count(*), sum(f.price), min(f.moment) FROM "+from+where,
		"SELECT f.origin, count(*) AS n FROM "+from+where+" GROUP BY ALL HAVING count(*) > 2",
		"SELECT f.delay, row_number() OVER (PARTITION BY f.origin ORDER BY f.moment, f.\"Odd Col\", f.delay) FROM "+from+where+" QUALIFY row_number() OVER (PARTITION BY f.origin ORDER BY f.\"Odd Col\", f.moment, f.delay) < 3",
		"WITH x AS (SELECT f.delay, f.price FROM "+from+where+") SELECT x.delay, y.price FROM x JOIN x y USING (delay) WHERE x.price > 3",
		"SELECT f.delay FROM "+from+where+pick(" UNION ", " INTERSECT ", " EXCEPT ", " UNION ALL ")+"SELECT delay FROM flights WHERE "+cond(""),
		"SELECT DISTINCT f.origin FROM "+from+where+" ORDER BY 1 LIMIT 3",
	)
}

// answers are the rows of a statement, sorted.
func answers(t *testing.T, conn *duckdb.Conn, sql string) string {
	t.Helper()
	text := "SELECT coalesce(string_agg(r, chr(10) ORDER BY r), '') FROM (SELECT to_json(q)::VARCHAR AS r FROM (" + sql + ") q)"
	var out string
	if err := conn.QueryRow(context.Background(), text, nil, &out); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return out
}

// TestWhatIsNeededIsEnough runs random statements over whole tables, and over what
// they were found to need.
func TestWhatIsNeededIsEnough(t *testing.T) {
	conn := enginetest.Conn(t)
	for _, sql := range []string{
		`CREATE TABLE all_flights AS SELECT TIMESTAMP '2026-01-01' + INTERVAL (i * 7) HOUR AS moment, DATE '2026-01-01' + (i % 60)::INTEGER AS day, (i % 9 - 3)::INTEGER AS delay,
			['SEA', 'SFO', 'JFK', NULL, 'sfo', ''][i % 6 + 1] AS origin, (i % 13)::DECIMAL(9, 2) AS price, CASE i % 5 WHEN 0 THEN 'nan' ELSE i / 10 END::DOUBLE AS ratio, i AS "Odd Col",
			CASE WHEN i % 4 > 0 THEN i % 3 = 0 END AS late, {delay: i * 7 % 11, late: i % 2 = 0} AS seat FROM range(80) t(i)`,
		`CREATE TABLE all_airports AS SELECT * FROM (VALUES ('SEA', 'WA', 3), ('SFO', 'CA', 5), ('XXX', NULL, 1), (NULL, 'OR', 2)) t(iata, state, size)`,
	} {
		if err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	see := func(id, as string) {
		if err := conn.Exec(t.Context(), "CREATE OR REPLACE VIEW "+id+" AS "+as); err != nil {
			t.Fatal(as, err)
		}
	}
	find := finder(t, flights, airports)
	r := rand.New(rand.NewPCG(3, 4))
	count, pushed, narrowed := 400, 0, 0
	if testing.Short() {
		count = 100
	}
	for range count {
		sql := statements(r)
		see("flights", "FROM all_flights")
		see("airports", "FROM all_airports")
		want := answers(t, conn, sql)
		needs := find(sql)
		narrower := Join{}
		joins := all(t, conn, sql)
		if len(joins) > 0 {
			narrower = joins[r.IntN(len(joins))]
			narrowed++
		}
		tables := []Table{flights, airports}
		if narrower.Table == airports.ID {
			slices.Reverse(tables)
			slices.Reverse(needs)
		}
		slices.Reverse(tables) // the other one first
		slices.Reverse(needs)
		for i, table := range tables {
			var items []string
			for _, c := range table.Columns {
				if slices.Contains(needs[i].Columns, c.Name) {
					items = append(items, duckdb.Quote(c.Name))
				} else {
					items = append(items, "NULL::"+c.Type+" AS "+duckdb.Quote(c.Name))
				}
			}
			where := "true"
			switch {
			case !needs[i].Scanned:
				where = "false"
			case needs[i].Where != "":
				where = needs[i].Where
				pushed++
			}
			if narrower.Table == table.ID {
				where = "(" + where + ") AND " + duckdb.Quote(narrower.Column) + " IN (SELECT " + duckdb.Quote(narrower.OtherColumn) + " FROM " + narrower.Other + ")"
			}
			see(table.ID, "SELECT "+strings.Join(items, ", ")+" FROM all_"+table.ID+" WHERE "+where)
		}
		if got := answers(t, conn, sql); got != want {
			t.Fatalf("%s\nneeds %+v\ngives %s\nwant  %s", sql, needs, got, want)
		}
	}
	if narrowed < count/10 {
		t.Errorf("keys narrowed %d of %d statements only", narrowed, count)
	}
	if pushed < count/5 {
		t.Errorf("conditions were pushed in %d of %d statements only", pushed, count)
	}
}
