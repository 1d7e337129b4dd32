package predicate_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
)

func rejection(t *testing.T, err error) *api.Error {
	t.Helper()
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.CodeRejected {
		t.Fatalf("%v is no rejection", err)
	}
	return e
}

func mustParse(t *testing.T, d predicate.Dialect, text string) predicate.Expr {
	t.Helper()
	e, err := predicate.Parse(d, text, schemas(t)[d])
	if err != nil {
		t.Fatalf("%s: %s", text, explain(err))
	}
	return e
}

func mustPrint(t *testing.T, d predicate.Dialect, e predicate.Expr, env predicate.Env) string {
	t.Helper()
	s, err := print.SQL(d, e, env)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A refusal says where, in characters that people count, not in bytes.
func TestRefusalsSayWhere(t *testing.T) {
	_, err := predicate.Parse(predicate.DuckDB, "name = 'žluťoučký'\n  AND contry_code = 'CZ'", schemas(t)[predicate.DuckDB])
	e := rejection(t, err)
	want := map[string]any{"position": 26, "line": 2, "column": 7, "name": "contry_code", "found": "contry_code", "expected": "a column of this table"}
	for k, v := range want {
		if e.Details[k] != v {
			t.Errorf("%s is %v, want %v", k, e.Details[k], v)
		}
	}
	if e.Kind != api.KindUnknownColumn || !slices.Equal(e.Details["suggestions"].([]string), []string{"country_code"}) {
		t.Errorf("%s", explain(err))
	}
}

func TestRefusalsTellTheRightWay(t *testing.T) {
	for _, c := range []struct {
		d           predicate.Dialect
		where, hint string
	}{
		{predicate.GoogleSQL, `"country_code" = 'CZ'`, "`country_code`"},
		{predicate.GoogleSQL, `ok XOR id = 1`, "!="},
		{predicate.GoogleSQL, `n % 2 = 0`, "MOD"},
		{predicate.GoogleSQL, `n = '5'::INT64`, "CAST"},
		{predicate.GoogleSQL, `CAST(id AS INT) = 1`, "INT64"},
		{predicate.GoogleSQL, `d = ts`, "DATE(ts)"},
		{predicate.GoogleSQL, `date_part('year', d) = 1`, "EXTRACT"},
		{predicate.GoogleSQL, `tags[n] = 'a'`, "OFFSET(0)"},
		{predicate.GoogleSQL, `order = 'x'`, "`order`"},
		{predicate.DuckDB, `DATE_SUB(d, INTERVAL 1 DAY) = d`, ""},
		{predicate.DuckDB, `STARTS_WIT(name, 'a')`, "starts_with"},
		{predicate.DuckDB, `REGEXP_CONTAINS(name, 'a')`, "regexp_matches"},
		{predicate.DuckDB, "`name` = 'a'", `"name"`},
		{predicate.DuckDB, "id = 1 && ok", "AND"},
		{predicate.DuckDB, "name = 5", "'5'"},
		{predicate.DuckDB, "id = 'five'", "without quotes"},
		{predicate.DuckDB, "name = ‘CZ’", "straight quotes"},
		{predicate.DuckDB, `"CZ2x" = country_code`, "'CZ2x'"},
		{predicate.DuckDB, "id = 1 ORDER BY id", "not part of a predicate"},
		{predicate.Postgres, "Mixed = 'a'", `"Mixed"`},
		{predicate.Postgres, "status = 'paid'", "CAST(status AS VARCHAR)"},
		{predicate.Postgres, "regexp_matches(name, 'a')", ""},
		{predicate.Postgres, "id ^ 2 = 4", "power"},
	} {
		_, err := predicate.Parse(c.d, c.where, schemas(t)[c.d])
		if e := rejection(t, err); !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s: %s: the hint %q does not say %q", c.d, c.where, e.Hint, c.hint)
		}
	}
}

