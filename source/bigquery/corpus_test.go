package bigquery

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/bqtest"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
	"github.com/agnes-data/da/source"
)

// corpusColumn is a column of the corpus's table with its values, as GoogleSQL
// writes them. duck says how DuckDB does where that differs.
type corpusColumn struct {
	name, typ string
	values    []string
	duck      []string
}

// corpusTable is the table that the accepted predicates in GoogleSQL are
// written against. Values are taken in turn; columns of one type begin at
// different ones.
var corpusTable = []corpusColumn{
	{name: "id", typ: "INT64", values: []string{"1", "5", "NULL", "-3", "0", "100"}},
	{name: "n", typ: "INT64", values: []string{"2", "NULL", "31", "1", "-9223372036854775808", "0", "3"}},
	{name: "f", typ: "FLOAT64", values: []string{"0.5", "2.5", "-1.5", notANumber, "NULL", "1e10", "1.0", "IEEE_DIVIDE(1, 0)"},
		duck: []string{"0.5", "2.5", "-1.5", notANumber, "NULL", "1e10", "1.0", "'inf'::DOUBLE"}},
	{name: "num", typ: "NUMERIC", values: []string{"NUMERIC '1.5'", "NUMERIC '-2'", "NULL", "NUMERIC '1.25'", "NUMERIC '0.000000001'"},
		duck: []string{"1.5", "-2", "NULL", "1.25", "0.000000001"}},
	{name: "big", typ: "BIGNUMERIC", values: []string{"BIGNUMERIC '5'", "NULL", "BIGNUMERIC '0.00000000000000000000000000000000000001'"},
		duck: []string{"'5'", "NULL", "'0.00000000000000000000000000000000000001'"}},
	{name: "name", typ: "STRING", values: []string{"'abc'", "'b_x'", "NULL", "''", "'5'", "'2026-01-31'", "'true'", "'aab'", "'10:11:12'", "' a '", "'ž'"}},
	{name: "country_code", typ: "STRING", values: []string{"'CZ'", "'cz'", "NULL", "'US'"}},
	{name: "d", typ: "DATE", values: []string{"DATE '2026-01-31'", "DATE '2026-01-01'", "NULL", "DATE '1969-12-31'", "DATE '2024-02-29'", "DATE '2026-06-14'"}},
	{name: "event_date", typ: "DATE", values: []string{"DATE '2026-01-02'", "NULL", "DATE '2026-01-31'", "DATE '2025-12-29'"}},
	{name: "dt", typ: "DATETIME", values: []string{"DATETIME '2026-01-31 10:11:12'", "DATETIME '2026-01-01 00:00:00'", "NULL", "DATETIME '1969-12-31 23:59:59.5'", "DATETIME '2026-06-14 10:00:00.000001'"}},
	{name: "ts", typ: "TIMESTAMP", values: []string{"TIMESTAMP '2026-01-31 08:11:12+00'", "TIMESTAMP '2026-01-01 00:00:00+00'", "NULL", "TIMESTAMP '1969-12-31 23:59:59+00'", "TIMESTAMP '2026-10-25 00:30:00.5+00'"}},
	{name: "t", typ: "TIME", values: []string{"TIME '10:11:12'", "TIME '10:11:12.5'", "NULL", "TIME '00:00:00'", "TIME '23:59:59.005'"}},
	{name: "ok", typ: "BOOL", values: []string{"TRUE", "FALSE", "NULL"}},
	{name: "bin", typ: "BYTES", values: []string{`b'\x61\x62\x63'`, `b'\xff\x00'`, "NULL", `b'\x61'`, "b''"},
		duck: []string{`'\x61\x62\x63'::BLOB`, `'\xFF\x00'::BLOB`, "NULL", `'\x61'::BLOB`, "''::BLOB"}},
	{name: "iv", typ: "INTERVAL", values: []string{"INTERVAL 1 DAY", "INTERVAL -5 MONTH", "NULL", "INTERVAL '1-2 3 4:5:6' YEAR TO SECOND", "INTERVAL 3 HOUR"},
		duck: []string{"INTERVAL 1 DAY", "INTERVAL (-5) MONTH", "NULL", "to_months(14) + to_days(3) + to_seconds(14706)", "INTERVAL 3 HOUR"}},
	{name: "js", typ: "JSON", values: []string{`JSON '{"a":1}'`, "NULL"}, duck: []string{`'{"a":1}'`, "NULL"}},
	{name: "geo", typ: "GEOGRAPHY", values: []string{"NULL"}},
	{name: "tags", typ: "ARRAY<STRING>", values: []string{"['a', 'b']", "['x']", "['a']"}},
	{name: "nums", typ: "ARRAY<INT64>", values: []string{"[1, 2]", "[0]"}},
	{name: "rec", typ: "STRUCT<a INT64, b STRING, sub STRUCT<leaf DATE>>", values: []string{"STRUCT(1 AS a, 'x' AS b, STRUCT(DATE '2026-01-01' AS leaf) AS sub)", "NULL"},
		duck: []string{"{'a': 1, 'b': 'x', 'sub': {'leaf': DATE '2026-01-01'}}", "NULL"}},
	{name: "recs", typ: "ARRAY<STRUCT<x INT64, y STRING>>", values: []string{"[STRUCT(1 AS x, 'a' AS y)]"}, duck: []string{"[{'x': 1, 'y': 'a'}]"}},
	{name: "odd", typ: "STRUCT<b BIGNUMERIC, n NUMERIC, i INT64, s STRING, y BYTES, d DATE, o BOOL, l ARRAY<INT64>>", values: []string{
		`STRUCT(BIGNUMERIC '5' AS b, NUMERIC '-2' AS n, 9007199254740993 AS i, 'a"\\b\n' AS s, b'\xff' AS y, DATE '2026-01-01' AS d, TRUE AS o, [1, 2] AS l)`,
		"NULL", "STRUCT(BIGNUMERIC '0' AS b, CAST(NULL AS NUMERIC) AS n, 0 AS i, '' AS s, b'' AS y, CAST(NULL AS DATE) AS d, CAST(NULL AS BOOL) AS o, CAST([] AS ARRAY<INT64>) AS l)"},
		duck: []string{`{'b': '5', 'n': -2, 'i': 9007199254740993, 's': 'a"\b' || chr(10), 'y': '\xFF'::BLOB, 'd': DATE '2026-01-01', 'o': true, 'l': [1, 2]}`,
			"NULL", "{'b': '0', 'n': NULL, 'i': 0, 's': '', 'y': ''::BLOB, 'd': NULL, 'o': NULL, 'l': []}"}},
	{name: "odds", typ: "ARRAY<BIGNUMERIC>", values: []string{"[BIGNUMERIC '1.5', BIGNUMERIC '-2']", "[]"}, duck: []string{"['1.5', '-2']", "[]"}},
	{name: "spans", typ: "ARRAY<INTERVAL>", values: []string{"[INTERVAL 1 DAY]"}},
	{name: "current_date", typ: "DATE", values: []string{"DATE '2026-01-31'", "DATE '2000-01-01'", "NULL"}},
	{name: "order", typ: "STRING", values: []string{"'x'", "NULL", "'y'"}},
	{name: "platform", typ: "STRING", values: []string{"'web'", "'app'", "NULL", "'a'"}},
}

