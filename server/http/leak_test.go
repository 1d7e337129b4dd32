package httpapi

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/server/core"
)

// hidden is what the rows hold that a caller may not see, as text and as the
// number whose bytes are that text.
const (
	hidden       = "HIDDENxx"
	hiddenNumber = "8680774341161666888"
)

// leakTypes are the types of NULLs: those that take the short way to Arrow, and
// those with which a result takes the long one.
var leakTypes = map[string][]string{
	"flat": {
		"BIGINT", "INTEGER", "SMALLINT", "BOOLEAN", "DOUBLE", "DATE", "TIMESTAMP", "TIMESTAMPTZ", "UUID",
		"DECIMAL(4,1)", "DECIMAL(15,2)", "DECIMAL(38,4)", "VARCHAR", "BLOB",
	},
	"other": {
		"HUGEINT", "UHUGEINT", "INTERVAL", "TIMETZ", "BIT", "BIGNUM", "ENUM('a', 'b')", "INTEGER[]", "VARCHAR[][]",
		"BIGINT[3]", "HUGEINT[2][2]", "STRUCT(a BIGINT, b VARCHAR)", "STRUCT(a HUGEINT, b STRUCT(c BIGINT[2], d UUID))",
		"MAP(VARCHAR, BIGINT)", "STRUCT(l STRUCT(b BOOLEAN, t TIMETZ)[], m MAP(INTEGER, HUGEINT[]))", "TIME_NS", "TIMESTAMP_NS[2]",
		"STRUCT(e INTERVAL, v BIT)[]", "STRUCT(a VARCHAR, b BLOB)[3]", "BOOLEAN[5]", "DECIMAL(4,1)[2][]",
	},
	"union": {"UNION(n BIGINT, s VARCHAR, h HUGEINT)", "STRUCT(u UNION(n BIGINT, s VARCHAR))", "UNION(a BIGINT[2], b STRUCT(c HUGEINT))[]"},
}

// nullForms make statements out of columns that are all NULL, those that are
// NULL by a condition, and the names of these columns.
var nullForms = map[string]func(constant, condition string) string{
	"constant":  func(constant, _ string) string { return "SELECT id, " + constant + " FROM open ORDER BY id" },
	"condition": func(_, condition string) string { return "SELECT id, " + condition + " FROM open ORDER BY id" },
	"join": func(constant, _ string) string {
		return "SELECT o.id, j.* FROM open o LEFT JOIN (SELECT id + 100000 AS other, " + constant + " FROM open) j ON o.id = j.other ORDER BY o.id"
	},
	"union": func(constant, _ string) string {
		return "SELECT id FROM open UNION ALL BY NAME SELECT id, " + constant + " FROM open"
	},
}

// TestAnswersHoldNothingOfOthers reads rows that a caller may not see, over and
// over, and searches for them in answers to statements that do not name them:
// the engine leaves such rows in its memory, and gives NULLs whatever memory it
// has. The same statement has the same answer each time, to the byte.
func TestAnswersHoldNothingOfOthers(t *testing.T) {
	t.Parallel()
	ask := leakyServer(t)
	for form, statement := range nullForms {
		for kind, types := range leakTypes {
			var constant, condition []string
			for i := range 42 {
				typ := types[i%len(types)]
				constant = append(constant, fmt.Sprintf("NULL::%s AS n%d", typ, i))
				condition = append(condition, fmt.Sprintf("CASE WHEN id < 0 THEN NULL::%s END AS n%d", typ, i))
			}
			sql := statement(strings.Join(constant, ", "), strings.Join(condition, ", "))
			first := ""
			for range 3 {
				first = wantSame(t, form+", "+kind, first, ask("/api/query", api.QueryRequest{SQL: sql}))
			}
		}
	}
}

