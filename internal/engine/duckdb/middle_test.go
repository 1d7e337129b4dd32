package duckdb

import (
	"strings"
	"testing"
)

// TestMiddles holds that each way to a value between two DECIMAL values is told, and that
// what is exact is not.
func TestMiddles(t *testing.T) {
	c := connect(t, Options{})
	if err := c.Exec(t.Context(), "CREATE TABLE t AS SELECT * FROM (VALUES (0.1::DECIMAL(2,1), 1, 0.5::DOUBLE, DATE '2024-01-01')) v(d, i, f, day)"); err != nil {
		t.Fatal(err)
	}
	for sql, want := range map[string]string{
		"SELECT median(d) FROM t":                                               "median",
		"SELECT i, MEDIAN(d * 1.5) FROM t GROUP BY i":                           "median",
		"SELECT mad(d) FROM t":                                                  "mad",
		"SELECT quantile_cont(d, [0.2, 0.5]) FROM t":                            "quantile_cont",
		"SELECT percentile_cont(0.3) WITHIN GROUP (ORDER BY d) FROM t":          "percentile_cont",
		"SELECT quantile_cont(d, 0.3) OVER (ORDER BY i) FROM t":                 "quantile_cont",
		"WITH a AS (SELECT d + 1 AS p FROM t) SELECT (SELECT median(p) FROM a)": "median",
		"SELECT list_median(list(d)), list_aggregate(list(d), 'median') FROM t": "median",
		"SELECT 1 FROM t HAVING median(d) > 0":                                  "median",
		"SELECT median(i), median(f), median(day), 'median(d)' FROM t":          "",
		"SELECT median(CAST(d AS DOUBLE)) FROM t":                               "",
		"SELECT quantile_disc(d, 0.5), max(d) AS median FROM t":                 "",
	} {
		warnings, err := c.Middles(t.Context(), sql)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
		} else if want == "" && warnings != nil || want != "" && (len(warnings) != 1 || !strings.HasPrefix(warnings[0], want+"() of DECIMAL")) {
			t.Errorf("%s: %q", sql, warnings)
		}
	}
}
