package core

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/server/state"
	"github.com/agnes-data/da/source"
)

// noWarehouse is a source that must not be asked anything: every method of the
// nil inside panics.
type noWarehouse struct{ source.Source }

func (noWarehouse) Close() error { return nil }

func (noWarehouse) Dialect() predicate.Dialect { return predicate.Postgres }

// manyTables is a core whose tables lie in a warehouse.
func manyTables(t *testing.T, tables ...config.Table) *Core {
	t.Helper()
	for i := range tables {
		tables[i].Source, tables[i].Relation = "wh", tables[i].ID
	}
	inst := &config.Instance{Sources: []config.Source{{Name: "wh", Type: api.SourcePostgres}}, Tables: tables}
	inst.API.SchemaCacheTTL = time.Hour
	store, err := state.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	core := New(inst, map[string]source.Source{"wh": noWarehouse{}}, store, slog.New(slog.DiscardHandler))
	t.Cleanup(func() {
		if err := core.Close(); err != nil {
			t.Error(err)
		}
	})
	return core
}

// tell is a source that tells the columns of a table.
func (c *Core) tell(id string, columns ...api.Column) {
	c.learnt(c.byID[id], &source.Schema{Columns: columns})
}

func found(t *testing.T, svc *Session, query string) []string {
	t.Helper()
	result, err := svc.Search(t.Context(), api.SearchRequest{Query: query, Limit: api.MaxSearchHits})
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{}
	for _, h := range result.Hits {
		ids = append(ids, h.ID)
	}
	return ids
}

func TestSearchRanksWhatItFinds(t *testing.T) {
	core := manyTables(t,
		config.Table{ID: "a_orders", Description: "Every sale"},
		config.Table{ID: "b", Name: "Orders", Description: "By day"},
		config.Table{ID: "c", Description: "Orders that were cancelled, by day"},
		config.Table{ID: "d"}, config.Table{ID: "e"}, config.Table{ID: "orders"}, config.Table{ID: "reorders"},
	)
	core.tell("d", api.Column{Name: "orders"}, api.Column{Name: "x", Fields: []api.Column{{Name: "deep_down"}}})
	core.tell("e", api.Column{Name: "n", Description: "Number of orders"})
	svc := core.As(LocalAdmin)
	for query, want := range map[string][]string{
		"orders":       {"orders", "b", "a_orders", "d", "reorders", "c", "e"},
		"ORDERS":       {"orders", "b", "a_orders", "d", "reorders", "c", "e"},
		"orders  day":  {"b", "c", "orders"},   // behind those with both comes the one that is called so
		"day sale":     {"a_orders", "b", "c"}, // no table has both
		"deep":         {"d"},
		"number order": {"e", "orders"},
		"%":            {},
	} {
		if got := found(t, svc, query); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", query, got, want)
		}
	}
	result, err := svc.Search(t.Context(), api.SearchRequest{Query: "orders", Limit: 2})
	if err != nil || len(result.Hits) != 2 || result.Total != 7 || result.Tables != 7 || result.ColumnsKnown != 2 {
		t.Errorf("%+v, %v", result, err)
	}
	if result, err = svc.Search(t.Context(), api.SearchRequest{Query: "deep", Limit: 1}); err != nil || result.Hits[0].Matches[0].Column != "x.deep_down" {
		t.Errorf("%+v, %v", result, err)
	}
	for _, query := range []string{"", " \t", strings.Repeat("x", 1001)} {
		if _, err := svc.Search(t.Context(), api.SearchRequest{Query: query, Limit: 1}); !api.CodeBadRequest.Is(err) {
			t.Errorf("%.10q: %v", query, err)
		}
	}
	for _, limit := range []int{0, -1, api.MaxSearchHits + 1} {
		if _, err := svc.Search(t.Context(), api.SearchRequest{Query: "x", Limit: limit}); !api.CodeBadRequest.Is(err) {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}

func TestSearchFindsOnlyWhatTheCallerMaySee(t *testing.T) {
	core := manyTables(t, config.Table{ID: "staff", Description: "People"}, config.Table{ID: "pay", Description: "People"}, config.Table{ID: "open", Public: true, Description: "People"})
	core.tell("staff", api.Column{Name: "name"}, api.Column{Name: "salary", Description: "secret bonus"})
	core.tell("pay", api.Column{Name: "salary"})
	core.tell("open", api.Column{Name: "city"})
	admin := core.As(LocalAdmin)
	if _, err := admin.CreateUser(t.Context(), api.NewUser{Name: "ann"}); err != nil {
		t.Fatal(err)
	}
	// A grant of some columns, as the state keeps it; making one would ask the
	// source for its columns.
	if _, err := core.state.CreateGrant(t.Context(), api.NewGrant{User: "ann", TableID: "staff", Columns: []string{"name"}}, "local"); err != nil {
		t.Fatal(err)
	}
	ann := userOf(t, core, "ann")
	for query, want := range map[string][]string{
		"people": {"open", "staff"}, "salary": {}, "bonus": {}, "name": {"staff"}, "pay": {}, "city": {"open"},
	} {
		if got := found(t, ann, query); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", query, got, want)
		}
	}
	if got := found(t, admin, "salary"); !slices.Equal(got, []string{"pay", "staff"}) {
		t.Errorf("for an admin: %v", got)
	}
}

