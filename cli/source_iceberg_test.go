package cli

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/opentables"
)

// startIceberg writes each table with metadata of its own.
func startIceberg(t *testing.T) func(*testscript.Env, scriptTables) (string, error) {
	return func(env *testscript.Env, all scriptTables) (string, error) {
		for name, table := range all {
			if err := opentables.WriteIceberg(t.Context(), enginetest.Writer(t), filepath.Join(env.WorkDir, "data", name), table, ""); err != nil {
				return "", err
			}
		}
		return caps + `
sources:
  main: { type: iceberg, root: ./data }
tables:
  - { id: flights, source: main, path: flights, public: true }
  - { id: airports, source: main, path: airports }
`, nil
	}
}
