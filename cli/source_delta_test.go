package cli

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/opentables"
)

// startDelta writes each table with a log of its own.
func startDelta(t *testing.T) func(*testscript.Env, scriptTables) (string, error) {
	return func(env *testscript.Env, all scriptTables) (string, error) {
		for name, table := range all {
			if err := opentables.WriteDelta(t.Context(), enginetest.Writer(t), filepath.Join(env.WorkDir, "data", name), table); err != nil {
				return "", err
			}
		}
		return caps + `
sources:
  main: { type: delta, root: ./data }
tables:
  - { id: flights, source: main, path: flights, public: true }
  - { id: airports, source: main, path: airports }
`, nil
	}
}
