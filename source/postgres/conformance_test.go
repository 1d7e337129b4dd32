package postgres

import (
	"context"
	"fmt"
	"testing"

	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/source"
)

func TestConformance(t *testing.T) { conform(t, false, func(*Postgres) {}) }

// TestConformanceOfRanges reads each table, however small, by ranges on several
// connections.
func TestConformanceOfRanges(t *testing.T) {
	conform(t, true, func(p *Postgres) { p.rangeBlocks, p.connections = 1, 3 })
}

func conform(t *testing.T, sampled bool, set func(*Postgres)) {
	shared := newDatabase(t)
	if err := shared.source.Close(); err != nil {
		t.Fatal(err)
	}
	shared.exec(t, `CREATE SCHEMA "Schéma 1; x"; CREATE TYPE "Schéma 1; x".record AS (a bigint, b text)`)
	loaded, series := 0, map[int64]string{}
	sourcetest.Run(t, func(t *testing.T) sourcetest.Fixture {
		// Making a database is most of what such a small test would do.
		d := shared.again(t)
		set(d.source)
		next := func() string {
			loaded++
			return fmt.Sprintf(`"Schéma 1; x"."tab""le %d"`, loaded)
		}
		return sourcetest.Fixture{
			Source: d.source,
			Load: func(t testing.TB, table sourcetest.Table) string {
				name := next()
				d.load(t, name, table)
				return name
			},
			Series: func(t testing.TB, rows int64) string {
				if name := series[rows]; name != "" {
					return name
				}
				name := next()
				series[rows] = name
				d.exec(t, fmt.Sprintf(`CREATE TABLE %s AS SELECT n, rpad('pad' || n, 100, 'x') AS pad FROM generate_series(0, %d::bigint - 1) AS n; ANALYZE %[1]s`, name, rows))
				return name
			},
			Missing: "public.no_such_relation",
			Slow: func(t testing.TB) string {
				name := next()
				d.exec(t, "CREATE VIEW "+name+" AS SELECT n FROM generate_series(1, 10000000000) AS n WHERE n < 0")
				return name
			},
			// A connection between two ranges has no statement, but it is at work.
			Running: func(t testing.TB) int {
				var n int
				if err := d.admin.QueryRow(context.Background(), `SELECT count(*) FROM pg_stat_activity
					WHERE datname = $1 AND application_name = 'da' AND state <> 'idle'`, d.Name).Scan(&n); err != nil {
					t.Fatal(err)
				}
				return n
			},
			Kill: func(t testing.TB) {
				if err := d.Cluster.Kill(); err != nil {
					t.Fatal(err)
				}
			},
			Restart: func(t testing.TB) {
				if err := d.Cluster.Restart(); err != nil {
					t.Fatal(err)
				}
			},
			Guarded: func(t testing.TB, relation string) sourcetest.Guarded {
				t.Cleanup(func() { d.exec(t, "DROP OWNED BY guarded; DROP ROLE guarded") })
				d.exec(t, "DROP ROLE IF EXISTS guarded")
				d.exec(t, `CREATE ROLE guarded LOGIN PASSWORD 'right-secret'; GRANT USAGE ON SCHEMA "Schéma 1; x" TO guarded; GRANT SELECT ON `+relation+" TO guarded")
				return sourcetest.Guarded{Source: d.open(t, "user=guarded password=right-secret"), Secret: "right-secret",
					Expire: func() {
						d.exec(t, "ALTER ROLE guarded VALID UNTIL '2001-01-01'; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'guarded'")
					},
					Renew: func() { d.exec(t, "ALTER ROLE guarded VALID UNTIL 'infinity'") }}
			},
			Denied: func(t testing.TB) (source.Source, string) {
				d.exec(t, "DROP ROLE IF EXISTS guarded; CREATE ROLE guarded LOGIN PASSWORD 'right-secret'")
				return d.open(t, "user=guarded password=wrong-secret"), "wrong-secret"
			},
			Impatient: func(t testing.TB) source.Source { return d.open(t, "statement_timeout=200") },
			Sampled:   sampled,
			Without:   []sourcetest.Ability{sourcetest.Counting},
		}
	})
}

func (d *database) load(t testing.TB, name string, table sourcetest.Table) {
	t.Helper()
	d.exec(t, sourcetest.Postgres(name, `"Schéma 1; x".record`, table))
}