// TestTheSameRequestHasTheSameAnswer asks for rows that are NULL in part, whole
// tables, the first rows of one, one row and none.
func TestTheSameRequestHasTheSameAnswer(t *testing.T) {
	t.Parallel()
	ask := leakyServer(t)
	few := int64(7)
	values := ""
	for typ, value := range map[string]string{
		"HUGEINT": "7", "BIT": "'101'", "INTERVAL": "INTERVAL 1 DAY", "TIMETZ": "'01:02:03+05:30'", "BIGINT": "7", "BOOLEAN": "true",
		"STRUCT(a HUGEINT, b STRUCT(c BIGINT[], d UUID))": "{'a': 1, 'b': {'c': [1, NULL], 'd': NULL}}", "MAP(VARCHAR, BIGINT)": "map {'a': 1, 'b': NULL}",
	} {
		values += fmt.Sprintf(", CASE WHEN id %% 3 = 0 THEN CAST(%s AS %s) END AS c%d", value, typ, len(values))
	}
	statement := func(rest string) any { return api.QueryRequest{SQL: "SELECT id" + values + " FROM open " + rest} }
	first := map[string]string{}
	for range 3 {
		for what, body := range map[string]any{
			"/api/v2/scan a table":      api.ScanRequest{TableID: "half", OrderBy: []string{"id"}},
			"/api/v2/scan its first":    api.ScanRequest{TableID: "half", OrderBy: []string{"id"}, Limit: &few},
			"/api/query all rows":       statement("ORDER BY id"),
			"/api/query one row":        statement("WHERE id = 1"),
			"/api/query no row":         statement("WHERE id < 0"),
			"/api/query one NULL":       api.QueryRequest{SQL: "SELECT max(CASE WHEN id = 1001 THEN id::INTEGER END) AS n FROM open"},
			"/api/query NULLs in lists": api.QueryRequest{SQL: "SELECT list(NULL::BIGINT) AS l, array_value(NULL::HUGEINT, 1) AS a, map {1: NULL::HUGEINT} AS m FROM open"},
		} {
			path, _, _ := strings.Cut(what, " ")
			first[what] = wantSame(t, what, first[what], ask(path, body))
		}
	}
}

// TestSyncedFilesHoldNothingOfOthers searches the parquet of a table that is NULL
// in part. Each server makes the file anew; its pages come in any order.
func TestSyncedFilesHoldNothingOfOthers(t *testing.T) {
	for range 2 {
		ask := leakyServer(t)
		ask("/api/sync/manifest", nil)
		if got := wantSame(t, "sync", "", ask("/api/sync/tables/kept", nil)); !strings.HasPrefix(got, "PAR1") {
			t.Errorf("no parquet: %.80q", got)
		}
	}
}

// leakyServer has a table that is open, one whose rows are NULL in part, and one
// that hides what no answer may have; that one is read before each question.
func leakyServer(t *testing.T) (ask func(path string, body any) string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	for file, sql := range map[string]string{
		"open":   "SELECT i AS id FROM range(300) t(i)",
		"closed": "SELECT i AS id, " + hiddenNumber + " AS n, '" + hidden + "' AS s FROM range(3000) t(i)",
		"half": `SELECT i AS id, CASE WHEN i % 3 = 0 THEN i END AS n, CASE WHEN i % 3 = 0 THEN i::DECIMAL(15,2) END AS d, CASE WHEN i % 5 = 0 THEN i % 2 = 0 END AS b,
			CASE WHEN i % 3 = 0 THEN {'a': i, 's': ['x', NULL]} END AS r, CASE WHEN i % 3 = 0 THEN [i, NULL] END AS l FROM range(5000) t(i)`,
	} {
		enginetest.Parquet(t, filepath.Join(dir, "data", file+".parquet"), sql)
	}
	s := serveTest(t, openCore(t, dir, `
sources: { files: { type: lake, root: ./data } }
tables:
  - { id: open, source: files, path: open.parquet }
  - { id: half, source: files, path: half.parquet }
  - { id: closed, source: files, path: closed.parquet }
  - { id: kept, source: files, path: half.parquet, query_mode: local }
`).As(core.LocalAdmin))
	post := func(path string, body any) string {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		method := "POST"
		if body == nil {
			method, text = "GET", nil
		}
		res, got := s.ask(t, method, path, string(text))
		if res.StatusCode != 200 {
			t.Fatalf("%s: %s", text, got)
		}
		return got
	}
	return func(path string, body any) string {
		if !strings.Contains(post("/api/query", api.QueryRequest{SQL: "SELECT n, s, n::HUGEINT AS h, [n, n] AS l, {'n': n, 's': s} AS r FROM closed ORDER BY id DESC"}), hidden) {
			t.Fatal("what is hidden is not in the answer that has it")
		}
		return post(path, body)
	}
}

// wantSame wants an answer without what is hidden, and the same as the first, if
// there was one; it returns that.
func wantSame(t *testing.T, what, first, got string) string {
	t.Helper()
	if at := strings.Index(got, hidden[:6]); at >= 0 {
		t.Errorf("%s: what is hidden is in the answer: %q", what, got[max(0, at-8):min(len(got), at+16)])
	}
	if first != "" && got != first {
		t.Errorf("%s: the same request has another answer", what)
	}
	return got
}
