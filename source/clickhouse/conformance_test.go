package clickhouse

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/agnes-data/da/internal/testing/chtest"
	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

func open(t testing.TB, dsn string) *ClickHouse {
	t.Helper()
	c, err := Open(Options{DSN: dsn})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func exec(t testing.TB, e *chtest.Engine, statements ...string) {
	t.Helper()
	if err := e.Exec(statements...); err != nil {
		t.Fatal(err)
	}
}

func TestConformance(t *testing.T) {
	engine := chtest.NewEngine(t)
	exec(t, engine, "CREATE DATABASE shop", "CREATE DATABASE series")
	var loaded atomic.Int64
	sourcetest.Run(t, func(t *testing.T) sourcetest.Fixture {
		return sourcetest.Fixture{
			Source: open(t, engine.DSN("shop", "")),
			Engine: predicate.ClickHouse,
			Load: func(t testing.TB, table sourcetest.Table) string {
				name := fmt.Sprintf("t%d", loaded.Add(1))
				exec(t, engine, sourcetest.ClickHouse("shop."+name, table)...)
				return name
			},
			Series: func(t testing.TB, rows int64) string {
				// Long tables take seconds to make: one serves all tests.
				name := fmt.Sprintf("series.n%d", rows)
				exec(t, engine, fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s ENGINE = MergeTree ORDER BY n AS"+
					" SELECT toInt64(number) AS n, rightPad(concat('pad', toString(number)), 100, 'x') AS pad FROM numbers(%d)", name, rows))
				return name
			},
			Missing: "shop.no_such_relation",
			Slow: func(t testing.TB) string {
				exec(t, engine, "CREATE OR REPLACE VIEW shop.slow AS SELECT toInt64(number) AS n FROM numbers(1000000000000) WHERE number * 2 + 1 = 0")
				return "slow"
			},
			Kill: func(t testing.TB) {
				engine.Kill()
			},
			Restart: func(t testing.TB) {
				if err := engine.Restart(); err != nil {
					t.Fatal(err)
				}
			},
			Impatient: func(t testing.TB) source.Source { return open(t, engine.DSN("shop", "max_execution_time=0.2")) },
			// Its dates are those of 1900 to 2299, its texts are the only bytes, and what is
			// not flat cannot be NULL. Old servers show credentials and stopping.
			Years: [2]int{1900, 2299},
			Lacks: []sourcetest.Kind{sourcetest.Bytes, sourcetest.Time, sourcetest.Timestamp, sourcetest.Interval, sourcetest.JSON,
				sourcetest.Ints, sourcetest.Texts, sourcetest.Record},
			Without: []sourcetest.Ability{sourcetest.Asking, sourcetest.Credentials},
		}
	})
}
