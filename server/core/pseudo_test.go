package core

import (
	"fmt"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/bqtest"
)

// TestPseudoColumnsAreRights holds that columns which no list names exist for
// those who may see the whole width of a table, and for nobody else.
func TestPseudoColumnsAreRights(t *testing.T) {
	w := bqtest.Open(t)
	w.Load(t, "loads", bqtest.Table{Columns: []bqtest.Column{{Name: "n", Type: "INT64"}, {Name: "m", Type: "INT64"}}, PartitionBy: bqtest.PartitionTime},
		"SELECT range, -range, TIMESTAMPTZ '2026-01-01 00:00:00+00' + to_days(CAST(range AS INTEGER)) FROM range(6)")
	core := coreOf(t, t.TempDir(), fmt.Sprintf(`
sources:
  dwh: { type: bigquery, project: %s, dataset: %s, endpoint: %q, storage_endpoint: %q }
tables:
  - { id: loads, source: dwh, relation: loads }
`, bqtest.Project, bqtest.Dataset, w.URL, w.Storage))
	admin := core.As(LocalAdmin)
	for user, g := range map[string]api.NewGrant{
		"whole": {}, "later": {Rows: "_PARTITIONDATE >= '2026-01-04'"}, "wide": {Columns: []string{"n", "m"}}, "narrow": {Columns: []string{"n"}},
	} {
		if _, err := admin.CreateUser(t.Context(), api.NewUser{Name: user}); err != nil {
			t.Fatal(err)
		}
		g.User, g.TableID = user, "loads"
		if _, err := admin.CreateGrant(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	_, err := admin.CreateGrant(t.Context(), api.NewGrant{User: "whole", TableID: "loads", Columns: []string{"_PARTITIONTIME"}})
	if e, ok := err.(*api.Error); !ok || e.Kind != api.KindUnknownColumn {
		t.Errorf("a pseudo-column was granted: %v", err)
	}
	for user, want := range map[string]int64{"whole": 3, "later": 1, "wide": -1, "narrow": -1} {
		as := userOf(t, core, user)
		schema, err := as.Schema(t.Context(), "loads")
		if err != nil {
			t.Fatal(err)
		}
		if sees := want >= 0; sees != (len(schema.PseudoColumns) == 2) || sees != (len(schema.PartitionBy) == 1) {
			t.Errorf("%s is told of %+v, partitioned by %v", user, schema.PseudoColumns, schema.PartitionBy)
		}
		for _, req := range []api.ScanRequest{
			{TableID: "loads", Where: "_PARTITIONTIME BETWEEN TIMESTAMP '2026-01-02 00:00:00+00' AND TIMESTAMP '2026-01-04 00:00:00+00'"},
			{TableID: "loads", Select: []string{"n"}, Where: "_PARTITIONDATE BETWEEN '2026-01-02' AND '2026-01-04'", OrderBy: []string{"_PARTITIONDATE DESC"}},
		} {
			s, err := as.Scan(t.Context(), req)
			if want < 0 {
				if e, ok := err.(*api.Error); !ok || e.Kind != api.KindUnknownColumn {
					t.Errorf("%s filters by what is not theirs: %v", user, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", user, err)
			}
			if rows, err := drain(t, s); err != nil || rows != want {
				t.Errorf("%s gets %d rows, %v; want %d", user, rows, err, want)
			}
		}
	}
	// What a scan may not, a statement may not either.
	_, err = userOf(t, core, "wide").Query(t.Context(), api.QueryRequest{SQL: "SELECT n FROM loads WHERE EXISTS (SELECT 1 FROM loads AS l WHERE l._PARTITIONDATE IS NULL)"})
	if e, ok := err.(*api.Error); !ok || e.Kind != "part_of_table" {
		t.Errorf("a statement over part of the table: %v", err)
	}
}
