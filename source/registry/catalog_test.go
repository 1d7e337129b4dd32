package registry

import (
	"fmt"
	"testing"

	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/testing/opentables"
	"github.com/agnes-data/da/source"
)

// TestACatalogOfAnInstance reads a table that a catalog names, as an instance file says.
func TestACatalogOfAnInstance(t *testing.T) {
	dir := opentables.Unpack(t, "iceberg")
	rest := opentables.NewREST(t, dir)
	text := fmt.Sprintf("sources:\n  house: { type: iceberg, root: %q, uri: %q, warehouse: tests, client_id: %s, client_secret_env: DA_TEST_CATALOG }\ntables:\n  - { id: plain, source: house, path: a.b.plain }\n",
		dir, rest.URL, opentables.RESTClient)
	inst, err := config.ParseInstance(t.TempDir()+"/instance.yaml", []byte(text), Types())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(inst, With{TempDir: t.TempDir()}); err == nil {
		t.Error("it opens without its secret")
	}
	t.Setenv("DA_TEST_CATALOG", opentables.RESTSecret)
	sources, err := Open(inst, With{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	src := sources["house"]
	t.Cleanup(func() { _ = src.Close() })
	schema, err := src.Schema(t.Context(), source.Relation{Name: inst.Tables[0].Relation})
	if err != nil || len(schema.Columns) == 0 || schema.RowCount == nil {
		t.Errorf("%+v, %v", schema, err)
	}
}
