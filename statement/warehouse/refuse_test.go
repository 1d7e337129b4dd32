package warehouse

import (
	"errors"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestRefusals holds what is not a SELECT over tables of the catalog.
func TestRefusals(t *testing.T) {
	for sql, want := range map[string]string{
		"":                             "empty",
		"DELETE FROM numbers":          "not_select",
		"SELECT 1; DROP TABLE numbers": "multi_statement",
		"-- x":                         "empty",
		"SELECT 1 /* x":                "syntax_error",
		"SELECT 1 ; -- x\n DELETE":     "multi_statement",
		"SELECT 'a":                    "syntax_error",
		"SELECT 'a\n'":                 "syntax_error",
		"SELECT `a\\`b` FROM numbers":  "syntax_error",
		"SELECT $1":                    "parameter",
		"SELECT \u00a0 1":              "syntax_error",
		"SELECT \xff":                  "bad_text",
		"SELECT @@project_id":          "parameter",
		"SELECT @x FROM numbers":       "parameter",
		"SELECT SESSION_USER()":        "forbidden_function",
		"SELECT * FROM EXTERNAL_QUERY('c', 'SELECT 1')":                        "forbidden_function",
		"SELECT * FROM numbers, `region-eu`.INFORMATION_SCHEMA.JOBS":           "other_table",
		"SELECT * FROM numbers, `p.region-eu.information_schema.JOBS`":         "other_table",
		"SELECT * FROM numbers, web.__TABLES__":                                "other_table",
		"SELECT * FROM ML.PREDICT(MODEL m, TABLE numbers)":                     "forbidden_function",
		"SELECT * FROM GRAPH_TABLE(web.g MATCH (a) RETURN a.n)":                "forbidden_function",
		"SELECT * FROM EXTERNAL_OBJECT_TRANSFORM(TABLE web.f, ['SIGNED_URL'])": "forbidden_function",
		"SELECT OBJ.GET_ACCESS_URL(ref, 'r') FROM numbers":                     "forbidden_function",
		"SELECT NET.HOST('x') FROM numbers":                                    "forbidden_function",
		"SELECT web.f(n) FROM numbers":                                         "forbidden_function",
		"SELECT p.web.f(n) FROM numbers":                                       "forbidden_function",
		"SELECT `p-1`.web.f(n) FROM numbers":                                   "forbidden_function",
		"SELECT p.safe.f(n) FROM numbers":                                      "forbidden_function",
		"SELECT `p.web.f`(n) FROM numbers":                                     "other_table",
		"SELECT * FROM numbers, web.`f` (1)":                                   "forbidden_function",
		"SELECT * FROM numbers FOR SYSTEM_TIME AS OF x":                        "forbidden_function",
		"SELECT " + strings.Repeat("1 + ", MaxBytes):                           "too_long",

		// Other statements, scripts and parts of them.
		"CREATE TABLE x AS SELECT 1": "not_select", "INSERT INTO numbers SELECT 1": "not_select", "MERGE numbers USING x ON TRUE WHEN MATCHED THEN DELETE": "not_select",
		"EXPORT DATA OPTIONS (uri = 'gs://b/*') AS SELECT 1": "not_select", "DECLARE x INT64": "not_select", "BEGIN SELECT 1": "not_select", "CALL web.p()": "not_select",
		"EXECUTE IMMEDIATE 'SELECT 1'": "not_select", "TABLE numbers": "not_select", "WITH x AS (DELETE FROM numbers) SELECT 1": "syntax_error",
		"SELECT * FROM numbers UNION ALL TABLE web.low": "syntax_error", "SELECT * FROM (TABLE numbers)": "syntax_error", "SELECT 1 INTO x": "syntax_error",
		"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) COUNT(*) FROM numbers": "syntax_error", "SELECT AS web.MyType 1": "syntax_error",
		"SELECT * FROM numbers MATCH_RECOGNIZE (PATTERN (a))": "syntax_error", "SELECT NEW web.T(1 AS a)": "syntax_error",
		// Other tables, and other ways to name them.
		"SELECT * FROM numbers, LATERAL (SELECT 1)": "syntax_error", "SELECT * FROM MODEL numbers, web.low": "syntax_error", "SELECT * FROM @x": "parameter", "SELECT * FROM @{a=b} numbers": "parameter",
		"SELECT @{hint=1} 1": "parameter", "SELECT * FROM numbers@{FORCE_INDEX=x}": "parameter", "SELECT * FROM numbers JOIN@{join_method=hash_join} texts USING (n)": "parameter",
		"SELECT * FROM `numbers `.x": "other_table", "SELECT * FROM 'web.low'": "syntax_error", `SELECT * FROM "web.low"`: "syntax_error", "SELECT * FROM r'web.low'": "syntax_error",
		"SELECT * FROM [web.low]": "syntax_error", "SELECT * FROM p:web.low": "other_table", "SELECT * FROM p : web.low": "other_table", "SELECT * FROM numbers$20260101": "parameter",
		"SELECT * FROM `web:low`": "other_table", "SELECT * FROM numbers -x.y": "other_table", "SELECT * FROM web/low": "other_table",
		"WITH numbers AS (SELECT * FROM numbers) SELECT * FROM numbers": "unsupported", "WITH a AS (SELECT 1), A AS (SELECT 2) SELECT * FROM a": "syntax_error",
		"WITH RECURSIVE a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a": "unsupported",
		// Odd text.
		"SELECT '''a''' '''": "syntax_error", "SELECT '''a''''": "syntax_error", `SELECT r'\'`: "syntax_error", `SELECT 'a\q'`: "syntax_error", "SELECT ``": "syntax_error",
		"SELECT `a\nb`": "syntax_error", `SELECT """a"`: "syntax_error", `SELECT b'\u0041'`: "syntax_error", "SELECT n\u200b FROM numbers": "syntax_error", "SELECT \uff07a\uff07": "syntax_error",
		"SELECT \uff4e FROM numbers": "syntax_error", "SELECT 1\u2028FROM numbers": "syntax_error", "SELECT 'a\x00b'": "bad_text", "SELECT 1 /": "syntax_error",
		"SELECT '' /* ' */ FROM /*": "syntax_error", "SELECT /* /* */ */ 1": "syntax_error", "SELECT 1 -- \r FROM\nDELETE x": "syntax_error", "SELECT {{ x }}": "syntax_error", "SELECT 1; ; SELECT 2": "multi_statement", "SELECT ';' ; x": "multi_statement",
		"SELECT 1 FROM numbers WHERE": "syntax_error", "SELECT (1": "syntax_error", "SELECT 1)": "syntax_error", "SELECT": "syntax_error", "WITH": "syntax_error", "(": "syntax_error",
		// Functions and types that are not known.
		"SELECT CURRENT_USER": "forbidden_function", "SELECT session_user": "forbidden_function", "SELECT ERROR('x')": "forbidden_function", "SELECT `UPPER`('x')": "forbidden_function",
		"SELECT SAFE.SESSION_USER()": "forbidden_function", "SELECT SAFE.`UPPER`('x')": "syntax_error", "SELECT safe.net.host('x')": "forbidden_function", "SELECT AEAD.ENCRYPT(a, b, c)": "forbidden_function",
		"SELECT (a).f(1) FROM numbers": "forbidden_function", "SELECT a[0].f(1) FROM numbers": "forbidden_function", "SELECT AI.GENERATE('x')": "forbidden_function", "SELECT hll_count.drop(x) FROM numbers": "forbidden_function",
		"SELECT * FROM VECTOR_SEARCH(TABLE numbers, 'a', TABLE numbers)": "forbidden_function", "SELECT * FROM APPENDS(TABLE numbers)": "forbidden_function", "SELECT UPPER(TABLE numbers)": "syntax_error",
		"SELECT CAST(1 AS web.T)": "unsupported", "SELECT CAST(1 AS PROTO)": "unsupported", "SELECT EXTERNAL_QUERY('c', 'x')": "forbidden_function",
		"SELECT " + strings.Repeat("(", 5000) + "1": "too_deep", "SELECT " + strings.Repeat("[", 5000): "too_deep", "SELECT CAST(1 AS " + strings.Repeat("ARRAY<", 5000): "too_deep",
		strings.Repeat("(", 5000) + "SELECT 1": "too_deep", "SELECT * FROM " + strings.Repeat("(", 5000) + "a": "too_deep", "SELECT " + strings.Repeat("CASE ", 5000): "too_deep",
	} {
		_, err := Check(sql)
		if kindOf(err) != want {
			t.Errorf("%.80q is refused as %s, want %s", sql, kindOf(err), want)
			continue
		}
		var e *api.Error
		errors.As(err, &e)
		if whole := want == "too_long" || want == "bad_text"; !whole && e.Details["position"] == nil {
			t.Errorf("%.80q is refused without a place: %+v", sql, e)
		}
	}
}
