package analyst

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/internal/enginetest"
	"github.com/agnes-data/da/snapshot"
)

// TestAFailedBuildLeavesTheEngineUsable: the engine that has read rows back also
// writes the database for other tools, and must not keep a half of one.
func TestAFailedBuildLeavesTheEngineUsable(t *testing.T) {
	file, _, _ := sent(t, sentSQL)
	a, res, err := fetchSent(t, file)
	if err != nil || len(res.Warnings) > 0 {
		t.Fatalf("%+v, %v", res, err)
	}
	var rows int64
	built := enginetest.Conn(t)
	if err := built.Exec(t.Context(), "ATTACH "+duckdb.Literal(a.DerivedFile())+" AS d (READ_ONLY)"); err != nil {
		t.Fatal(err)
	}
	if err := built.QueryRow(t.Context(), "SELECT count(*) FROM d.t", nil, &rows); err != nil || rows != res.Snapshot.Rows {
		t.Errorf("%d rows, %v", rows, err)
	}

	conn := enginetest.Conn(t)
	if err := os.WriteFile(filepath.Join(a.Store.Dir(), "damaged.parquet"), []byte("no parquet"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := a.rebuildBy(conn, []snapshot.Meta{res.Snapshot, {Name: "damaged"}}); err == nil {
		t.Fatal("a view of a damaged file was made")
	}
	if err := a.rebuildBy(conn, []snapshot.Meta{res.Snapshot}); err != nil {
		t.Errorf("the next build: %v", err)
	}
}
