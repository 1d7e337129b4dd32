// Package instancetest opens instances for tests of the core and of the doors. It
// does not create a core itself, so that tests inside package core can use it.
package instancetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/internal/testing/pgtest"
	"github.com/agnes-data/da/server/state"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/registry"
)

// Main is the TestMain of packages whose tests run statements, because the test
// binary also serves as the worker process.
func Main(m *testing.M) {
	if worker.Called(os.Args[1:]) {
		_ = worker.Main(os.Stdin, os.Stdout) // it reports its own errors
		return
	}
	pgtest.Main(m)
}

// Open parses an instance as if its file were in dir, and opens its sources and
// its state. The caller closes both.
func Open(t testing.TB, dir, instance string) (*config.Instance, map[string]source.Source, *state.Store) {
	t.Helper()
	inst, err := config.ParseInstance(filepath.Join(dir, "instance.yaml"), []byte(instance), registry.Types())
	if err != nil {
		t.Fatal(err)
	}
	sources, err := registry.Open(inst, registry.With{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	store, err := state.Open(inst.Server.StateDir)
	if err != nil {
		t.Fatal(err)
	}
	return inst, sources, store
}
