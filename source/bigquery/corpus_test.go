package bigquery

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/bigquery/bqtest"
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
	{name: "f", typ: "FLOAT64", values: []string{"0.5", "2.5", "-1.5", "CAST('nan' AS FLOAT64)", "NULL", "1e10", "1.0", "CAST('inf' AS FLOAT64)"},
		duck: []string{"0.5", "2.5", "-1.5", "'nan'::DOUBLE", "NULL", "1e10", "1.0", "'inf'::DOUBLE"}},
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
	{name: "current_date", typ: "DATE", values: []string{"DATE '2026-01-31'", "DATE '2000-01-01'", "NULL"}},
	{name: "order", typ: "STRING", values: []string{"'x'", "NULL", "'y'"}},
	{name: "platform", typ: "STRING", values: []string{"'web'", "'app'", "NULL", "'a'"}},
}

const corpusRows = 24

// row is a row as one of the two dialects writes it.
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
	sql     string
	rows    []string // of the first column, sorted as texts
	err     error
	refused bool // the server cannot run it
}

// corpusCases sends every predicate that package predicate accepts, of any
// dialect, and every order and select item, to the test server.
func corpusCases(t *testing.T) []corpusCase {
	t.Helper()
	h := newHouse(t)
	def := bqtest.Table{Columns: []bqtest.Column{{Name: "row_no", Type: "INT64"}}}
	for _, c := range corpusTable {
		def.Columns = append(def.Columns, bqtest.Column{Name: c.name, Type: c.typ})
	}
	var rows []string
	for i := range corpusRows {
		rows = append(rows, "("+strings.Join(corpusRow(i, true), ", ")+")")
	}
	h.server.Load(t, "orders", def, "SELECT * FROM (VALUES "+strings.Join(rows, ", ")+")")
	var cases []corpusCase
	run := func(scan source.Scan) {
		before, refused := len(h.server.Jobs()), len(h.server.Refused())
		var c corpusCase
		r, err := h.source.Scan(t.Context(), scan)
		if err == nil {
			c.rows, err = drained(r)
		}
		if api.CodeRejected.Is(err) {
			return // it is not portable
		}
		jobs := h.server.Jobs()
		if len(jobs) == before {
			t.Fatalf("no job was sent: %v", err)
		}
		for i, row := range c.rows {
			c.rows[i], _, _ = strings.Cut(row, " | ")
		}
		slices.Sort(c.rows)
		c.sql, c.err, c.refused = jobs[len(jobs)-1].SQL, err, len(h.server.Refused()) > refused
		cases = append(cases, c)
	}
	rel := source.Relation{Name: "orders"}
	for _, w := range corpusPredicates(t) {
		run(source.Scan{Relation: rel, Select: []string{"row_no"}, Where: w})
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

// corpusPredicates are the accepted ones of all dialects, parsed.
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
		if fits(e, s, ours) {
			out = append(out, e)
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

// TestCorpusRuns counts what the test server runs of the corpus, so that what
// it refuses does not grow unseen; make emulator runs the same statements on an
// engine of another kind.
func TestCorpusRuns(t *testing.T) {
	ran, failed, refused := 0, 0, 0
	for _, c := range corpusCases(t) {
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
	if ran < 200 || refused > 15 {
		t.Errorf("%d ran, %d were refused: this proves too little", ran, refused)
	}
}
