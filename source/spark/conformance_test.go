package spark

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/internal/testing/sparktest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

func opened(t testing.TB, o Options) *Spark {
	t.Helper()
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func exec(t testing.TB, server *sparktest.Server, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if err := server.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
}

var loaded atomic.Int64

// fixture is what of the suite every engine gets that speaks Spark Connect.
func fixture(t *testing.T, server *sparktest.Server) sourcetest.Fixture {
	name := func() string { return fmt.Sprintf("default.t%d", loaded.Add(1)) }
	return sourcetest.Fixture{
		Source: opened(t, Options{URI: server.URI(), Token: sparktest.Token}),
		Engine: predicate.Spark,
		Load: func(t testing.TB, table sourcetest.Table) string {
			name := name()
			exec(t, server, sourcetest.Spark(name, table)...)
			return name
		},
		Series: func(t testing.TB, rows int64) string {
			name := name()
			exec(t, server, fmt.Sprintf("CREATE TABLE %s USING parquet AS SELECT id AS n, rpad(concat('pad', id), 100, 'x') AS pad FROM range(%d)", name, rows))
			return name
		},
		Missing: "default.no_such_relation",
		Lacks:   []sourcetest.Kind{sourcetest.Time, sourcetest.Interval, sourcetest.UUID, sourcetest.JSON},
		Without: []sourcetest.Ability{sourcetest.Nullability, sourcetest.Partitions, sourcetest.Counting},
		Slow: func(t testing.TB) string {
			name := name()
			exec(t, server, "CREATE VIEW "+name+" AS SELECT a.id AS n FROM range(10000000) AS a CROSS JOIN range(10000000) AS b WHERE a.id * 3 + b.id < 0")
			return name
		},
		Impatient: func(t testing.TB) source.Source {
			return opened(t, Options{URI: server.URI(), Token: sparktest.Token, Timeout: 200 * time.Millisecond})
		},
	}
}

func TestSail(t *testing.T) {
	sourcetest.Run(t, func(t *testing.T) sourcetest.Fixture {
		server := sparktest.Sail(t)
		f := fixture(t, server)
		f.Kill = func(testing.TB) { server.Kill() }
		var made []string // Sail forgets its tables
		load := f.Load
		f.Load = func(t testing.TB, table sourcetest.Table) string {
			name := load(t, table)
			made = append(made, sourcetest.Spark(name, table)...)
			return name
		}
		f.Restart = func(t testing.TB) {
			if t.Context().Err() == nil { // else a test has ended, and its own server with it
				server.Restart(t)
				exec(t, server, made...)
			}
		}
		f.Guarded = func(t testing.TB, _ string) sourcetest.Guarded {
			uri, ca, shut := doored(t, server)
			return sourcetest.Guarded{Source: opened(t, Options{URI: uri + "0123-abc", Token: sparktest.Token, CAFile: ca}), Secret: sparktest.Token,
				Expire: func() { shut.Store(true) }, Renew: func() { shut.Store(false) }}
		}
		f.Without = append(f.Without, sourcetest.Asking, sourcetest.Credentials, sourcetest.Comments)
		return f
	})
}

func TestSpark(t *testing.T) {
	server := sparktest.Spark(t)
	sourcetest.Run(t, func(t *testing.T) sourcetest.Fixture {
		f := fixture(t, server)
		f.Denied = func(t testing.TB) (source.Source, string) {
			return opened(t, Options{URI: server.URI(), Token: "wrong-secret"}), "wrong-secret"
		}
		f.Without = append(f.Without, sourcetest.Asking, sourcetest.Mortality)
		return f
	})
}
