package iceberg

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/opentables"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// TestPromotedDates holds that conditions about moments are about moments, where a file
// has the dates that the column had before.
func TestPromotedDates(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "t")
	file := filepath.Join(dir, "data", "a.parquet")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := enginetest.Writer(t).Exec(t.Context(), "COPY (SELECT DATE '2026-01-01' AS d) TO '"+file+"' (FORMAT parquet, FIELD_IDS {d: 1})"); err != nil {
		t.Fatal(err)
	}
	fields := []object{{"id": 1, "name": "d", "required": false, "type": "timestamp"}}
	if err := opentables.WriteIcebergSnapshot(dir, fields, nil, [][]opentables.IcebergFile{{{Path: "data/a.parquet", Rows: 1, Size: sizeOf(t, file), Day: -1}}}); err != nil {
		t.Fatal(err)
	}
	meta := filepath.Join(dir, "metadata", "v1.metadata.json")
	text, err := os.ReadFile(meta)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), `"schemas":[`, `"schemas":[{"type":"struct","schema-id":7,"fields":[{"id":1,"name":"d","required":false,"type":"date"}]},`, 1)
	if err := os.WriteFile(meta, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	src := open(t, root)
	rel := source.Relation{Name: "t"}
	schema, err := src.Schema(t.Context(), rel)
	if err != nil {
		t.Fatal(err)
	}
	typed, err := predicate.NewSchema(src.Dialect(), schema.Columns)
	if err != nil {
		t.Fatal(err)
	}
	for where, want := range map[string]string{"d = TIMESTAMP '2026-01-01 10:00:00'": "", "d < TIMESTAMP '2026-01-01 10:00:00'": "2026-01-01T00:00:00"} {
		scan := source.Scan{Relation: rel, Select: []string{"d"}}
		if scan.Where, err = predicate.Parse(src.Dialect(), where, typed); err != nil {
			t.Fatal(err)
		}
		if got, err := enginetest.Text(src.Scan(t.Context(), scan)); err != nil || got != want {
			t.Errorf("%s: %q, %v", where, got, err)
		}
	}
}
