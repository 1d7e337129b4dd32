package flightsql

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/flighttest"
	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/source"
)

func opened(t testing.TB, o Options) *FlightSQL {
	t.Helper()
	f, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func exec(t testing.TB, s *flighttest.Server, sql string) {
	t.Helper()
	if err := s.Exec(context.Background(), sql); err != nil {
		t.Fatalf("%.300s: %v", sql, err)
	}
}

// load stores a table under a name of two parts.
func load(t testing.TB, s *flighttest.Server, name string, table sourcetest.Table) {
	t.Helper()
	quoted := "main." + duckdb.Quote(name)
	exec(t, s, "CREATE TABLE "+quoted+" AS "+sourcetest.DuckDB(table))
	for _, c := range table.Columns {
		if c.Required {
			exec(t, s, fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s SET NOT NULL", quoted, duckdb.Quote(c.Name)))
		}
		if c.Comment != "" {
			exec(t, s, fmt.Sprintf("COMMENT ON COLUMN %s.%s IS %s", quoted, duckdb.Quote(c.Name), duckdb.Literal(c.Comment)))
		}
	}
}

func TestConformance(t *testing.T) {
	sourcetest.Run(t, func(t *testing.T) sourcetest.Fixture {
		server := flighttest.New(t, flighttest.Options{})
		loaded := 0
		slow := func(t testing.TB) string {
			exec(t, server, "CREATE OR REPLACE VIEW slow AS SELECT a.range AS n FROM range(10000000) a, range(10000000) b WHERE a.range * 3 + b.range < 0")
			return "slow"
		}
		return sourcetest.Fixture{
			Source: opened(t, Options{URI: server.URI()}),
			Load: func(t testing.TB, table sourcetest.Table) string {
				loaded++
				name := fmt.Sprintf("t%d", loaded)
				load(t, server, name, table)
				return "memory.main." + name
			},
			Series: func(t testing.TB, rows int64) string {
				loaded++
				name := fmt.Sprintf("t%d", loaded)
				exec(t, server, fmt.Sprintf("CREATE TABLE %s AS SELECT range AS n, rpad('pad' || range, 100, 'x') AS pad FROM range(%d)", name, rows))
				return name
			},
			Missing: "main.no_such_relation",
			Slow:    slow,
			Running: func(testing.TB) int { return server.Running() },
			Kill:    func(testing.TB) { server.Kill() },
			Denied: func(t testing.TB) (source.Source, string) {
				guarded := flighttest.New(t, flighttest.Options{User: "reader", Password: "right"})
				return opened(t, Options{URI: guarded.URI(), User: "reader", Password: "wrong-secret"}), "wrong-secret"
			},
			Impatient: func(t testing.TB) source.Source {
				return opened(t, Options{URI: server.URI(), Timeout: 200 * time.Millisecond})
			},
			Sampled: true, // the lake's suite runs all on DuckDB
			Without: []sourcetest.Ability{sourcetest.Partitions, sourcetest.Counting},
		}
	})
}
