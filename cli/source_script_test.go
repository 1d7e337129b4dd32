package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/pgtest"
	"github.com/agnes-data/da/internal/testing/sourcetest"
)

// scriptTables are what the scripts of testdata/source read, by table id.
type scriptTables map[string]sourcetest.Table

// scriptedSources are the sources that these scripts run on; their text is the
// same for all of them. Each entry starts what it needs for the time of a test,
// and returns a function that makes the tables for one script and returns its
// instance file: with a source main, and the tables flights and airports.
var scriptedSources = []struct {
	name  string
	start func(*testing.T) func(*testscript.Env, scriptTables) (instance string, err error)
}{
	{"bigquery", startBigQuery},
	{"clickhouse", startClickHouse},
	{"databricks", startDatabricks},
	{"flightsql", startFlight},
	{"flightsql-postgres", startFlightPostgres},
	{"iceberg", startIceberg},
	{"iceberg+spark", by(startIceberg)},
	{"iceberg+trino", byTrino},
	{"lake", startLake},
	{"bucket", startBucket},
	{"delta", startDelta},
	{"delta+spark", by(startDelta)},
	{"duckdb", startDuckDB},
	{"mariadb", startMariaDB},
	{"postgres", startPostgres},
	{"spark", startSpark},
	{"trino", startTrino},
}

func scriptedSource(name string) bool {
	for _, s := range scriptedSources {
		if s.name == name {
			return true
		}
	}
	return false
}

// overHTTP is the source whose scenarios run over HTTP, too. A client and a server
// have no code for one source or another: TestScriptsHTTP reads files,
// TestBigQueryScripts what sends bills, and this is a database.
const overHTTP = "postgres"

// TestSourceScripts runs the scenarios on every source embedded, and on one over
// HTTP.
func TestSourceScripts(t *testing.T) {
	t.Parallel()
	for _, s := range scriptedSources {
		t.Run(s.name, func(t *testing.T) {
			fill := s.start(t)
			prepare := func(env *testscript.Env) error {
				instance, err := fill(env, sourceTables())
				if err != nil {
					return err
				}
				return os.WriteFile(filepath.Join(env.WorkDir, "instance.yaml"), []byte(instance), 0o600)
			}
			modes := []string{"embedded"}
			if s.name == overHTTP {
				modes = append(modes, "http")
			}
			for _, mode := range modes {
				t.Run(mode, func(t *testing.T) {
					runScripts(t, scripts{dir: "testdata/source", mode: mode, source: s.name, prepare: prepare})
				})
			}
		})
	}
}

// sourceTables are the tables of the scripts.
func sourceTables() scriptTables {
	flights := sourcetest.Table{Columns: []sourcetest.Column{
		{Name: "date", Kind: sourcetest.Date, Comment: "day of departure"}, {Name: "delay", Kind: sourcetest.Int}, {Name: "origin", Kind: sourcetest.Text},
		{Name: "fare", Kind: sourcetest.Decimal}, {Name: "left_at", Kind: sourcetest.Instant},
	}}
	for i := range 600 {
		at := time.Date(2001, 1, 1+i%90, i%24, i%60, 0, 123456000, time.UTC)
		var fare any = fmt.Sprintf("%d.%03d", 50+i%7*25, i%1000)
		if i%50 == 49 {
			fare = nil
		}
		flights.Rows = append(flights.Rows, []any{at.Truncate(24 * time.Hour), int64(i%90 - 20), []string{"SEA", "SFO", "JFK"}[i%3], fare, at})
	}
	airports := sourcetest.Table{
		Columns: []sourcetest.Column{{Name: "iata", Kind: sourcetest.Text, Required: true}, {Name: "city", Kind: sourcetest.Text}},
		Rows:    [][]any{{"SEA", "Seattle"}, {"SFO", "San Francisco"}, {"JFK", "New York"}},
	}
	return scriptTables{"flights": flights, "airports": airports}
}

// caps are those of every instance of the scripts.
const caps = "api:\n  scan: { max_limit: 500, max_result_bytes: 100000000 }\n"

func startLake(*testing.T) func(*testscript.Env, scriptTables) (string, error) { return fillLake }

func fillLake(env *testscript.Env, all scriptTables) (string, error) {
	db, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		return "", err
	}
	defer db.Close()
	conn, err := db.Conn()
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if err := os.Mkdir(filepath.Join(env.WorkDir, "data"), 0o700); err != nil {
		return "", err
	}
	for name, table := range all {
		file := filepath.Join(env.WorkDir, "data", name+".parquet")
		if err := conn.Exec(context.Background(), fmt.Sprintf("COPY (%s) TO %s", sourcetest.DuckDB(table), duckdb.Literal(file))); err != nil {
			return "", err
		}
	}
	return caps + `
sources:
  main: { type: lake, root: ./data }
tables:
  - { id: flights, source: main, path: flights.parquet, public: true }
  - { id: airports, source: main, path: airports.parquet }
`, nil
}

// startPostgres starts one cluster, in which each script has a database.
func startPostgres(t *testing.T) func(*testscript.Env, scriptTables) (string, error) {
	cluster := pgtest.New(t, pgtest.Options{})
	var databases atomic.Int64
	return func(env *testscript.Env, all scriptTables) (string, error) {
		name := fmt.Sprintf("script_%d", databases.Add(1))
		if out, err := cluster.Command("createdb", name).CombinedOutput(); err != nil {
			return "", fmt.Errorf("createdb: %w\n%s", err, out)
		}
		for id, table := range all {
			file := filepath.Join(env.WorkDir, id+".sql")
			if err := os.WriteFile(file, []byte(sourcetest.Postgres("public."+id, "", table)), 0o600); err != nil {
				return "", err
			}
			if out, err := cluster.Command("psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", name, "-f", file).CombinedOutput(); err != nil {
				return "", fmt.Errorf("psql: %w\n%s", err, out)
			}
			if err := os.Remove(file); err != nil {
				return "", err
			}
		}
		env.Setenv("MAIN_DSN", cluster.DSN("")+" dbname="+name)
		return caps + `
sources:
  main: { type: postgres, dsn_env: MAIN_DSN }
tables:
  - { id: flights, source: main, relation: public.flights, public: true }
  - { id: airports, source: main, relation: public.airports }
`, nil
	}
}
