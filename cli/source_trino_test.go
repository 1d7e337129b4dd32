package cli

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/internal/testing/trinotest"
)

// startTrino plays what was recorded with a real server, or, where DA_TRINO has the
// address of one, records it anew. Each script has a schema of its name.
func startTrino(t *testing.T) func(*testscript.Env, scriptTables) (string, error) {
	const path = "testdata/trino.json.gz"
	real := os.Getenv("DA_TRINO")
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
	return func(env *testscript.Env, all scriptTables) (string, error) {
		schema := strings.ReplaceAll(filepath.Base(env.WorkDir), "-", "_")
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
		env.Setenv("MAIN_DSN", "http://da@"+server.Listener.Addr().String()+"/memory/"+schema)
		return caps + `
sources:
  main: { type: trino, dsn_env: MAIN_DSN }
tables:
  - { id: flights, source: main, relation: flights, public: true }
  - { id: airports, source: main, relation: airports }
`, nil
	}
}
