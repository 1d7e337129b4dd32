package iceberg

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/opentables"
	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/listed"
)

// catalogOver opens the tables of a catalog.
func catalogOver(t *testing.T, c Catalog, dir string) *listed.Source {
	t.Helper()
	src, err := OpenCatalog(c, listed.Options{Root: dir, TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = src.Close() })
	return src
}

// TestAnswersThroughACatalog asks what Spark was asked of tables that a catalog names.
func TestAnswersThroughACatalog(t *testing.T) {
	dir := opentables.Unpack(t, "iceberg")
	rest := opentables.NewREST(t, dir)
	src := catalogOver(t, Catalog{URI: rest.URL, Warehouse: "tests", Client: opentables.RESTClient, Secret: opentables.RESTSecret}, dir)
	opentables.Ask(t, opentables.Some, src, "iceberg", "a.b.")
	if n := rest.Tokens(); n < 10 {
		t.Errorf("%d tokens in all, and each is good for a second", n)
	}
	names, _, err := src.Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(names) != len(entries) || !slices.Contains(names, "a.b.plain") {
		t.Errorf("%d tables, %v; there are %d: %v", len(names), names, len(entries), err)
	}
	if err := src.Probe(t.Context()); err != nil {
		t.Error(err)
	}
	if name, err := src.At("a.b.refs", "t1"); err != nil || name != "a.b.refs@t1" {
		t.Errorf("%q, %v", name, err)
	}
}

// TestCatalogsThatRefuse holds what is said of a catalog that does not answer, and that
// no secret is.
func TestCatalogsThatRefuse(t *testing.T) {
	dir := opentables.Unpack(t, "iceberg")
	for name, c := range map[string]struct {
		change func(*Catalog, *opentables.REST)
		table  string
		kind   string
		word   string
	}{
		"client":    {func(c *Catalog, _ *opentables.REST) { c.Secret = "another secret" }, "a.b.plain", api.KindBadCredentials, "client_id"},
		"token":     {func(c *Catalog, _ *opentables.REST) { c.Client, c.Secret, c.Token = "", "", "a secret token" }, "a.b.plain", api.KindAccessDenied, "401"},
		"nameless":  {func(c *Catalog, _ *opentables.REST) { *c = Catalog{URI: c.URI} }, "a.b.plain", api.KindAccessDenied, "its settings (401)"},
		"warehouse": {func(c *Catalog, _ *opentables.REST) { c.Warehouse = "other" }, "a.b.plain", api.KindNoRelation, "other"},
		"table":     {func(*Catalog, *opentables.REST) {}, "a.b.nothing", api.KindNoRelation, "a.b.nothing"},
		"spaceless": {func(*Catalog, *opentables.REST) {}, "plain", api.KindBadPath, "namespace"},
		"signed":    {func(_ *Catalog, r *opentables.REST) { r.Signs = true }, "a.b.plain", api.KindUnlikeFiles, "remote-signing"},
		"part": {func(_ *Catalog, r *opentables.REST) {
			r.Restricts = map[string]any{"required-column-projections": nil, "required-row-filter": map[string]any{"type": "not-null", "term": "id"}}
		}, "a.b.plain", api.KindUnlikeFiles, "read-restrictions"},
		"elsewhere": {func(_ *Catalog, r *opentables.REST) { r.Elsewhere = "https://other.example" }, "a.b.plain", api.KindUnreachable, "another address"},
		"nobody":    {func(c *Catalog, _ *opentables.REST) { c.URI = "http://127.0.0.1:1" }, "a.b.plain", api.KindUnreachable, "cannot be asked"},
	} {
		rest := opentables.NewREST(t, dir)
		of := Catalog{URI: rest.URL, Warehouse: "tests", Client: opentables.RESTClient, Secret: opentables.RESTSecret}
		c.change(&of, rest)
		_, err := catalogOver(t, of, dir).Version(t.Context(), source.Relation{Name: c.table})
		var e *api.Error
		if !errors.As(err, &e) || e.Kind != c.kind || !strings.Contains(e.Message+e.Hint, c.word) {
			t.Errorf("%s: %v", name, err)
		}
		for ; err != nil; err = errors.Unwrap(err) {
			if text := fmt.Sprintf("%v %+v", err, err); strings.Contains(text, "secret ") && !strings.Contains(text, "client_secret") {
				t.Errorf("%s: an error tells the secret: %s", name, text)
			}
		}
	}
	for _, c := range []Catalog{
		{URI: "catalog.example.com"}, {URI: "http://catalog.example.com", Token: "t"}, {URI: "https://catalog.example.com", Token: "t", Client: "c", Secret: "s"},
		{URI: "https://catalog.example.com", Client: "c"}, {URI: "https://catalog.example.com", Client: "c", Secret: "s", TokenURI: "http://login.example.com"},
	} {
		if _, err := OpenCatalog(c, listed.Options{Root: dir}); !api.CodeConfig.Is(err) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestRestrictionsOfNothing reads a table whose restrictions by the catalog are empty.
func TestRestrictionsOfNothing(t *testing.T) {
	dir := opentables.Unpack(t, "iceberg")
	rest := opentables.NewREST(t, dir)
	rest.Restricts = map[string]any{"required-column-projections": []any{}, "required-row-filter": nil}
	of := Catalog{URI: rest.URL, Warehouse: "tests", Client: opentables.RESTClient, Secret: opentables.RESTSecret}
	if _, err := catalogOver(t, of, dir).Version(t.Context(), source.Relation{Name: "a.b.plain"}); err != nil {
		t.Error(err)
	}
}

// TestManyTables lists a catalog of 100,000 tables, which come in pages.
func TestManyTables(t *testing.T) {
	const spaces, page = 20, 1000
	answers := map[string][]byte{}
	each := sourcetest.ManyTables / spaces
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.URL.Path + "?" + r.URL.Query().Get("pageToken") + r.URL.Query().Get("parent")
		_, _ = w.Write(answers[key])
	}))
	defer server.Close()
	put := func(key string, v any) {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		answers[key] = data
	}
	put("/v1/config?", map[string]any{"defaults": map[string]string{}, "overrides": map[string]string{}})
	var namespaces [][]string
	for s := range spaces {
		name := fmt.Sprintf("space_%02d", s)
		namespaces = append(namespaces, []string{name})
		put("/v1/namespaces?"+name, map[string]any{"namespaces": []any{}})
		for at := 0; at < each; at += page {
			var ids []map[string]any
			for i := range page {
				ids = append(ids, map[string]any{"namespace": []string{name}, "name": fmt.Sprintf("table_%06d", at+i)})
			}
			answer := map[string]any{"identifiers": ids}
			if at+page < each {
				answer["next-page-token"] = fmt.Sprint(at + page)
			}
			token := ""
			if at > 0 {
				token = fmt.Sprint(at)
			}
			put("/v1/namespaces/"+name+"/tables?"+token, answer)
		}
	}
	put("/v1/namespaces?", map[string]any{"namespaces": namespaces})
	src := catalogOver(t, Catalog{URI: server.URL}, t.TempDir())
	sourcetest.Many(t, func(ctx context.Context) ([]string, error) {
		tables, _, err := src.Tables(ctx)
		return tables, err
	})
}
