package bigquery

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// kindOf is the kind of a refusal, or what was wrong with it.
func kindOf(err error) string {
	if e, ok := err.(*api.Error); ok && e.Code == api.CodeStatement {
		return e.Kind
	}
	return fmt.Sprint(err)
}

func TestInspect(t *testing.T) {
	var b BigQuery
	for sql, want := range map[string][]string{
		"SELECT n FROM numbers": {"numbers"},
		"select count(*) from `numbers` as x, texts t join more on x.a=t.b;":                                  {"numbers", "texts", "more"},
		"SELECT EXTRACT(YEAR FROM day) FROM (SELECT day FROM events)":                                         {"events"},
		"WITH a AS (SELECT 1 FROM numbers), b AS (SELECT * FROM a) SELECT * FROM b LEFT JOIN texts USING (n)": {"numbers", "texts"},
		"SELECT 'FROM hidden; --', r'\\d' FROM numbers WHERE a IS NOT DISTINCT FROM b":                        {"numbers"},
		"SELECT SAFE.PARSE_DATE('%F', d), hll_count.merge(x), n.f IN (1) FROM numbers AS n":                   {"numbers"},
		"SELECT ml, keys FROM UNNEST([1]) AS x, numbers":                                                      {"numbers"},
		"SELECT \"\"\"a ' \" FROM x\"\"\" FROM numbers":                                                       {"numbers"},
	} {
		s, err := b.Inspect(t.Context(), sql)
		if err != nil || !slices.Equal(s.Tables, want) || !s.Whole {
			t.Errorf("%s\nreads %q, %v; want %q", sql, s.Tables, err, want)
		}
	}
}

// TestQuery runs statements over tables by the names of a catalog, which are
// not BigQuery's own.
func TestQuery(t *testing.T) {
	h := newHouse(t)
	h.numbers(5)
	h.load("secret", "n INT64", "SELECT 42")
	h.load("odd", "n INT64; big BIGNUMERIC", "SELECT 1, '5'")
	relations := map[string]source.Relation{"things": {Name: "numbers"}}
	ask := func(sql string, relations map[string]source.Relation) ([]string, error) {
		r, err := h.source.Query(t.Context(), sql, relations)
		if err != nil {
			return nil, err
		}
		return enginetest.Rows(r)
	}
	for sql, want := range map[string]string{
		"SELECT n, text FROM things WHERE n > 2 ORDER BY n DESC":                                                              "4|text 4; 3|text 3",
		"SELECT COUNT(*) AS c, SUM(n) AS s FROM things":                                                                       "5|10",
		"WITH few AS (SELECT n FROM things WHERE n < 2) SELECT a.n FROM few AS a JOIN things AS b ON a.n = b.n ORDER BY a.n;": "0; 1",
		"SELECT MOD(n, 2) AS odd, MAX(n) FROM things GROUP BY odd ORDER BY odd":                                               "0|4; 1|3",
	} {
		got, err := ask(sql, relations)
		if err != nil || strings.Join(got, "; ") != want {
			t.Errorf("%s\nanswers %q, %v; want %q", sql, got, err, want)
		}
	}
	rule := h.scan("numbers", nil, "n > 3").Where
	for name, test := range map[string]struct {
		sql       string
		relations map[string]source.Relation
		kind      string
	}{
		"another table":     {"SELECT n FROM web.secret", relations, "other_table"},
		"in a subquery":     {"SELECT n FROM things WHERE n > 3 AND n IN (0) ORDER BY (n)", map[string]source.Relation{"things": {Name: "numbers", Rule: rule}}, "part_of_table"},
		"beside ours":       {"SELECT a.n FROM things AS a JOIN web.secret AS b ON a.n = b.n", relations, "other_table"},
		"under a rule":      {"SELECT n FROM things", map[string]source.Relation{"things": {Name: "numbers", Rule: predicate.And(rule, nil)}}, "part_of_table"},
		"with few columns":  {"SELECT n FROM things", map[string]source.Relation{"things": {Name: "numbers", Columns: []string{"n"}}}, "part_of_table"},
		"a type":            {"SELECT big FROM things", map[string]source.Relation{"things": {Name: "odd"}}, "type"},
		"nothing that runs": {"DROP TABLE things", relations, "not_select"},
	} {
		before := len(h.server.Jobs())
		if _, err := ask(test.sql, test.relations); kindOf(err) != test.kind {
			t.Errorf("%s: refused as %s, want %s", name, kindOf(err), test.kind)
		}
		for _, j := range h.server.Jobs()[before:] {
			if !j.DryRun {
				t.Errorf("%s: the job was run: %s", name, j.SQL)
			}
		}
	}
	e, err := h.source.EstimateQuery(t.Context(), "SELECT n FROM things", relations, source.Account{})
	if err != nil || e.ScanBytes == nil || *e.ScanBytes < 40 || *e.BilledBytes != 10<<20 {
		t.Errorf("estimate %+v, %v", e, err)
	}
	_, err = ask("SELECT nothing FROM things", relations)
	h.fails("an unknown column", err, api.CodeQueryFailed, api.KindInvalidQuery)
}