// TestFacetsOfASearchCountAllItsHits holds that each hit is counted in its group, and can be
// looked at there, however many there are.
func TestFacetsOfASearchCountAllItsHits(t *testing.T) {
	const n = 2600
	tables := make([]config.Table, n)
	for i := range tables {
		tables[i] = config.Table{ID: fmt.Sprintf("g%d_%04d", i%2, i), Description: "Part of the sensors"}
	}
	svc := manyTables(t, tables...).As(LocalAdmin)
	page := func(req api.TablePageRequest) *api.PageTables {
		t.Helper()
		req.Query, req.Limit = "sensors", 60
		page, err := svc.TablePage(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return page
	}
	all := page(api.TablePageRequest{From: n - 10})
	if all.Found != n || len(all.Tables) != 10 || fmt.Sprint(all.Groups) != "[{g0 1300} {g1 1300}]" || len(all.Types) != 1 || all.Types[0].Tables != n {
		t.Errorf("of all: %d of %d, %v, %v", len(all.Tables), all.Found, all.Groups, all.Types)
	}
	if one := page(api.TablePageRequest{Group: "g1", From: 1299}); one.Found != 1300 || len(one.Tables) != 1 || one.Tables[0].ID != "g1_2599" {
		t.Errorf("of one group: %+v", one)
	}
}

func TestSearchInTenThousandTables(t *testing.T) {
	const n = 10_000
	tables := make([]config.Table, n)
	for i := range tables {
		tables[i] = config.Table{ID: fmt.Sprintf("table_%d", i), Description: fmt.Sprintf("What happened in region %d, by day and product", i%77)}
	}
	core := manyTables(t, tables...)
	for i := range n {
		columns := make([]api.Column, 20)
		for j := range columns {
			columns[j] = api.Column{Name: fmt.Sprintf("measure_%d", j), Description: "A figure that somebody wanted"}
		}
		columns[19].Name = fmt.Sprintf("only_%d", i)
		core.tell(tables[i].ID, columns...)
	}
	svc := core.As(LocalAdmin)
	start := time.Now()
	got := found(t, svc, "only_4711 region")
	took := time.Since(start)
	if !slices.Equal(got, []string{"table_4711"}) {
		t.Errorf("found %v", got)
	}
	t.Logf("%d tables, %d columns: %v", n, 20*n, took)
	result, err := svc.Search(t.Context(), api.SearchRequest{Query: "region", Limit: api.DefaultSearchHits})
	if err != nil || result.Total != n || len(result.Hits) != api.DefaultSearchHits {
		t.Fatalf("%+v, %v", result, err)
	}
	if text, err := json.Marshal(result); err != nil || len(text) > 64<<10 {
		t.Errorf("an answer of %d bytes, %v", len(text), err)
	}
}
