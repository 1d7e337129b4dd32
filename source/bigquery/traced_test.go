package bigquery

import (
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/testing/bqtest"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/source"
)

// TestATableThatChangesIsNotTraced: rows of two versions of a table belong to no
// listing of its partitions.
func TestATableThatChangesIsNotTraced(t *testing.T) {
	h := newHouse(t)
	h.load("events", "day DATE; n INT64", "SELECT DATE '2026-01-01' + CAST(range AS INTEGER), range FROM range(3)", func(d *bqtest.Table) {
		d.PartitionBy, d.Bytes = "day", 1<<30
	})
	scan := h.scan("events", []string{"n", "day"}, "n > 0")
	scan.Traced = true
	for _, changes := range []bool{false, true} {
		r, err := h.source.Scan(t.Context(), scan)
		if err != nil {
			t.Fatal(err)
		}
		if changes {
			h.server.Change(t, "events", "INSERT INTO %s VALUES ('2026-01-02', 9)")
		}
		filed := r.(source.TracedRows)
		if rows, err := enginetest.Rows(r); err != nil || len(rows) != 2 {
			t.Fatalf("%v, %v", rows, err)
		}
		if files := filed.Files(); (len(files) == 0) != changes {
			t.Errorf("changes: %v, files %+v", changes, files)
		}
	}
	listings := 0
	for _, j := range h.server.Jobs() {
		if !j.DryRun && len(j.Labels) > 0 && strings.Contains(j.SQL, "INFORMATION_SCHEMA") {
			listings++
		}
	}
	if listings != 1 {
		t.Errorf("the partitions of one version were listed %d times", listings)
	}
}
