package predicate_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
)

// TestWhatIsUsualElsewhereLeadsOn: what other engines take in a condition, and this gate
// does not, is refused with what to write or do, and following that does not lead back.
func TestWhatIsUsualElsewhereLeadsOn(t *testing.T) {
	s, err := predicate.NewSchema(predicate.DuckDB, []api.Column{
		{Name: "a", Type: "BIGINT"}, {Name: "name", Type: "VARCHAR"}, {Name: "f", Type: "DOUBLE"}, {Name: "m", Type: "MAP(VARCHAR, BIGINT)"},
		{Name: "tags", Type: "VARCHAR[]"}, {Name: "d", Type: "DATE"}, {Name: "ok", Type: "BOOLEAN"}, {Name: "js", Type: "JSON"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for where, want := range map[string]string{
		"(a, name) IN ((1, 'x'), (2, 'y'))":   "a = 1 AND b = 2 OR a = 3 AND b = 4",
		"ROW(a, name) = ROW(1, 'x')":          "one by one",
		"m['k1'] = 3":                         "look into it in a query",
		"m.k1 = 3":                            "look into it in a query",
		"name[1] = 'a'":                       "substr(x, 1, 1)",
		"name NOT SIMILAR TO 'a.*'":           "regular expression",
		"concat_ws('-', name, name) = 'a'":    "x || '-' || y",
		"md5(name) = 'a'":                     "without this condition",
		"a & 3 = 1":                           "Bits",
		"a << 1 = 4":                          "Bits",
		"name COLLATE NOCASE = 'a'":           "lower(x)",
		"tags = ['a', 'b']":                   "Lists can't be written",
		"a = ANY(ARRAY[1, 2])":                "IN (1, 2)",
		"a IN UNNEST([1, 2])":                 "IN (1, 2)",
		"NVL(a, 0) > 5":                       "coalesce",
		"REGEXP_CONTAINS(name, r'x')":         "regexp_matches",
		"name = r'x'":                         "no r before it",
		"f = 'nan'":                           "isnan(x)",
		"f = nan":                             "isnan(x)",
		"f = 'Infinity'":                      "CAST('Infinity' AS DOUBLE)",
		"js ? 'a'":                            "Parts of JSON",
		"js @@ '$.a'":                         "Parts of JSON",
		"substring(name from '[a-z]+') = 'x'": "regexp_extract",
		"iff(ok, 1, 2) = 1":                   "CASE WHEN",
		"safe_divide(a, f) > 1":               "nullif(y, 0)",
		"split(name, ',')[1] = 'a'":           "split_part",
		"div(a, 2) = 1":                       "x // 2",
		"d - '2025-01-01' < 5":                "DATE '2026-01-31'",
		"ok = 1":                              "write it alone",
		"a = true":                            "1 for true",
		"nope = 1":                            `The columns are a, name, f, m, tags, d, ok, js`,
	} {
		_, err := predicate.Parse(predicate.DuckDB, where, s)
		var e *api.Error
		if !errors.As(err, &e) || !strings.Contains(e.Hint, want) {
			t.Errorf("%s: %v (%+v), want a hint with %s", where, err, e, want)
		}
	}
}
