package cli

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/flighttest"
	"github.com/agnes-data/da/internal/testing/pgtest"
	"github.com/agnes-data/da/internal/testing/sourcetest"
)

// startFlight starts one engine, in which each script has a schema.
func startFlight(t *testing.T) func(*testscript.Env, scriptTables) (string, error) {
	server := flighttest.New(t, flighttest.Options{User: "reader", Password: "right"})
	var schemas atomic.Int64
	return func(env *testscript.Env, all scriptTables) (string, error) {
		schema := fmt.Sprintf("script_%d", schemas.Add(1))
		if err := server.Exec(t.Context(), "CREATE SCHEMA "+schema); err != nil {
			return "", err
		}
		for id, table := range all {
			if err := server.Exec(t.Context(), "CREATE TABLE "+schema+"."+id+" AS "+sourcetest.DuckDB(table)); err != nil {
				return "", err
			}
			for _, c := range table.Columns {
				comment := fmt.Sprintf("COMMENT ON COLUMN %s.%s.%s IS %s", schema, id, duckdb.Quote(c.Name), duckdb.Literal(c.Comment))
				if err := server.Exec(t.Context(), comment); err != nil {
					return "", err
				}
			}
		}
		env.Setenv("MAIN_PASSWORD", "right")
		return caps + fmt.Sprintf(`
sources:
  main: { type: flightsql, uri: "%s", user: reader, password_env: MAIN_PASSWORD }
tables:
  - { id: flights, source: main, relation: %[2]s.flights, public: true }
  - { id: airports, source: main, relation: %[2]s.airports }
`, server.URI(), schema), nil
	}
}

// startFlightPostgres starts one cluster, and for each script an engine over a
// database in it.
func startFlightPostgres(t *testing.T) func(*testscript.Env, scriptTables) (string, error) {
	cluster := pgtest.New(t, pgtest.Options{})
	admin := flighttest.NewPostgres(t, cluster.DSN(""), flighttest.Options{})
	var databases atomic.Int64
	return func(env *testscript.Env, all scriptTables) (string, error) {
		name := fmt.Sprintf("script_%d", databases.Add(1))
		if err := admin.Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
			return "", err
		}
		server := flighttest.NewPostgres(t, strings.Replace(cluster.DSN(""), "dbname=postgres", "dbname="+name, 1), flighttest.Options{})
		for id, table := range all {
			if err := server.Exec(t.Context(), sourcetest.Postgres("public."+id, "", table)); err != nil {
				return "", err
			}
		}
		return caps + fmt.Sprintf(`
sources:
  main: { type: flightsql, uri: "%s", dialect: postgres }
tables:
  - { id: flights, source: main, relation: public.flights, public: true }
  - { id: airports, source: main, relation: %s.public.airports }
`, server.URI(), name), nil
	}
}
