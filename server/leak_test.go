package server

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/enginetest"
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
		"MAP(VARCHAR, BIGINT)",
	},
	"union": {"UNION(n BIGINT, s VARCHAR, h HUGEINT)", "STRUCT(u UNION(n BIGINT, s VARCHAR))"},
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
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	enginetest.Parquet(t, filepath.Join(dir, "data/open.parquet"), "SELECT i AS id FROM range(300) t(i)")
	enginetest.Parquet(t, filepath.Join(dir, "data/closed.parquet"), "SELECT i AS id, "+hiddenNumber+" AS n, '"+hidden+"' AS s FROM range(3000) t(i)")
	s := serveTest(t, coreOf(t, dir, `
sources: { files: { type: lake, root: ./data } }
tables:
  - { id: open, source: files, path: open.parquet }
  - { id: closed, source: files, path: closed.parquet }
`).As(LocalAdmin))
	answer := func(sql string) string {
		body, err := json.Marshal(api.QueryRequest{SQL: sql})
		if err != nil {
			t.Fatal(err)
		}
		res, got := s.ask(t, "POST", "/api/query", string(body))
		if res.StatusCode != 200 {
			t.Fatalf("%s: %s", sql, got)
		}
		return got
	}
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
			for range 5 {
				if got := answer("SELECT n, s, n::HUGEINT AS h, [n, n] AS l, {'n': n, 's': s} AS r FROM closed ORDER BY id DESC"); !strings.Contains(got, hidden) {
					t.Fatal("what is hidden is not in the answer that has it")
				}
				got := answer(sql)
				if at := strings.Index(got, hidden[:6]); at >= 0 {
					t.Errorf("%s, %s: what is hidden is in the answer: %q", form, kind, got[max(0, at-8):min(len(got), at+16)])
				}
				if first == "" {
					first = got
				}
				if got != first {
					t.Errorf("%s, %s: the same statement has another answer", form, kind)
				}
			}
		}
	}
}
