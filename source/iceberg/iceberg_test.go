package iceberg

import (
	"os"
	"testing"

	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/internal/testing/opentables"
	"github.com/agnes-data/da/source/listed"
)

// TestMain makes the test binary what runs statements.
func TestMain(m *testing.M) {
	if worker.Called(os.Args[1:]) {
		_ = worker.Main(os.Stdin, os.Stdout) // it reports what fails
		return
	}
	os.Exit(m.Run()) //nolint:forbidigo // this is main here
}

// open opens a source over a folder.
func open(t testing.TB, root string) *listed.Source {
	t.Helper()
	src, err := Open(listed.Options{Root: root, TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	})
	return src
}

// TestAnswersOfSpark asks what Spark was asked.
func TestAnswersOfSpark(t *testing.T) {
	opentables.Ask(t, opentables.Each, open(t, opentables.Unpack(t, "iceberg")), "iceberg", "")
}
