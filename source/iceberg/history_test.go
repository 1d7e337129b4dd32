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

// oneFile writes a table t of one file, whose columns have the ids, and returns the
// folder that it is in.
func oneFile(t *testing.T, sql, ids string, fields ...object) string {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "t")
	file := filepath.Join(dir, "data", "a.parquet")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := enginetest.Writer(t).Exec(t.Context(), "COPY ("+sql+") TO '"+file+"' (FORMAT parquet, FIELD_IDS {"+ids+"})"); err != nil {
		t.Fatal(err)
	}
	if err := opentables.WriteIcebergSnapshot(dir, fields, nil, [][]opentables.IcebergFile{{{Path: "data/a.parquet", Rows: 1, Size: sizeOf(t, file), Day: -1}}}); err != nil {
		t.Fatal(err)
	}
	return root
}

// TestDefaultsInside holds that fields that a file lacks inside of a column have their
// defaults, where what is around them is not NULL, and that an unknown column is NULL.
func TestDefaultsInside(t *testing.T) {
	inner := func(x, y int) object {
		return object{"type": "struct", "fields": []object{{"id": x, "name": "x", "required": false, "type": "int"}, {"id": y, "name": "y", "required": false, "type": "string", "initial-default": "it's"}}}
	}
	root := oneFile(t, "SELECT {'x': 1} AS s, [{'x': 2}, NULL] AS l, NULL::STRUCT(x INTEGER) AS none", "s: {__duckdb_field_id: 1, x: 2}, l: {__duckdb_field_id: 4, element: {__duckdb_field_id: 5, x: 6}}, none: {__duckdb_field_id: 8, x: 9}",
		object{"id": 1, "name": "s", "required": false, "type": inner(2, 3)},
		object{"id": 4, "name": "l", "required": false, "type": object{"type": "list", "element-id": 5, "element-required": false, "element": inner(6, 7)}},
		object{"id": 8, "name": "none", "required": false, "type": inner(9, 10)}, object{"id": 11, "name": "later", "required": false, "type": "unknown"})
	got, err := enginetest.Text(open(t, root).Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "t"}, Select: []string{"s", "l", "none", "later"}}))
	if want := `{"x":1,"y":"it's"}|[{"x":2,"y":"it's"},null]|(null)|(null)`; err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

// TestNamesThatFilesSpellOtherwise has a field whose name a writer must change: files may have no spaces in names.
func TestNamesThatFilesSpellOtherwise(t *testing.T) {
	root := oneFile(t, "SELECT {'a': 1, 'b_x20c': 'x'} AS s, [{'_1': 2}] AS l",
		"s: {__duckdb_field_id: 1, a: 2, b_x20c: 3}, l: {__duckdb_field_id: 4, element: {__duckdb_field_id: 5, _1: 6}}",
		object{"id": 1, "name": "s", "required": false, "type": object{"type": "struct", "fields": []object{
			{"id": 2, "name": "a", "required": false, "type": "int"}, {"id": 3, "name": "b c", "required": false, "type": "string"}}}},
		object{"id": 4, "name": "l", "required": false, "type": object{"type": "list", "element-id": 5, "element-required": false, "element": object{
			"type": "struct", "fields": []object{{"id": 6, "name": "1", "required": false, "type": "int"}}}}})
	got, err := enginetest.Text(open(t, root).Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "t"}, Select: []string{"s", "l"}}))
	if want := `{"a":1,"b c":"x"}|[{"1":2}]`; err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

// TestNamesThatDifferInCase holds that each of two columns has its own values.
func TestNamesThatDifferInCase(t *testing.T) {
	root := oneFile(t, "SELECT 1 AS a, 'one' AS b", "a: 1, b: 2", object{"id": 1, "name": "user_id", "required": false, "type": "int"},
		object{"id": 2, "name": "uSeR_Id", "required": false, "type": "string"})
	src := open(t, root)
	got, err := enginetest.Text(src.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "t"}, Select: []string{"user_id", "uSeR_Id_1"}}))
	if err != nil || got != "1|one" {
		t.Errorf("%s, %v", got, err)
	}
	_, err = src.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "t", Columns: []string{"uSeR_Id_1"}}, Select: []string{"uSeR_Id"}})
	if err == nil {
		t.Error("a hidden column is read by its name in other letters")
	}
	for i, columns := range [][]string{nil, {"user_id"}, {"user_id", "uSeR_Id_1"}} {
		sc, err := src.Schema(t.Context(), source.Relation{Name: "t", Columns: columns})
		if err != nil || len(sc.Caveats) != []int{1, 0, 1}[i] { // a hidden column is not told
			t.Errorf("who sees %q is told %v, %v", columns, sc, err)
		}
	}
}

// TestRelativeLocations finds files that are named without the ./ of their table's location.
func TestRelativeLocations(t *testing.T) {
	m := &metadata{dir: "moved", Location: "./old"}
	for _, file := range []string{"old/data/a.parquet", "./old/data/a.parquet"} {
		if got, err := m.pathBelow(nil, file); err != nil || got != "moved/data/a.parquet" {
			t.Errorf("%s: %s, %v", file, got, err)
		}
	}
}

// TestPromotedDates holds that conditions about moments are about moments, where a file
// has the dates that the column had before.
func TestPromotedDates(t *testing.T) {
	root := oneFile(t, "SELECT DATE '2026-01-01' AS d", "d: 1", object{"id": 1, "name": "d", "required": false, "type": "timestamp"})
	meta := filepath.Join(root, "t", "metadata", "v1.metadata.json")
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
