package lake

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestSharedHeader: the first line that all files have is their header.
func TestSharedHeader(t *testing.T) {
	f := newFolder(t)
	for _, name := range []string{"a.csv", "b.csv", "c.csv", "d.csv"} {
		data, err := os.ReadFile(filepath.Join("testdata", "glob_values_equal_names", name))
		if err != nil {
			t.Fatal(err)
		}
		f.write(t, name, string(data))
	}
	scan := f.scan(t, "*.csv", "", "foo", "bar", "baz")
	got := f.rows(t, scan)
	slices.Sort(got)
	if len(got) != 2 || !strings.Contains(got[0]+got[1], "2025-05-12") {
		t.Errorf("%q", got)
	}
	r, err := f.lake.Scan(t.Context(), scan)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if said := strings.Join(api.Texts(api.SchemaCaveats(r.Schema())), "; "); !strings.Contains(said, "may be data; set no_header of the table") {
		t.Error(said)
	}
}
