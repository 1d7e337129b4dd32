package cli

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agnes-data/da/internal/testing/chtest"
	"github.com/agnes-data/da/internal/testing/sourcetest"
)

// startClickHouse starts one engine, in which each script has a database.
func startClickHouse(t *testing.T) func(*testscript.Env, scriptTables) (string, error) {
	engine := chtest.NewEngine(t)
	var databases atomic.Int64
	return func(env *testscript.Env, all scriptTables) (string, error) {
		name := fmt.Sprintf("script_%d", databases.Add(1))
		if err := engine.Exec("CREATE DATABASE " + name); err != nil {
			return "", err
		}
		for id, table := range all {
			if err := engine.Exec(sourcetest.ClickHouse(name+"."+id, table)...); err != nil {
				return "", err
			}
		}
		env.Setenv("MAIN_DSN", engine.DSN(name, ""))
		return caps + `
sources:
  main: { type: clickhouse, dsn_env: MAIN_DSN }
tables:
  - { id: flights, source: main, relation: flights, public: true }
  - { id: airports, source: main, relation: airports }
`, nil
	}
}
