package core

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/pgtest"
)

// twoEngines is an instance with a table in DuckDB and one in PostgreSQL.
func twoEngines(t *testing.T) *Core {
	t.Helper()
	database := pgtest.Shared(t)
	out, err := database.Command("psql", "-c", "CREATE TABLE orders AS SELECT 7 AS n, 'x' AS name").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.csv"), []byte("n,v\n1,2\n3,4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return coreOf(t, dir, fmt.Sprintf(`
server: { state_dir: ./state }
sources:
  files: { type: lake, root: . }
  crm: { type: postgres, dsn: "%s" }
tables:
  - { id: lines, source: files, path: a.csv }
  - { id: orders, source: crm, relation: orders }
`, database.DSN("")))
}

// TestStatementsRunWhereTheirTablesAre sends statements that only one of the
// engines understands, and some that neither may run.
func TestStatementsRunWhereTheirTablesAre(t *testing.T) {
	svc := twoEngines(t).As(LocalAdmin)
	for sql, want := range map[string]string{
		"SELECT sum(n) FROM lines":                                   "4",
		"SELECT sum(n)::text || 'orders' FROM lines":                 "4orders",
		"SELECT list_sum([n]) FROM lines WHERE n = 3":                "3",
		"FROM lines SELECT v WHERE n = 1":                            "2",
		"SELECT n FROM orders":                                       "7",
		"SELECT 7 / 2 FROM orders":                                   "3",
		"SELECT (ARRAY[n, 8])[2] FROM orders WHERE 'lines' <> ''":    "8",
		"SELECT DISTINCT ON (n) n FROM orders ORDER BY n, name DESC": "7",
		"WITH lines AS (SELECT n FROM orders) SELECT n FROM lines":   "7",
	} {
		stream, err := svc.Query(t.Context(), api.QueryRequest{SQL: sql})
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		got := ""
		for stream.Batches.Next() {
			got += stream.Batches.RecordBatch().Column(0).ValueStr(0)
		}
		if err := stream.Batches.Err(); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", sql, got, err, want)
		}
		stream.Close()
	}
	for sql, kind := range map[string]string{
		"SELECT 1 FROM lines, orders":                                           "several_sources",
		"SELECT 1 FROM orders WHERE n IN (SELECT n FROM lines)":                 "several_sources",
		"WITH x AS (SELECT * FROM lines) SELECT * FROM x JOIN orders USING (n)": "several_sources",
		"SELECT 1":                                   "no_table",
		"FROM orders SELECT n":                       "syntax_error",
		"SELECT pg_sleep(1) FROM orders":             "forbidden_function",
		"SELECT read_text('/etc/passwd') FROM lines": "forbidden_function",
		"DROP TABLE orders":                          "not_select",
		"DROP TABLE lines":                           "not_select",
	} {
		_, err := svc.Query(t.Context(), api.QueryRequest{SQL: sql})
		var e *api.Error
		if !errors.As(err, &e) || e.Code != api.CodeStatement || e.Kind != kind {
			t.Errorf("%s: %v (%+v), want kind %s", sql, err, e, kind)
			continue
		}
		if kind == "several_sources" && (len(e.Next) != 3 || e.Next[0].Text("table_id") != "lines" || e.Next[1].Text("table_id") != "orders") {
			t.Errorf("%s: next is %+v", sql, e.Next)
		}
	}
	if _, err := svc.Query(t.Context(), api.QueryRequest{SQL: "SELECT 1 FROM nothing"}); !api.CodeUnknownTable.Is(err) {
		t.Errorf("an unknown table: %v", err)
	}
}
