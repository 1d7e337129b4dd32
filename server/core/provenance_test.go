package core

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
)

// provenance scans and returns what the rows say they are of. It fails if an
// estimate of the same request says something else.
func provenance(t *testing.T, s *Session, req api.ScanRequest) api.Provenance {
	t.Helper()
	stream, err := s.Scan(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	p := api.ProvenanceOf(stream.Batches.Schema())
	if _, err := drain(t, stream); err != nil {
		t.Fatal(err)
	}
	est, err := s.Estimate(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	if p == nil {
		if est.Rights != "" {
			t.Error("the estimate knows rights that the rows lack")
		}
		return api.Provenance{}
	}
	if est.Version != p.Version || est.Rights != p.Rights {
		t.Errorf("%+v: the estimate says %s %s, the rows %s %s", req, est.Version, est.Rights, p.Version, p.Rights)
	}
	return *p
}

func TestProvenance(t *testing.T) {
	core, dir := testCore(t, "{}")
	as := core.As(LocalAdmin)
	all := provenance(t, as, api.ScanRequest{TableID: "numbers"})
	part := provenance(t, as, api.ScanRequest{TableID: "numbers", Select: []string{"pad"}, Where: "10 < N and pad LIKE 'x%'"})
	if all.Version == "" || all.Version != part.Version || all.Rights != part.Rights {
		t.Errorf("one table at one time has %+v and %+v", all, part)
	}
	want := []api.Column{{Name: "pad", Type: "VARCHAR", Nullable: true}, {Name: "n", Type: "BIGINT", Nullable: true}}
	if part.Dialect != "duckdb" || part.Where == "" || !reflect.DeepEqual(part.Columns, want) {
		t.Errorf("%+v", part)
	}
	if other := provenance(t, as, api.ScanRequest{TableID: "words"}); other.Version == all.Version || other.Rights == all.Rights {
		t.Error("two tables are alike")
	}
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(filepath.Join(dir, "data/numbers.parquet"), later, later); err != nil {
		t.Fatal(err)
	}
	if now := provenance(t, as, api.ScanRequest{TableID: "numbers"}); now.Version == all.Version || now.Rights != all.Rights {
		t.Errorf("after a change: %+v, before: %+v", now, all)
	}
	for name := range core.places { // as if the instance file named another database
		core.places[name] += " elsewhere"
	}
	if now := provenance(t, as, api.ScanRequest{TableID: "numbers"}); now.Rights == all.Rights {
		t.Error("a source that is at another place has the same rights")
	}
}

// TestRightsOfGrants: rights are alike for the same columns and rows, whoever has
// them, and differ for others.
func TestRightsOfGrants(t *testing.T) {
	core, _ := testCore(t, "{}")
	admin := core.As(LocalAdmin)
	served := func(name string, columns []string, rows string) api.Provenance {
		t.Helper()
		user := userOf(t, core, name)
		if _, err := admin.CreateGrant(t.Context(), api.NewGrant{User: name, TableID: "secret", Columns: columns, Rows: rows}); err != nil {
			t.Fatal(err)
		}
		return provenance(t, user, api.ScanRequest{TableID: "secret", Select: []string{"id"}})
	}
	narrow, same := served("ann", []string{"id"}, "word = 'one'"), served("bob", []string{"id"}, "'one' = WORD")
	if narrow.Rights == "" || narrow.Rights != same.Rights || narrow.Version != same.Version {
		t.Errorf("two users with one right have %+v and %+v", narrow, same)
	}
	for name, other := range map[string]api.Provenance{
		"columns": served("cyd", nil, "word = 'one'"), "rule": served("dee", []string{"id"}, "word = 'two'"), "no rule": served("eve", []string{"id"}, ""),
	} {
		if other.Rights == narrow.Rights {
			t.Errorf("another %s is the same right", name)
		}
	}
	if clock := served("fay", nil, "DATE '2026-01-01' < CURRENT_DATE"); clock.Rights != "" {
		t.Error("a rule that asks the clock is comparable")
	}
}
