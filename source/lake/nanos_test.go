package lake

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// TestCutNanoseconds: the engine reads microseconds of some columns that hold
// nanoseconds. Whoever reads such a column is told, and nobody else.
func TestCutNanoseconds(t *testing.T) {
	kept := t.TempDir()
	f := openFolder(t, t.TempDir(), Options{KeptDir: kept})
	for name, column := range map[string]string{"int96_nanoseconds.parquet": "ts", "timestamp_ns_utc_before_1970.parquet": "t"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		f.write(t, name, string(data))
		said := func(r array.RecordReader, err error) string {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Release()
			var out []string
			for _, c := range api.SchemaCaveats(r.Schema()) {
				out = append(out, string(c.Kind)+" "+strings.Join(c.About.Columns, ","))
			}
			return strings.Join(out, "; ")
		}
		want := "narrowed " + column
		ruled := source.Relation{Name: name, Columns: []string{column}}
		for _, f := range []*folder{f, f.laterOn(t, kept)} {
			for _, rel := range []source.Relation{{Name: name}, ruled} {
				if got := said(f.lake.Scan(t.Context(), source.Scan{Relation: rel, Select: []string{column}})); got != want {
					t.Errorf("%s: a scan says %q", name, got)
				}
				if got := said(f.lake.Query(t.Context(), "SELECT max("+column+") FROM x", map[string]source.Relation{"x": rel})); got != want {
					t.Errorf("%s: a statement says %q", name, got)
				}
				if got := said(f.lake.Query(t.Context(), "SELECT count(*) FROM x", map[string]source.Relation{"x": rel})); got != "" {
					t.Errorf("%s: a statement over no column says %q", name, got)
				}
			}
		}
	}
	f.copy(t, "plain.parquet", "SELECT '2024-01-01 00:00:00.123456789'::TIMESTAMP_NS AS t, now() AS z, [localtime] AS l")
	data, err := os.ReadFile(filepath.Join("testdata", "time_ns.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	f.write(t, "time_ns.parquet", string(data))
	for name, columns := range map[string][]string{"plain.parquet": {"t", "z", "l"}, "time_ns.parquet": {"t"}} {
		r, err := f.lake.Scan(t.Context(), f.scan(t, name, "", columns...))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		if c := api.SchemaCaveats(r.Schema()); slices.ContainsFunc(c, func(c api.Caveat) bool { return strings.Contains(c.Text, "nanoseconds") }) {
			t.Errorf("columns of %s that are read whole: %v", name, c)
		}
	}
}

// TestFarInt96: Spark's day of the last row overflows, so the engine reads another year.
// The file is of Apache's parquet-testing.
func TestFarInt96(t *testing.T) {
	f := newFolder(t)
	const name = "int96_from_spark.parquet"
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	f.write(t, name, string(data))
	got := f.rows(t, f.scan(t, name, "", "a"))
	want := []string{"2024-01-01T20:34:56.123456", "2024-01-01T01:00:00", "9999-12-31T03:00:00", "2024-12-30T23:00:00", "(null)"}
	if len(got) != 6 || !slices.Equal(got[:5], want) {
		t.Errorf("%q", got)
	}
	r, err := f.lake.Scan(t.Context(), f.scan(t, name, "", "a"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if c := api.SchemaCaveats(r.Schema()); len(c) != 1 || c[0].Kind != api.CaveatNarrowed || !strings.Contains(c[0].Text, "beyond the year 287000 is another time") {
		t.Errorf("%v", c)
	}
}
