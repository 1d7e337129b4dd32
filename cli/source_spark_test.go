package cli

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/internal/testing/sparktest"
)

// startSpark starts a Sail for each script, which is there at once.
func startSpark(t *testing.T) func(*testscript.Env, scriptTables) (string, error) {
	sparktest.NeedSail(t)
	return func(_ *testscript.Env, all scriptTables) (string, error) {
		server := sparktest.Sail(t)
		return caps + `
sources:
  main: { type: spark, uri: "` + server.URI() + `" }
tables:
  - { id: flights, source: main, relation: flights, public: true }
  - { id: airports, source: main, relation: airports }
`, filled(t, server, all)
	}
}

// filled makes the tables in a Sail.
func filled(t *testing.T, server *sparktest.Server, all scriptTables) error {
	for id, table := range all {
		for _, sql := range sourcetest.Spark(id, table) {
			if err := server.Exec(t.Context(), sql); err != nil {
				return err
			}
		}
	}
	return nil
}

// by has the tables of another source read by a Sail.
func by(start func(*testing.T) func(*testscript.Env, scriptTables) (string, error)) func(*testing.T) func(*testscript.Env, scriptTables) (string, error) {
	return func(t *testing.T) func(*testscript.Env, scriptTables) (string, error) {
		sparktest.NeedSail(t)
		fill := start(t)
		return func(env *testscript.Env, all scriptTables) (string, error) {
			instance, err := fill(env, all)
			return strings.Replace(instance, "root: ./data }", "root: ./data, engine: sail }\n  sail: { type: spark, uri: \""+sparktest.Sail(t).URI()+"\" }", 1), err
		}
	}
}
