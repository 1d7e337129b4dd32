package cli

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/internal/testing/trinotest"
)

// taped plays what was recorded with a real server, or, where DA_TRINO has the address
// of one, stands before that and records it anew. real is empty where it plays.
func taped(t *testing.T, path string) (address, real string) {
	real = os.Getenv("DA_TRINO")
	tape, handler := trinotest.Recorder(real)
	if real == "" {
		var err error
		if tape, err = trinotest.Open(path); err != nil {
			t.Fatal(err)
		}
		handler = tape.Player()
	}
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.Close()
		if real != "" && !t.Failed() {
			if err := tape.Save(path); err != nil {
				t.Error(err)
			}
		}
	})
	return server.Listener.Addr().String(), real
}

// startTrino gives each script a schema of its name.
func startTrino(t *testing.T) func(*testscript.Env, scriptTables) (string, error) {
	address, real := taped(t, "testdata/trino.json.gz")
	return func(env *testscript.Env, all scriptTables) (string, error) {
		schema := schemaOf(env)
		if real != "" {
			if err := trinotest.Exec(real, "DROP SCHEMA IF EXISTS memory."+schema+" CASCADE", "CREATE SCHEMA memory."+schema); err != nil {
				return "", err
			}
			for id, table := range all {
				if err := trinotest.Exec(real, sourcetest.Trino("memory."+schema+"."+id, table)...); err != nil {
					return "", err
				}
			}
		}
		env.Setenv("MAIN_DSN", "http://da@"+address+"/memory/"+schema)
		return caps + `
sources:
  main: { type: trino, dsn_env: MAIN_DSN }
tables:
  - { id: flights, source: main, relation: flights, public: true }
  - { id: airports, source: main, relation: airports }
`, nil
	}
}

func schemaOf(env *testscript.Env) string {
	return strings.ReplaceAll(filepath.Base(env.WorkDir), "-", "_")
}

// byTrino has the tables that startIceberg writes read by a Trino, whose catalog names
// them in a schema for each script.
func byTrino(t *testing.T) func(*testscript.Env, scriptTables) (string, error) {
	address, real := taped(t, "testdata/iceberg+trino.json.gz")
	fill := startIceberg(t)
	return func(env *testscript.Env, all scriptTables) (string, error) {
		instance, err := fill(env, all)
		if err != nil {
			return "", err
		}
		schema := schemaOf(env)
		if real != "" {
			statements := []string{"CREATE SCHEMA ice." + schema}
			for id := range all {
				statements = append(statements, fmt.Sprintf("CALL ice.system.register_table('%s', '%s', 'file://%s')", schema, id, filepath.Join(env.WorkDir, "data", id)))
			}
			if err := trinotest.Exec(real, statements...); err != nil {
				return "", err
			}
		}
		return strings.Replace(instance, "root: ./data }", "root: ./data, engine: trino, engine_catalog: ice."+schema+" }\n  trino: { type: trino, dsn: \"http://da@"+address+"\" }", 1), nil
	}
}