// Only columns of the given schema are ever named: what a caller may not see
// is not in it.
func TestRefusalsNameNothingHidden(t *testing.T) {
	s, err := predicate.NewSchema(predicate.DuckDB, []api.Column{{Name: "visible", Type: "INTEGER"}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = predicate.Parse(predicate.DuckDB, "secret_salary > 1", s)
	e := rejection(t, err)
	if e.Details["suggestions"] != nil || strings.Contains(e.Hint, "salary") {
		t.Errorf("%s", explain(err))
	}
}

func TestClockFunctionsBecomeTheTimeOfTheRequest(t *testing.T) {
	now := time.Date(2026, 4, 27, 17, 30, 0, 123456789, time.FixedZone("CEST", 7200))
	for _, c := range []struct {
		d           predicate.Dialect
		where, want string
	}{
		{predicate.GoogleSQL, "d = CURRENT_DATE() AND ts < CURRENT_TIMESTAMP() AND dt < CURRENT_DATETIME() AND t < CURRENT_TIME()",
			"`d` = DATE '2026-04-27' AND `ts` < TIMESTAMP '2026-04-27 15:30:00.123456+00' AND `dt` < DATETIME '2026-04-27 15:30:00.123456' AND `t` < TIME '15:30:00.123456'"},
		{predicate.GoogleSQL, "d = CURRENT_DATE('Europe/Prague')", "`d` = DATE(TIMESTAMP '2026-04-27 15:30:00.123456+00', 'Europe/Prague')"},
		{predicate.DuckDB, "d = today() AND tz < now()", `"d" = DATE '2026-04-27' AND "tz" < TIMESTAMPTZ '2026-04-27 15:30:00.123456+00'`},
		{predicate.Postgres, "d = current_date AND ts < localtimestamp", `"d" = DATE '2026-04-27' AND "ts" < TIMESTAMP '2026-04-27 15:30:00.123456'`},
	} {
		e := mustParse(t, c.d, c.where)
		if !predicate.UsesClock(e) {
			t.Errorf("%s does not seem to use the clock", c.where)
		}
		if got := mustPrint(t, c.d, e, predicate.Env{Now: now}); got != c.want {
			t.Errorf("%s\nprints %s\nwant   %s", c.where, got, c.want)
		}
	}
	if predicate.UsesClock(mustParse(t, predicate.DuckDB, `"current_user" = 'now()'`)) {
		t.Error("a text uses the clock")
	}
}

func TestParseColumn(t *testing.T) {
	all := schemas(t)
	for _, c := range []struct {
		d          predicate.Dialect
		item, want string
		kind       string
	}{
		{predicate.DuckDB, "name", "name", ""},
		{predicate.DuckDB, "NAME", "name", ""},
		{predicate.DuckDB, `"name"`, "name", ""},
		{predicate.DuckDB, "orders.name", "name", ""},
		{predicate.DuckDB, "Mixed Case", "Mixed Case", ""},
		{predicate.DuckDB, `"Mixed Case"`, "Mixed Case", ""},
		{predicate.DuckDB, "order", "order", ""},
		{predicate.Postgres, "Mixed", "Mixed", ""},
		{predicate.Postgres, `"Mixed"`, "Mixed", ""},
		{predicate.Postgres, "NAME", "name", ""},
		{predicate.GoogleSQL, "`current_date`", "current_date", ""},
		{predicate.GoogleSQL, "current_date", "current_date", ""},
		{predicate.Postgres, "mixed", "", api.KindUnknownColumn},
		{predicate.DuckDB, "*", "", api.KindWildcardExpansion},
		{predicate.DuckDB, "orders.*", "", api.KindWildcardExpansion},
		{predicate.DuckDB, "count(*)", "", api.KindSyntaxError},
		{predicate.DuckDB, "name, id", "", api.KindSyntaxError},
		{predicate.DuckDB, "name AS x", "", api.KindSyntaxError},
		{predicate.DuckDB, "id + 1", "", api.KindSyntaxError},
		{predicate.DuckDB, "rec.a", "", api.KindSyntaxError},
		{predicate.DuckDB, "", "", api.KindSyntaxError},
		{predicate.DuckDB, "name -- x", "", api.KindCommentInject},
		{predicate.DuckDB, "name; drop table orders", "", api.KindMultiStatement},
		{predicate.DuckDB, "(select 1)", "", api.KindSyntaxError},
		{predicate.DuckDB, "nam", "", api.KindUnknownColumn},
		{predicate.GoogleSQL, `"name"`, "", api.KindSyntaxError},
	} {
		got, err := predicate.ParseColumn(c.d, c.item, all[c.d])
		if c.kind == "" {
			if err != nil || got != c.want {
				t.Errorf("%s: %s is %q (%v), want %q", c.d, c.item, got, err, c.want)
			}
			continue
		}
		if err == nil {
			t.Errorf("%s: %s is accepted as %q", c.d, c.item, got)
		} else if e := rejection(t, err); e.Kind != c.kind {
			t.Errorf("%s: %s is refused as %s, want %s", c.d, c.item, e.Kind, c.kind)
		}
	}
}

func TestOrder(t *testing.T) {
	all := schemas(t)
	for _, c := range []struct {
		d          predicate.Dialect
		item, want string
	}{
		{predicate.DuckDB, "d", `"d" NULLS LAST`},
		{predicate.DuckDB, "d DESC", `"d" DESC NULLS LAST`},
		{predicate.DuckDB, `"Mixed Case" desc nulls first`, `"Mixed Case" DESC NULLS FIRST`},
		{predicate.DuckDB, "Mixed Case", `"Mixed Case" NULLS LAST`},
		{predicate.Postgres, "d asc", `"d" NULLS LAST`},
		{predicate.Postgres, "orders.d DESC", `"d" DESC NULLS FIRST`},
		{predicate.GoogleSQL, "d", "`d` NULLS FIRST"},
		{predicate.GoogleSQL, "`order` DESC", "`order` DESC NULLS LAST"},
		{predicate.GoogleSQL, "d ASC NULLS LAST", "`d` NULLS LAST"},
	} {
		o, err := predicate.ParseOrder(c.d, c.item, all[c.d])
		if err != nil {
			t.Errorf("%s: %s: %s", c.d, c.item, explain(err))
		} else if got := print.Order(c.d, "", []predicate.Order{o}); got != c.want {
			t.Errorf("%s: %s prints %s, want %s", c.d, c.item, got, c.want)
		}
	}
	for item, kind := range map[string]string{
		"": api.KindSyntaxError, "d sideways": api.KindSyntaxError, "d nulls": api.KindSyntaxError, "d, id": api.KindSyntaxError,
		"1": api.KindSyntaxError, "lower(name)": api.KindSyntaxError, "d DESC; drop": api.KindMultiStatement, "d -- x": api.KindCommentInject,
		"nope DESC": api.KindUnknownColumn, "js": api.KindTypeMismatch, "tags DESC": api.KindTypeMismatch,
		"d DESC LIMIT 5": api.KindTrailingClause, "(select 1)": api.KindSyntaxError, "* DESC": api.KindWildcardExpansion,
	} {
		_, err := predicate.ParseOrder(predicate.DuckDB, item, all[predicate.DuckDB])
		if err == nil {
			t.Errorf("%q is accepted", item)
		} else if e := rejection(t, err); e.Kind != kind {
			t.Errorf("%q is refused as %s, want %s", item, e.Kind, kind)
		}
	}
	two := []predicate.Order{{Column: `a"b`}, {Column: "c", Desc: true, NullsFirst: true}}
	if got, want := print.Order(predicate.DuckDB, "t", two), `t."a""b" NULLS LAST, t."c" DESC NULLS FIRST`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestPseudoColumns(t *testing.T) {
	s := schemas(t)[predicate.GoogleSQL].WithPseudoColumns([]api.Column{{Name: "_PARTITIONTIME", Type: "TIMESTAMP"}, {Name: "_PARTITIONDATE", Type: "DATE"}})
	e, err := predicate.Parse(predicate.GoogleSQL, "_PARTITIONDATE >= '2026-01-01' AND _partitiontime < TIMESTAMP '2026-02-01'", s)
	if err != nil {
		t.Fatal(explain(err))
	}
	want := "`_PARTITIONDATE` >= DATE '2026-01-01' AND `_PARTITIONTIME` < TIMESTAMP '2026-02-01 00:00:00+00'"
	if got := mustPrint(t, predicate.GoogleSQL, e, predicate.Env{}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if _, err := predicate.ParseColumn(predicate.GoogleSQL, "_PARTITIONDATE", s); err == nil {
		t.Error("a pseudo-column can be selected")
	} else if e := rejection(t, err); e.Kind != api.KindUnknownColumn || !strings.Contains(e.Message, "not selected") {
		t.Errorf("selecting a pseudo-column: %v", err)
	}
	if o, err := predicate.ParseOrder(predicate.GoogleSQL, "_partitiontime DESC", s); err != nil || o.Column != "_PARTITIONTIME" || !o.Desc {
		t.Errorf("an order by a pseudo-column is %+v, %v", o, err)
	}
	if _, err := predicate.Parse(predicate.GoogleSQL, "_PARTITIONDAT > '2026-01-01'", s); rejection(t, err).Details["suggestions"] != nil {
		t.Error("a pseudo-column is suggested")
	}
	if n := len(s.Columns()); n != len(schemas(t)[predicate.GoogleSQL].Columns()) {
		t.Errorf("%d selectable columns", n)
	}
}

func TestJoinAndWalk(t *testing.T) {
	a, b := mustParse(t, predicate.DuckDB, "id = 1 AND rec.a > 2"), mustParse(t, predicate.DuckDB, "name = 'x' OR id = 3")
	both := predicate.And(a, b)
	if got, want := mustPrint(t, predicate.DuckDB, both, predicate.Env{}), `"id" = 1 AND ("rec")."a" > 2 AND ("name" = 'x' OR "id" = 3)`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if predicate.And(nil, b) != b || predicate.And(a, nil) != a || predicate.And(nil, nil) != nil {
		t.Error("nil does not stand for all rows")
	}
	if got, want := predicate.Columns(both), []string{"id", "rec", "name"}; !slices.Equal(got, want) {
		t.Errorf("columns %v, want %v", got, want)
	}
	if predicate.Columns(nil) != nil || predicate.Normalize(nil) != "" {
		t.Error("nil is not all rows")
	}
	literals := 0
	predicate.Walk(both, func(e predicate.Expr) bool {
		if l, ok := e.(*predicate.Literal); ok && l.T.Kind == predicate.KindInt {
			literals++
		}
		return true
	})
	if literals != 3 {
		t.Errorf("%d whole numbers, want 3", literals)
	}
}

// Predicates that differ only in spelling have one normal form; those that
// mean something else don't.
func TestNormalForm(t *testing.T) {
	for _, group := range [][]string{
		{"id = 1 AND name = 'a'", "name = 'a' and \"id\" = 1", "('a' = NAME) AND (1 = id)", "id = 1 AND name = 'a' AND id = 1", "NOT NOT (id = 1 AND name = E'\\x61')"},
		{"n IN (1, 2, 3)", "n in (3,2,1,1)", "NOT n NOT IN (1, 2, 3)"},
		{"n = 5", "n IN (5)", "5 = n", "NOT n <> 5", "n == 5", "n = '5'"},
		{"n > 5", "5 < n"},
		{"n >= 5", "5 <= n"},
		{"d >= DATE '2026-01-01'", "d >= '2026-1-1'", "'2026-01-01'::date <= d", "CAST('2026-01-01' AS DATE) <= d"},
		{"d > today()", "d > current_date", "current_date() < d"},
		{"name LIKE 'a%'", "name ~~ 'a%'", "name LIKE 'a%' ESCAPE '!'"},
		{"NOT (name LIKE 'a%')"},
		{"a.b = 1 OR ok"},
		{"tz > '2026-01-01T00:00:00Z'", "tz > TIMESTAMPTZ '2026-01-01 02:00:00+02'"},
		{"year(d) = 2026", "extract(year from d) = 2026", "date_part('year', d) = 2026"},
		{"ok OR (id = 1 OR n = 2)", "n = 2 OR id = 1 OR ok"},
		{"rec.a = 1", "REC.A = 1", "orders.rec.a = 1", "rec['a'] = 1"},
	} {
		seen := map[string]string{}
		for _, text := range group {
			e, err := predicate.Parse(predicate.DuckDB, text, schemas(t)[predicate.DuckDB])
			if err != nil {
				if len(group) == 1 {
					continue
				}
				t.Fatalf("%s: %s", text, explain(err))
			}
			seen[predicate.Normalize(e)] = text
		}
		if len(seen) > 1 {
			t.Errorf("several normal forms: %v", seen)
		}
	}
	different := []string{"id = 1", "id = 2", "id <> 1", "n = 1", "name = 'a'", "name = 'A'", "id = 1 AND ok", "id = 1 OR ok", "id > 1", "id >= 1", "NOT ok", "ok", "ok IS TRUE",
		"name LIKE 'a%'", `name LIKE 'a\%' ESCAPE '\'`, "name ILIKE 'a%'", "d = '2026-01-01'", "ts = '2026-01-01'", "tz = '2026-01-01'", "id IN (1, 2)", "id NOT IN (1, 2)", "tags[1] = 'a'", "tags[2] = 'a'",
		"date_trunc('month', d) = '2026-01-01'", "date_trunc('year', d) = '2026-01-01'", "dec = 1.5", "f = 1.5", "f = 15e-1", "id IS NULL", "id IS NOT NULL", "1 > id"}
	seen := map[string]string{}
	for _, text := range different {
		n := predicate.Normalize(mustParse(t, predicate.DuckDB, text))
		if other, ok := seen[n]; ok {
			t.Errorf("%s and %s have one normal form", text, other)
		}
		seen[n] = text
	}
}

func TestOnlyKnownDialects(t *testing.T) {
	s := schemas(t)[predicate.DuckDB]
	if _, err := predicate.Parse(predicate.MySQL, "id = 1", s); err == nil {
		t.Error("MySQL is parsed")
	}
	if _, err := predicate.Parse(predicate.Postgres, "id = 1", s); err == nil {
		t.Error("a schema of another dialect is taken")
	}
	if _, err := print.SQL("oracle", mustParse(t, predicate.DuckDB, "id = 1"), predicate.Env{}); rejection(t, err).Kind != api.KindNotPortable {
		t.Errorf("printing for an unknown dialect: %v", err)
	}
	for d, want := range map[predicate.Dialect]string{predicate.DuckDB: `"a""b` + "`" + `\"`, predicate.Postgres: `"a""b` + "`" + `\"`, predicate.MySQL: "`a\"b``\\`", predicate.GoogleSQL: "`a\"b\\`\\\\`"} {
		if got := predicate.QuoteIdent(d, "a\"b`\\"); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
}

// Bytes that are not text are refused before anything looks at them.
func TestHostileBytes(t *testing.T) {
	s := schemas(t)
	for _, text := range []string{"name = 'a\x00b'", "\x00", "name = '\xff'", "\xc0\xaf = 1", "name = '\xed\xa0\x80'", "id = 1\x00", "-\x80", "name = 'ž\xc5'"} {
		for d, schema := range s {
			_, err := predicate.Parse(d, text, schema)
			if e := rejection(t, err); e.Kind != api.KindSyntaxError {
				t.Errorf("%s: %q is refused as %s", d, text, e.Kind)
			}
			if _, err := predicate.ParseColumn(d, text, schema); err == nil {
				t.Errorf("%s: %q is a column", d, text)
			}
			if _, err := predicate.ParseOrder(d, text, schema); err == nil {
				t.Errorf("%s: %q is an order", d, text)
			}
		}
	}
}

// A table may call its columns what it likes.
func TestHostileNames(t *testing.T) {
	for _, name := range []string{"a\"b", "a`b", "a\\b", "a'b", "a;b", "a--b", "a/*b", "select", "current_date", "a.b", "a\nb", "ž", "*", " ", "a\tb", "$1", "{{a}}"} {
		for _, d := range []predicate.Dialect{predicate.DuckDB, predicate.GoogleSQL, predicate.Postgres} {
			s, err := predicate.NewSchema(d, []api.Column{{Name: name, Type: map[predicate.Dialect]string{predicate.DuckDB: "VARCHAR", predicate.GoogleSQL: "STRING", predicate.Postgres: "text"}[d]}})
			if err != nil {
				t.Fatal(err)
			}
			e, err := predicate.Parse(d, predicate.QuoteIdent(d, name)+" = 'x'", s)
			if err != nil {
				t.Errorf("%s: %q: %s", d, name, explain(err))
				continue
			}
			checkFixedPoint(t, d, s, e, mustPrint(t, d, e, predicate.Env{}))
			if got, err := predicate.ParseColumn(d, name, s); err != nil || got != name {
				t.Errorf("%s: %q is %q (%v)", d, name, got, err)
			}
		}
	}
	if _, err := predicate.NewSchema(predicate.DuckDB, []api.Column{{Name: "a\x00b", Type: "VARCHAR"}}); err == nil {
		t.Error("a name with NUL is taken")
	}
}
