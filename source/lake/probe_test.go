package lake

import (
	"os"
	"testing"

	"github.com/agnes-data/da/api"
)

func TestProbe(t *testing.T) {
	f := newFolder(t)
	if err := f.lake.Probe(t.Context()); err != nil { // empty as it is
		t.Error(err)
	}
	if err := os.RemoveAll(f.dir); err != nil {
		t.Fatal(err)
	}
	if err := f.lake.Probe(t.Context()); !api.CodeSource.Is(err) {
		t.Errorf("a root that is gone: %v", err)
	}
}
