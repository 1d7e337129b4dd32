package iceberg

import (
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/opentables"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/listed"
)

// TestAnswersFromABucket asks what Spark was asked of tables in a bucket that a catalog
// names, and of some that lie there as they are.
func TestAnswersFromABucket(t *testing.T) {
	dir := opentables.Unpack(t, "iceberg")
	o := listed.Options{Bucket: opentables.Upload(t, dir), CacheDir: t.TempDir(), TempDir: t.TempDir()}
	rest := opentables.NewREST(t, dir)
	rest.At = "s3a://tables/lake"
	src, err := OpenCatalog(Catalog{URI: rest.URL, Warehouse: "tests", Client: opentables.RESTClient, Secret: opentables.RESTSecret}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = src.Close() })
	opentables.Ask(t, opentables.Some, src, "iceberg", "a.b.")
	folder, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() })
	if err := folder.Probe(t.Context()); err != nil {
		t.Error(err)
	}
	for _, table := range opentables.Tables(t, "iceberg") {
		rel := source.Relation{Name: table.Table}
		there, err := folder.Version(t.Context(), rel)
		named, other := src.Version(t.Context(), source.Relation{Name: "a.b." + table.Table})
		if err != nil || other != nil || there != named {
			t.Errorf("%s: %q, %v, and by its catalog %q, %v", table.Table, there, err, named, other)
		}
	}
	if _, err := folder.Version(t.Context(), source.Relation{Name: "nothing"}); !api.CodeSource.Is(err) {
		t.Errorf("a table that is not there: %v", err)
	}
}
