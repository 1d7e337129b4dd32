//go:build emulator

package bigquery

import (
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// statementForms makes the source send every form of statement that no predicate of the
// corpora leads to: rules on rows, pseudo-columns, and statements over views
// with what proves them. The tables are those of the tests for these.
func statementForms(t *testing.T) []string {
	t.Helper()
	h := newHouse(t)
	h.views()
	h.ingested("loads")
	ruled := h.scan("numbers", []string{"n", "text"}, "10 / (n - 1) > 4 AND n < 5")
	ruled.Relation.Rule = h.scan("numbers", nil, "n >= 2").Where
	last := h.scan("loads", []string{"n"}, "_PARTITIONDATE >= '2026-01-02' AND _PARTITIONTIME < TIMESTAMP '2026-02-01 00:00:00+00'")
	last.OrderBy = []predicate.Order{{Column: "_PARTITIONTIME", Desc: true}}
	h.load("named", "SRC INT64; pay INT64", "SELECT 1, 2")
	named := h.scan("named", []string{"SRC"}, "SRC + 1 > 0")
	named.Relation.Columns, named.Relation.Rule = []string{"SRC"}, h.scan("named", nil, "SRC IS NOT NULL").Where
	named.OrderBy = []predicate.Order{{Column: "SRC"}}
	for _, scan := range []source.Scan{ruled, last, named} {
		if _, err := h.rows(scan); err != nil {
			t.Fatal(err)
		}
	}
	relations := map[string]source.Relation{"top": {Name: "top"}, "wide": {Name: "wide"}, "plain": {Name: "numbers"}}
	for _, sql := range []string{"SELECT n FROM top ORDER BY n", "WITH q AS (SELECT a.n FROM top AS a JOIN plain AS b ON a.n = b.n) SELECT q.n, w.s FROM q JOIN wide AS w ON q.n = w.n"} {
		if _, _, err := h.asked(sql, relations); err != nil {
			t.Fatal(err)
		}
	}
	var out []string
	for _, j := range h.server.Jobs() {
		if !slices.Contains(out, j.SQL) {
			out = append(out, j.SQL)
		}
	}
	return out
}

// takesForms holds these statements before the emulator. What it answers is of
// no interest: its tables are empty.
func takesForms(t *testing.T, e *emulator) {
	for _, sql := range []string{
		"CREATE TABLE web.numbers (n INT64, text STRING)",
		"CREATE TABLE web.loads (n INT64) PARTITION BY _PARTITIONDATE",
		"CREATE TABLE web.named (SRC INT64, pay INT64)",
		"CREATE TABLE web.all (n INT64, f FLOAT64, b BOOL, s STRING, y BYTES, d DATE, t TIME, dt DATETIME, ts TIMESTAMP, num NUMERIC, big BIGNUMERIC, iv INTERVAL, j JSON, g GEOGRAPHY, " +
			"l ARRAY<INT64>, r STRUCT<a INT64, b ARRAY<STRING>>, rs ARRAY<STRUCT<x INT64, y DATE>>)",
		"CREATE VIEW web.top AS SELECT n FROM web.numbers WHERE n > 2",
		"CREATE VIEW web.wide AS SELECT * FROM web.all",
	} {
		if _, err := e.query(sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	all := statementForms(t)
	taken := 0
	for _, sql := range all {
		_, err := e.query(sql)
		switch d := deviates(corpusCase{sql: sql}, nil, err); {
		case err == nil:
			taken++
		case d != nil:
			d.seen++
		default:
			t.Errorf("the emulator refuses\n%s\n%v", sql, err)
		}
	}
	t.Logf("it takes %d of %d statements with rules, pseudo-columns and views", taken, len(all))
	if text := strings.Join(all, "\n"); !strings.Contains(text, "IF((") || !strings.Contains(text, "_PARTITIONTIME") || !strings.Contains(text, "CAST(NULL AS STRUCT<") {
		t.Errorf("a form is missing:\n%s", text)
	}
}
