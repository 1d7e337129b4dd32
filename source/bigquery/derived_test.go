package bigquery

import (
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/bqtest"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/statement/warehouse"
)

// views loads numbers from 0 to 4, of which the view top shows those above 2,
// low those below, deep the same as top through it, and stored the same as a
// materialized view; wide is a view of a row of every type.
func (h house) views() {
	h.Helper()
	h.numbers(5)
	h.load("secret", "n INT64", "SELECT 42")
	view := func(name, columns, sql string, change ...func(*bqtest.Table)) {
		h.load(name, columns, "", append(change, func(d *bqtest.Table) { d.View = sql })...)
	}
	view("top", "n INT64", "SELECT n FROM web.numbers WHERE n > 2")
	view("low", "n INT64", "SELECT n FROM web.numbers WHERE n < 2")
	view("deep", "n INT64", "SELECT n FROM web.top")
	view("stored", "n INT64", "SELECT n FROM web.numbers WHERE n > 2", func(d *bqtest.Table) { d.Materialized = true })
	types := "n INT64; f FLOAT64; b BOOL; s STRING; y BYTES; d DATE; t TIME; dt DATETIME; ts TIMESTAMP; num NUMERIC; big BIGNUMERIC; iv INTERVAL; j JSON; g GEOGRAPHY; l ARRAY<INT64>; r STRUCT<a INT64,b ARRAY<STRING>>; rs ARRAY<STRUCT<x INT64,y DATE>>"
	h.load("all", types, `SELECT 1, 2.5, true, 's', 'y'::BLOB, DATE '2026-01-01', TIME '10:11:12', TIMESTAMP '2026-01-01 10:00:00', TIMESTAMPTZ '2026-01-01 10:00:00+00', 1.5, '5',
		to_days(1), '{}', 'POINT(1 2)', [1, 2], {'a': 1, 'b': ['x']}, [{'x': 1, 'y': DATE '2026-01-01'}]`)
	view("wide", types, "SELECT * FROM web.all")
	view("constant", "s STRING", "SELECT 'of nobody' AS s")
	view("over_given", "n INT64; s STRING", "SELECT n, 'of nobody' AS s FROM web.secret")
}

// asked runs a statement and tells whether anything but dry runs was sent.
func (h house) asked(sql string, relations map[string]source.Relation) (rows string, ran bool, err error) {
	h.Helper()
	before := len(h.server.Jobs())
	r, err := h.source.Query(h.Context(), sql, relations)
	if err == nil {
		var list []string
		list, err = enginetest.Rows(r)
		rows = strings.Join(list, "; ")
	}
	for _, j := range h.server.Jobs()[before:] {
		ran = ran || !j.DryRun
	}
	return rows, ran, err
}

// bothWays runs a test on a server that tells only the tables below views, and
// on one that tells the views, too.
func bothWays(t *testing.T, test func(h house)) {
	for name, tell := range map[string]bool{"tables are told": false, "views are told, too": true} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			if tell {
				h.server.TellViews()
			}
			h.views()
			test(h)
		})
	}
}

func TestQueryOfViews(t *testing.T) {
	bothWays(t, func(h house) {
		for sql, want := range map[string]string{
			"SELECT n FROM top ORDER BY n":                                                                                 "3; 4",
			"SELECT x.n FROM deep AS x WHERE x.n > 3":                                                                      "4",
			"SELECT COUNT(*) AS c FROM stored":                                                                             "2",
			"SELECT a.n FROM top AS a JOIN plain AS b ON a.n = b.n ORDER BY a.n DESC":                                      "4; 3",
			"WITH q AS (SELECT n FROM top WHERE n = 3) SELECT q.n FROM q JOIN low ON q.n = 3":                              "3; 3",
			"SELECT n, s, l[OFFSET(0)] AS first, r.a, d FROM wide WHERE dt > DATETIME '2025-01-01 00:00:00' AND num = 1.5": "1|s|1|1|2026-01-01",
		} {
			relations := map[string]source.Relation{"plain": {Name: "numbers"}, "open": {Name: "secret"}}
			for _, name := range []string{"top", "low", "deep", "stored", "wide"} {
				relations[name] = source.Relation{Name: name}
			}
			if got, _, err := h.asked(sql, relations); err != nil || got != want {
				h.Errorf("%s\nanswers %q, %v; want %q", sql, got, err, want)
			}
		}
	})
}

