package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/enginetest"
)

// recast are the columns of the types table that a snapshot holds as another
// type, because parquet written by DuckDB cannot hold theirs.
var recast = map[string]string{"gap": "VARCHAR"}

// TestSnapshotEqualsSource fetches a table of every type that a source file can
// hold and compares the snapshot with the file itself, value by value and type
// by type, in process and over HTTP, with rows and without.
func TestSnapshotEqualsSource(t *testing.T) {
	t.Parallel()
	embedded := newPlace(t)
	for _, from := range []struct {
		name  string
		place *place
	}{{"embedded", embedded}, {"http", embedded.served()}} {
		for _, table := range []string{"types", "empty"} {
			name := from.name + "_" + table
			from.place.ok("fetch", table, "--as", name)
			compare(t, filepath.Join(embedded.dir, "data", table+".parquet"), filepath.Join(embedded.dir, "home/snapshots", name+".parquet"))
		}
	}
}

// compare wants two parquet files to hold the same rows and types.
func compare(t *testing.T, source, snapshot string) {
	t.Helper()
	conn := enginetest.Conn(t)
	ctx := context.Background()
	for view, file := range map[string]string{"source": source, "snapshot": snapshot} {
		if err := conn.Exec(ctx, fmt.Sprintf("CREATE VIEW %s AS SELECT * FROM read_parquet(%s)", view, duckdb.Literal(file))); err != nil {
			t.Fatal(err)
		}
	}
	want, err := conn.Describe(ctx, "SELECT * FROM source")
	if err != nil {
		t.Fatal(err)
	}
	got, err := conn.Describe(ctx, "SELECT * FROM snapshot")
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) || len(got) < 25 {
		t.Fatalf("%d columns, the source has %d", len(got), len(want))
	}
	for i, w := range want {
		typ := w.Type
		if r, ok := recast[w.Name]; ok {
			typ = r
		}
		if got[i].Name != w.Name || got[i].Type != typ {
			t.Errorf("column %s %s, want %s %s", got[i].Name, got[i].Type, w.Name, typ)
		}
		column := duckdb.Quote(w.Name)
		rows := func(view string) string {
			return fmt.Sprintf("SELECT id, CAST(%s AS %s) AS v, CAST(%s AS VARCHAR) AS t FROM %s", column, typ, column, view)
		}
		var differ int64
		err := conn.QueryRow(ctx, fmt.Sprintf("SELECT count(*) FROM ((%[1]s EXCEPT ALL %[2]s) UNION ALL (%[2]s EXCEPT ALL %[1]s))",
			rows("source"), rows("snapshot")), nil, &differ)
		if err != nil {
			t.Fatalf("%s: %v", w.Name, err)
		}
		if differ != 0 {
			t.Errorf("column %s: %d rows differ", w.Name, differ)
		}
	}
}