const corpusRows = 24

// notANumber stands for a NaN, which not every engine can hold.
const notANumber = "'nan'::DOUBLE"

// corpusRow is a row as one of the two dialects writes it.
func corpusRow(i int, duck bool) []string {
	cells := []string{fmt.Sprint(i)}
	for at, c := range corpusTable {
		values := c.values
		if duck && c.duck != nil {
			values = c.duck
		}
		v := values[(i+at)%len(values)]
		if duck && c.duck == nil {
			v = strings.NewReplacer("DATETIME '", "TIMESTAMP '", "TIMESTAMP '", "TIMESTAMPTZ '").Replace(v)
		}
		cells = append(cells, v)
	}
	return cells
}

// corpusCase is a statement that the source sends, and what came of it in the
// test server.
type corpusCase struct {
	sql string
	// rows are the first column's values, and those of the second if that is a
	// text; sorted if the statement has no order.
	rows    []string
	ordered bool
	err     error
	refused bool // the server cannot run it
}

// corpusCases sends every predicate that package predicate accepts, of any
// dialect, and every order and select item, to the test server. nan is in
// the table for what is not a number.
func corpusCases(t *testing.T, nan string) []corpusCase {
	t.Helper()
	h := newHouse(t)
	def := bqtest.Table{Columns: []bqtest.Column{{Name: "row_no", Type: "INT64"}}}
	for _, c := range corpusTable {
		def.Columns = append(def.Columns, bqtest.Column{Name: c.name, Type: c.typ})
	}
	var rows []string
	for i := range corpusRows {
		row := strings.Join(corpusRow(i, true), ", ")
		rows = append(rows, "("+strings.ReplaceAll(row, notANumber, nan)+")")
	}
	h.server.Load(t, "orders", def, "SELECT * FROM (VALUES "+strings.Join(rows, ", ")+")")
	texts := map[string]bool{"big": true, "iv": true, "odd": true, "odds": true, "spans": true} // they travel as such
	for _, c := range corpusTable {
		texts[c.name] = texts[c.name] || c.typ == "STRING"
	}
	var cases []corpusCase
	run := func(scan source.Scan) {
		before, refused := len(h.server.Jobs()), len(h.server.Refused())
		var c corpusCase
		r, err := h.source.Scan(t.Context(), scan)
		if err == nil {
			c.rows, err = enginetest.Rows(r)
		}
		if api.CodeRejected.Is(err) {
			return // it is not portable
		}
		jobs := h.server.Jobs()
		if len(jobs) == before {
			t.Fatalf("no job was sent: %v", err)
		}
		c.sql, c.err, c.refused, c.ordered = jobs[len(jobs)-1].SQL, err, len(h.server.Refused()) > refused, scan.Ordered()
		text := len(scan.Select) > 1 && texts[scan.Select[1]]
		for i, row := range c.rows {
			if !text {
				c.rows[i], _, _ = strings.Cut(row, "|")
			}
		}
		if !c.ordered {
			slices.Sort(c.rows)
		}
		cases = append(cases, c)
	}
	rel := source.Relation{Name: "orders"}
	seen := map[string]bool{} // dialects share most of it
	for _, w := range corpusPredicates(t) {
		text, err := print.SQL(predicate.GoogleSQL, w, predicate.Env{})
		if err == nil && !seen[text] {
			seen[text] = true
			run(source.Scan{Relation: rel, Select: []string{"row_no"}, Where: w})
		}
	}
	schema, err := h.source.Schema(t.Context(), rel)
	if err != nil {
		t.Fatal(err)
	}
	typed, err := predicate.NewSchema(predicate.GoogleSQL, schema.Columns)
	if err != nil {
		t.Fatal(err)
	}
	limit := int64(3)
	for _, c := range schema.Columns {
		run(source.Scan{Relation: rel, Select: []string{"row_no", c.Name}, Limit: nil})
		for _, way := range []string{"", " DESC", " NULLS LAST", " DESC NULLS FIRST"} {
			if o, err := predicate.ParseOrder(predicate.GoogleSQL, quote(c.Name)+way, typed); err == nil {
				byRow, _ := predicate.ParseOrder(predicate.GoogleSQL, "row_no", typed)
				run(source.Scan{Relation: rel, Select: []string{"row_no"}, OrderBy: []predicate.Order{o, byRow}, Limit: &limit})
			}
		}
	}
	return cases
}

