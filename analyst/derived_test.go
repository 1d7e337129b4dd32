package analyst_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/snapshot"
)

// TestAFailedBuildLeavesTheEngineUsable: the engine that has read rows back also
// writes the database for other tools, and must not keep half of it.
func TestAFailedBuildLeavesTheEngineUsable(t *testing.T) {
	file, _, _ := sent(t, sentSQL)
	a, res, err := fetchSent(t, file)
	if err != nil || len(res.Caveats) > 0 {
		t.Fatalf("%+v, %v", res, err)
	}
	var rows int64
	built := enginetest.Conn(t)
	if err := built.Exec(t.Context(), "ATTACH "+duckdb.Literal(keep.DerivedFile(a))+" AS d (READ_ONLY)"); err != nil {
		t.Fatal(err)
	}
	if err := built.QueryRow(t.Context(), "SELECT count(*) FROM d.t", nil, &rows); err != nil || rows != res.Snapshot.Rows {
		t.Errorf("%d rows, %v", rows, err)
	}

	engine := a.LazyEngine()
	defer engine.Close()
	rebuild := keep.RebuildWith(a, engine)
	if err := os.WriteFile(filepath.Join(a.Store.Dir(), "damaged.parquet"), []byte("no parquet"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := rebuild([]snapshot.Meta{res.Snapshot, {Name: "damaged"}}); err == nil {
		t.Fatal("a view of a damaged file was made")
	}
	if err := rebuild([]snapshot.Meta{res.Snapshot}); err != nil {
		t.Errorf("the next build: %v", err)
	}
}

// TestTheEngineThatWroteAFileWritesTheDerivedDatabase: a fetch that a snapshot
// answers has its engine build the views.
func TestTheEngineThatWroteAFileWritesTheDerivedDatabase(t *testing.T) {
	a, _, _ := served(t)
	for name, where := range map[string]string{"held": "", "cut": "id < 20"} {
		got, err := fetch.Run(t.Context(), a, fetch.Request{Scan: api.ScanRequest{TableID: "t", Where: where}, Name: name})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Caveats) > 0 {
			t.Error(got.Caveats)
		}
	}
	if got, err := fetch.Run(t.Context(), a, fetch.Request{Scan: api.ScanRequest{TableID: "t", Where: "id < 10"}, Name: "less"}); err != nil || got.Snapshot.From == nil {
		t.Fatalf("%+v, %v", got, err)
	}
	if got := derivedViews(t, a); got != "cut 20, held 200, less 10" {
		t.Error(got)
	}
}

// derivedViews are the views of the derived database with their rows.
func derivedViews(t *testing.T, a *analyst.Analyst) (all string) {
	t.Helper()
	if info, err := os.Stat(keep.DerivedFile(a)); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatal(info, err)
	}
	conn := enginetest.Conn(t)
	if err := conn.Exec(t.Context(), "ATTACH "+duckdb.Literal(keep.DerivedFile(a))+" AS d (READ_ONLY)"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cut", "held", "less", "t"} {
		var n int64
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM d."+duckdb.Quote(name), nil, &n); err == nil {
			all += fmt.Sprintf(", %s %d", name, n)
		}
	}
	if all == "" {
		return ""
	}
	return all[2:]
}
