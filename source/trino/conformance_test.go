package trino

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/internal/testing/trinotest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

const tape, told = "testdata/conversations.json.gz", "testdata/statements.json.gz"

func open(t testing.TB, dsn string) *Trino {
	t.Helper()
	c, err := Open(Options{DSN: dsn})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// long is the number of rows from which a table is not recorded.
const long = 100_000

// fixture is one of the suite, on a server or what stands for it.
func fixture(t *testing.T, dsn string, load func(testing.TB, ...string)) sourcetest.Fixture {
	loaded := 0
	return sourcetest.Fixture{
		Source: open(t, dsn),
		Engine: predicate.Trino,
		Load: func(t testing.TB, table sourcetest.Table) string {
			loaded++
			name := fmt.Sprintf("%s_%d", strings.ToLower(strings.ReplaceAll(t.Name(), "/", "_")), loaded)
			load(t, append([]string{"DROP TABLE IF EXISTS memory.shop." + name}, sourcetest.Trino("memory.shop."+name, table)...)...)
			return name
		},
		Series: func(t testing.TB, rows int64) string {
			if rows >= long {
				load(t, "long")
			}
			load(t, fmt.Sprintf(`CREATE OR REPLACE VIEW memory.shop.series%d AS SELECT n, rpad('pad' || CAST(n AS varchar), 100, 'x') AS pad FROM
				(SELECT row_number() OVER () - 1 AS n FROM tpch.sf1.orders) WHERE n < %d`, rows, rows))
			return fmt.Sprintf("series%d", rows)
		},
		Missing: "shop.no_such_relation",
		// Intervals are of two types, a memory catalog has no partitions, and a server
		// without a certificate asks nobody for a password.
		Lacks:   []sourcetest.Kind{sourcetest.Interval},
		Without: []sourcetest.Ability{sourcetest.Partitions, sourcetest.Mortality, sourcetest.Credentials, sourcetest.Cases},
	}
}

// TestConformance plays what TestOnTrino has recorded. What takes long, or an engine that
// works, is tested there alone.
func TestConformance(t *testing.T) {
	recorded, err := trinotest.Open(tape)
	if err != nil {
		t.Fatal(err)
	}
	player := httptest.NewServer(recorded.Player())
	defer player.Close()
	sourcetest.Run(t, func(t *testing.T) sourcetest.Fixture {
		f := fixture(t, "http://da@"+player.Listener.Addr().String()+"/memory/shop", func(t testing.TB, statements ...string) {
			if statements[0] == "long" {
				t.Skip("a long table is not recorded: make long tests it")
			}
		})
		f.Without = append(f.Without, sourcetest.Asking, sourcetest.Patience)
		return f
	})
}

// TestStatements plays what TestStatementsOnTrino has recorded.
func TestStatements(t *testing.T) {
	recorded, err := trinotest.Open(told)
	if err != nil {
		t.Fatal(err)
	}
	player := httptest.NewServer(recorded.Player())
	defer player.Close()
	statements(t, player, func(testing.TB, ...string) {})
}

// TestColumnsAreAskedForOnce holds that estimates do not ask again for the columns that an
// estimate or a schema has just found, and that the next schema does.
func TestColumnsAreAskedForOnce(t *testing.T) {
	recorded, err := trinotest.Open(tape)
	if err != nil {
		t.Fatal(err)
	}
	asked, player := 0, recorded.Player()
	counting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		statement, _ := io.ReadAll(r.Body)
		if bytes.Contains(statement, []byte("information_schema.columns")) {
			asked++
		}
		r.Body = io.NopCloser(bytes.NewReader(statement))
		player.ServeHTTP(w, r)
	}))
	defer counting.Close()
	c, rel := open(t, "http://da@"+counting.Listener.Addr().String()+"/memory/shop"), source.Relation{Name: "series5000"}
	c.recent = time.Hour
	for want := 1; want <= 3; want++ {
		for range 2 {
			if _, err := c.Estimate(t.Context(), source.Scan{Relation: rel, Select: []string{"n"}}); err != nil || asked != want {
				t.Errorf("%v: the columns were asked for %d times, want %d", err, asked, want)
			}
		}
		if _, err := c.Schema(t.Context(), rel); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStatementsOnTrino(t *testing.T) {
	server := os.Getenv("DA_TRINO")
	if server == "" {
		t.Skip("make trino starts a server for it")
	}
	recording, between := trinotest.Recorder(server)
	recorder := httptest.NewServer(between)
	defer recorder.Close()
	statements(t, recorder, func(t testing.TB, statements ...string) {
		if err := trinotest.Exec(server, append([]string{"CREATE SCHEMA IF NOT EXISTS memory.shop"}, statements...)...); err != nil {
			t.Fatal(err)
		}
	})
	if !t.Failed() {
		if err := recording.Save(told); err != nil {
			t.Error(err)
		}
	}
}

// statements are more than those that all engines run.
func statements(t *testing.T, at *httptest.Server, load func(testing.TB, ...string)) {
	f := fixture(t, "http://da@"+at.Listener.Addr().String()+"/memory/shop", load)
	plain := f.Load
	f.Load = func(_ testing.TB, table sourcetest.Table) string { return plain(named{t}, table) }
	sourcetest.Statements(t, f, map[string]string{
		"SELECT count_if(id > 1) AS n, max_by(name, id) AS a, sum(id) FILTER (WHERE id > 1) AS s FROM staff": "1|eve|3",
		"SELECT CASE WHEN id = 1 THEN 'it''s' ELSE 'a\\b' END AS c FROM staff ORDER BY id":                   "it's\na\\b",
		"SELECT DATE '2024-01-02' + INTERVAL '7' DAY AS d, year(DATE '2024-01-02') AS y FROM teams LIMIT 1":  "2024-01-09|2024",
		// What must be cast stays in its order.
		"SELECT CAST(name AS CHAR(5)) AS c, TIMESTAMP '2024-01-02 03:04:05 Europe/Vienna' AS t FROM staff ORDER BY id DESC":             "eve|2024-01-02T02:04:05Z\nzoe|2024-01-02T02:04:05Z",
		"SELECT \"team\", ID, \"group\" FROM (SELECT team, id, name AS \"group\" FROM staff) AS s WHERE regexp_like(s.\"group\", '^e')": "a|3|eve",
	}, "SELECT * FROM TABLE(tpch.system.query('SELECT 1'))", "SELECT * FROM TABLE(sequence(1, 5))", "SELECT * FROM staff, TABLE(sequence(1, 5))", "CALL ice.system.flush_metadata_cache()", "EXECUTE x", "SELECT * FROM UNNEST(ARRAY[1])",
		"SELECT current_catalog FROM staff", "SELECT * FROM \"information_schema\".\"tables\"", "SELECT * FROM memory.shop.x", "SELECT \"$path\" FROM teams", "SELECT * FROM \"staff$snapshots\"", "SELECT * FROM staff FOR VERSION AS OF 1",
		"SELECT transform(ARRAY[1], x -> x) FROM staff", "WITH RECURSIVE x(n) AS (SELECT 1) SELECT n FROM x", "SELECT from_hex('00') FROM teams FETCH FIRST 1 ROW WITH TIES", "SELECT * FROM staff MATCH_RECOGNIZE (PATTERN (a))")
}

// TestOnTrino runs the suite on a real server, whose address is in DA_TRINO, and records
// what TestConformance plays.
func TestOnTrino(t *testing.T) {
	server := os.Getenv("DA_TRINO")
	if server == "" {
		t.Skip("make long starts a server for it")
	}
	recording, between := trinotest.Recorder(server, "series300000", "slow")
	recorder := httptest.NewServer(between)
	defer recorder.Close()
	admin := open(t, "http://admin@"+server+"/memory/default")
	load := func(t testing.TB, statements ...string) {
		t.Helper()
		for _, s := range statements {
			if s == "long" {
				continue
			}
			if _, err := admin.table(t.Context(), s); err != nil {
				t.Fatalf("%.300s: %v", s, err)
			}
		}
	}
	load(t, "CREATE SCHEMA IF NOT EXISTS memory.shop")
	// The names of tables have the test's in them, which is that of the other.
	t.Run("TestConformance", func(t *testing.T) {
		sourcetest.Run(t, func(t *testing.T) sourcetest.Fixture {
			dsn := "http://da@" + recorder.Listener.Addr().String() + "/memory/shop"
			f := fixture(t, dsn, load)
			plain := f.Load
			f.Load = func(t testing.TB, table sourcetest.Table) string { return plain(renamed{t}, table) }
			f.Slow = func(t testing.TB) string {
				load(t, "CREATE OR REPLACE VIEW memory.shop.slow AS SELECT a.orderkey AS n FROM tpch.sf1.lineitem a, tpch.sf1.lineitem b WHERE a.comment || b.comment = 'x'")
				return "slow"
			}
			f.Running = func(t testing.TB) int {
				rows, err := admin.table(t.Context(), `SELECT query_id FROM system.runtime.queries WHERE "user" = 'da' AND state NOT IN ('FINISHED', 'FAILED')`)
				if err != nil {
					t.Fatal(err)
				}
				return len(rows)
			}
			f.Impatient = func(t testing.TB) source.Source { return open(t, dsn+"?query_max_run_time=1s") }
			return f
		})
	})
	load(t, oddView())
	t.Run("Types", func(t *testing.T) { typesOf(t, open(t, "http://da@"+recorder.Listener.Addr().String()+"/memory/shop")) })
	if !t.Failed() {
		if err := recording.Save(tape); err != nil {
			t.Error(err)
		}
	}
}

// renamed is a test under the name that it has in TestConformance.
type renamed struct{ testing.TB }

func (r renamed) Name() string {
	_, name, _ := strings.Cut(r.TB.Name(), "/")
	return name
}

// named is a test whose tables have one name, wherever they are.
type named struct{ testing.TB }

func (named) Name() string { return "statements" }
