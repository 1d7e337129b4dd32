package flightsql

import (
	"fmt"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/testing/flighttest"
	"github.com/agnes-data/da/internal/testing/pgtest"
	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// overPostgres starts a server over a new database.
func overPostgres(t testing.TB, o flighttest.Options) *flighttest.Server {
	t.Helper()
	return flighttest.NewPostgres(t, pgtest.Shared(t).DSN(""), o)
}

func TestConformanceOfPostgres(t *testing.T) {
	dsn := pgtest.Shared(t).DSN("")
	exec(t, flighttest.NewPostgres(t, dsn, flighttest.Options{}), `CREATE SCHEMA "Schéma 1; x"; CREATE TYPE "Schéma 1; x".record AS (a bigint, b text)`)
	loaded, series := 0, map[int64]string{}
	sourcetest.Run(t, func(t *testing.T) sourcetest.Fixture {
		server := flighttest.NewPostgres(t, dsn, flighttest.Options{})
		next := func() (sql, name string) {
			loaded++
			return fmt.Sprintf(`"Schéma 1; x"."tab""le %d"`, loaded), fmt.Sprintf(`Schéma 1; x.tab"le %d`, loaded)
		}
		return sourcetest.Fixture{
			Source: opened(t, Options{URI: server.URI(), Dialect: predicate.Postgres}),
			Load: func(t testing.TB, table sourcetest.Table) string {
				sql, name := next()
				exec(t, server, sourcetest.Postgres(sql, `"Schéma 1; x".record`, table))
				return name
			},
			Series: func(t testing.TB, rows int64) string {
				if name := series[rows]; name != "" {
					return name
				}
				sql, name := next()
				series[rows] = name
				exec(t, server, fmt.Sprintf(`CREATE TABLE %s AS SELECT n, rpad('pad' || n, 100, 'x') AS pad FROM generate_series(0, %d::bigint - 1) AS n`, sql, rows))
				return name
			},
			Missing: "public.no_such_relation",
			Slow: func(t testing.TB) string {
				sql, name := next()
				exec(t, server, "CREATE VIEW "+sql+" AS SELECT n FROM generate_series(1, 10000000000) AS n WHERE n < 0")
				return name
			},
			Running: func(testing.TB) int { return server.Running() },
			Kill:    func(testing.TB) { server.Kill() },
			Denied: func(t testing.TB) (source.Source, string) {
				guarded := overPostgres(t, flighttest.Options{User: "reader", Password: "right"})
				return opened(t, Options{URI: guarded.URI(), User: "reader", Password: "wrong-secret", Dialect: predicate.Postgres}), "wrong-secret"
			},
			Impatient: func(t testing.TB) source.Source {
				return opened(t, Options{URI: server.URI(), Timeout: 200 * time.Millisecond, Dialect: predicate.Postgres})
			},
			Sampled: true,
			Lacks:   []sourcetest.Kind{sourcetest.Record},
			Without: []sourcetest.Ability{sourcetest.Partitions, sourcetest.Counting},
		}
	})
}