// corpusPredicates are the accepted ones of all dialects, parsed, and what they
// join by AND and OR: a conjunction of many tests often finds nothing, which
// would prove little.
func corpusPredicates(t *testing.T) []predicate.Expr {
	t.Helper()
	var accepted []struct {
		Dialect predicate.Dialect
		Where   string
	}
	var columns map[predicate.Dialect][]api.Column
	for file, to := range map[string]any{"accepted.json": &accepted, "schemas.json": &columns} {
		data, err := os.ReadFile("../../predicate/testdata/" + file)
		if err == nil {
			err = json.Unmarshal(data, to)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ours, err := predicate.NewSchema(predicate.GoogleSQL, columns[predicate.GoogleSQL])
	if err != nil {
		t.Fatal(err)
	}
	var out []predicate.Expr
	for _, a := range accepted {
		s, err := predicate.NewSchema(a.Dialect, columns[a.Dialect])
		if err != nil {
			t.Fatal(err)
		}
		e, err := predicate.Parse(a.Dialect, a.Where, s.Named("orders"))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range parted(e) {
			if fits(e, s, ours) && there(e) {
				out = append(out, e)
			}
		}
	}
	return out
}

// parted is a predicate and, if it joins others, each of these.
func parted(e predicate.Expr) []predicate.Expr {
	out := []predicate.Expr{e}
	if joined, ok := e.(*predicate.Logic); ok {
		for _, t := range joined.Terms {
			out = append(out, parted(t)...)
		}
	}
	return out
}

// fits says that the columns of a predicate are there, and of the same kinds.
func fits(e predicate.Expr, theirs, ours *predicate.Schema) bool {
	kind := func(s *predicate.Schema, name string) predicate.Kind {
		for _, c := range s.Columns() {
			if c.Name == name {
				return c.Type.Kind
			}
		}
		return predicate.KindUnknown
	}
	for _, name := range predicate.Columns(e) {
		if k := kind(ours, name); k == predicate.KindUnknown && theirs != ours || k != kind(theirs, name) {
			return false
		}
	}
	return true
}

// there says that the corpus's table has what the predicate finds in a column.
func there(e predicate.Expr) bool {
	found := true
	predicate.Walk(e, func(e predicate.Expr) bool {
		if c, ok := e.(*predicate.Column); ok {
			for _, step := range c.Path {
				found = found && (step.Mode != predicate.NotIndex || slices.Contains([]string{"a", "b", "sub", "leaf"}, step.Field))
			}
		}
		return found
	})
	return found
}

// TestCorpusRuns counts what the test server runs of the corpus, so that what
// it refuses does not grow unseen; make emulator runs the same statements on an
// engine of another kind.
func TestCorpusRuns(t *testing.T) {
	ran, failed, refused := 0, 0, 0
	for _, c := range corpusCases(t, notANumber) {
		switch {
		case c.refused:
			refused++
			t.Logf("refused: %v: %s", c.err, c.sql)
		case c.err != nil:
			failed++
			if !api.CodeQueryFailed.Is(c.err) {
				t.Errorf("%s: %v", c.sql, c.err)
			}
		default:
			ran++
		}
	}
	t.Logf("%d statements ran, %d failed on the rows, %d were refused by the test server", ran, failed, refused)
	if ran < 400 || refused > 20 {
		t.Errorf("%d ran, %d were refused: this proves too little", ran, refused)
	}
}
