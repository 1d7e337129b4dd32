package delta

import (
	"os"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/internal/testing/opentables"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/listed"
)

func TestMain(m *testing.M) {
	if worker.Called(os.Args[1:]) {
		_ = worker.Main(os.Stdin, os.Stdout) // it reports what fails
		return
	}
	os.Exit(m.Run()) //nolint:forbidigo // this is main here
}

// open opens a source over a folder.
func open(t *testing.T, root string) *listed.Source {
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
	opentables.Ask(t, opentables.Each, open(t, opentables.Unpack(t, "delta")), "delta", "")
}

// TestCollationsAreTold reads texts that Spark compares by other rules.
func TestCollationsAreTold(t *testing.T) {
	l := logOf{t, t.TempDir()}
	schema := strings.Replace(oneColumn, `"long","nullable":true,"metadata":{}`, `"string","metadata":{"__COLLATIONS":{"n":"spark.UTF8_LCASE"}}`, 1)
	l.commit("t", 0, append(head(schema, nil), l.add("t", "a.parquet", "SELECT 'Ab' AS n", nil))...)
	got, err := open(t, l.root).Schema(t.Context(), source.Relation{Name: "t"})
	if err != nil || len(got.Caveats) != 1 || !strings.Contains(got.Caveats[0].Text, "collation") {
		t.Errorf("%v, %v", got, err)
	}
}

// scanOf is a scan of all columns.
func scanOf(t *testing.T, src source.Source, name, where string) source.Scan {
	t.Helper()
	scan := source.Scan{Relation: source.Relation{Name: name}}
	schema, err := src.Schema(t.Context(), scan.Relation)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range schema.Columns {
		scan.Select = append(scan.Select, c.Name)
	}
	typed, err := predicate.NewSchema(src.Dialect(), schema.Columns)
	if err == nil && where != "" {
		scan.Where, err = predicate.Parse(src.Dialect(), where, typed)
	}
	if err != nil {
		t.Fatal(err)
	}
	return scan
}
