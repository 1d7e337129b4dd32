package trino

import (
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/internal/testing/trinotest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

const tape = "testdata/conversations.json.gz"

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
