package httpapi

import (
	"encoding/json"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/core"
)

// TestTablesHaveFacets counts the caller's tables by type and by what their ids
// begin with, and leaves those that are asked for.
func TestTablesHaveFacets(t *testing.T) {
	s := newStaffServer(t, "{}")
	for _, id := range []string{"crm_people", "crm_calls", "shop_orders"} {
		if _, err := s.core.As(core.LocalAdmin).RegisterTable(t.Context(), api.RegisteredTable{ID: id, Source: "files", Relation: "other.csv", QueryMode: api.ModeRemote, Public: id != "crm_calls"}); err != nil {
			t.Fatal(err)
		}
	}
	ann := s.user("ann")
	ask := func(query string) (out api.PageTables) {
		t.Helper()
		status, _, text := s.ask("GET", "/api/page/tables?"+query, ann, "")
		if err := json.Unmarshal([]byte(text), &out); err != nil || status != 200 {
			t.Fatalf("%v %s", err, text)
		}
		return out
	}
	all := ask("")
	if all.Found != 4 || all.All != 4 || len(all.Types) != 1 || all.Types[0] != (api.PageFacet{Name: "lake", Tables: 4}) || len(all.Groups) != 2 || all.Groups[0] != (api.PageFacet{Name: "crm", Tables: 1}) {
		t.Errorf("%+v", all)
	}
	if crm := ask("type=lake&group=crm"); crm.Found != 1 || crm.All != 4 || len(crm.Tables) != 1 || crm.Tables[0].ID != "crm_people" || len(crm.Types) != 1 {
		t.Errorf("%+v", crm)
	}
	if none := ask("from=4"); none.Found != 4 || len(none.Tables) != 0 {
		t.Errorf("%+v", none)
	}
	if found := ask("q=orders"); found.Found != 1 || found.Tables[0].ID != "shop_orders" {
		t.Errorf("%+v", found)
	}
}