// TestViewsShowNothingElse attacks what is below a view. Nothing may run.
func TestViewsShowNothingElse(t *testing.T) {
	for _, sql := range []string{
		// The table below.
		"SELECT n FROM web.numbers",
		"SELECT n FROM `web.numbers`",
		"SELECT n FROM `web`.`numbers`",
		"SELECT n FROM web . numbers",
		"SELECT n FROM `test-project`.web.numbers",
		"SELECT n FROM test-project.web.numbers",
		"SELECT n FROM `test-project.web`.numbers",
		"SELECT n FROM WEB.NUMBERS",
		"SELECT n FROM `web.num*`",
		"SELECT n FROM `web\\u002enumbers`",
		"SELECT n FROM `web.\\x6eumbers`",
		"SELECT n FROM web/**/.numbers",
		"SELECT n FROM web.--\nnumbers",
		"SELECT a.n FROM top AS a JOIN web.numbers AS b ON a.n < b.n",
		"SELECT b.n FROM (SELECT n FROM web.numbers) AS b JOIN top AS a ON a.n > b.n",
		"WITH q AS (SELECT n FROM web.numbers) SELECT q.n FROM q JOIN top ON q.n < top.n",
		"SELECT n FROM top WHERE n IN (SELECT n FROM web.numbers)",
		"SELECT n FROM top UNION ALL SELECT n FROM web.numbers",
		// Other views of it, by which the same table is told.
		"SELECT n FROM web.low",
		"SELECT n FROM web.deep",
		"SELECT n FROM web.top",
		"SELECT n FROM `web.low`",
		"SELECT n FROM `web`.`low`",
		"SELECT n FROM web.stored",
		"SELECT b.n FROM top AS a JOIN web.low AS b ON a.n > b.n",
		"SELECT b.n FROM top AS web JOIN web.low AS b ON web.n > b.n",
		"SELECT b.n FROM (SELECT n FROM web.low) AS b JOIN top AS a ON a.n > b.n",
		"WITH web AS (SELECT n FROM top) SELECT b.n FROM web JOIN web.low AS b ON web.n > b.n",
		"WITH q AS (SELECT n FROM web.low) SELECT q.n FROM q",
		"SELECT n FROM web.low, UNNEST([1]) AS x",
		"SELECT b.n FROM top AS a JOIN web.low AS b ON FALSE",
		// Views below which there is nothing that is not given: no dry run tells
		// that they are read.
		"SELECT b.s FROM open AS a JOIN web.constant AS b ON TRUE",
		"SELECT b.s FROM top AS a JOIN web.constant AS b ON TRUE",
		"SELECT s FROM web.over_given",
		"SELECT b.s FROM open AS a JOIN web.over_given AS b ON TRUE",
		"SELECT b.s FROM open AS a JOIN (SELECT s FROM web.constant) AS b ON TRUE",
		"SELECT b.s FROM open AS web JOIN (SELECT s FROM web.constant) AS b ON TRUE",
		"WITH web AS (SELECT s FROM web.constant) SELECT web.s FROM web JOIN open AS b ON TRUE",
		// What is not below it.
		"SELECT n FROM web.secret",
		"SELECT b.n FROM top AS a JOIN web.secret AS b ON a.n < b.n",
	} {
		bothWays(t, func(h house) {
			_, ran, err := h.asked(sql, map[string]source.Relation{"top": {Name: "top"}, "open": {Name: "secret"}})
			if e, ok := err.(*api.Error); !ok || ran || e.Code == api.CodeInternal {
				h.Errorf("%s\nran %v, %v", sql, ran, err)
			}
		})
	}
}

// TestSpells holds the names below a view in the statement's own text, which may
// not write them behind a dot at all.
func TestSpells(t *testing.T) {
	tables := map[string]bool{"p.web.numbers": true}
	for sql, want := range map[string]bool{
		"SELECT numbers FROM top": false, "SELECT t.n FROM top AS t": false, "SELECT 'web.numbers' FROM top": false,
		"SELECT web.numbers FROM top AS web": true, "SELECT web . `Numbers` FROM top AS web": true, "SELECT 1 FROM top AS web, web.NUMBERS": true,
		"SELECT (SELECT x.a.numbers FROM top AS x) FROM top": true,
	} {
		s, err := warehouse.Check(sql)
		if err != nil {
			t.Fatal(err)
		}
		if got := spells(s, tables); got != want {
			t.Errorf("%s: %v, want %v", sql, got, want)
		}
	}
}

// TestPartsOfViews refuses what cannot be looked below, and parts of views.
func TestPartsOfViews(t *testing.T) {
	h := newHouse(t)
	h.views()
	h.ingested("loads")
	h.load("loaded", "n INT64", "", func(d *bqtest.Table) { d.View = "SELECT n FROM web.loads" })
	rule := h.scan("top", nil, "n > 3").Where
	for name, rel := range map[string]source.Relation{
		"a rule": {Name: "top", Rule: predicate.And(rule, nil)}, "columns": {Name: "wide", Columns: []string{"n"}}, "a filter below": {Name: "loaded"}, "a filter on ingestion time": {Name: "loads"},
	} {
		if _, ran, err := h.asked("SELECT n FROM things", map[string]source.Relation{"things": rel}); kindOf(err) != "part_of_table" || ran {
			t.Errorf("%s: ran %v, %v", name, ran, err)
		}
	}
}
