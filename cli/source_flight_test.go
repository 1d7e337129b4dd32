package cli

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/source/flightsql/flighttest"
	"github.com/agnes-data/da/source/sourcetest"
)

// startFlight starts one engine, in which each script has a schema.
func startFlight(t *testing.T) func(*testscript.Env, tables) (string, error) {
	server := flighttest.New(t, flighttest.Options{User: "reader", Password: "right"})
	var schemas atomic.Int64
	return func(env *testscript.Env, all tables) (string, error) {
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
