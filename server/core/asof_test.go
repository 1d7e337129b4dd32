package core

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/opentables"
)

// TestVersionsOfTables holds who may read a table as it was, and that behind an @ no
// other table can be named.
func TestVersionsOfTables(t *testing.T) {
	dir := opentables.Unpack(t, "delta")
	if err := os.Rename(filepath.Join(dir, "plain"), filepath.Join(dir, "dv@secret")); err != nil {
		t.Fatal(err)
	}
	core := coreOf(t, t.TempDir(), fmt.Sprintf(`
sources: { s: { type: delta, root: %q } }
tables:
  - { id: dv, source: s, path: dv, public: true }
  - { id: then, source: s, path: dv@v1, public: true }
  - { id: part, source: s, path: dv }
  - { id: closed, source: s, path: dv }
`, dir))
	ann := userOf(t, core, "ann")
	if _, err := core.As(LocalAdmin).CreateGrant(t.Context(), api.NewGrant{User: "ann", TableID: "part", Rows: "id < 10"}); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]*api.Error{
		"dv@v1": nil, "dv@1": nil, "dv@v9": {Code: api.CodeSource, Kind: api.KindNotFound}, "dv@secret": {Code: api.CodeBadRequest, Kind: api.KindAsOf},
		"then": nil, "then@v1": {Code: api.CodeBadRequest, Kind: api.KindAsOf}, "part": nil, "part@v1": {Code: api.CodeForbidden, Kind: api.KindAsOf},
		"closed@v1": {Code: api.CodeForbidden}, "nothing@v1": {Code: api.CodeForbidden}, "dv@": {Code: api.CodeInvalidName}, "dv@../x": {Code: api.CodeInvalidName},
		"dv@x.parquet": {Code: api.CodeInvalidName}, "dv@v1@v1": {Code: api.CodeInvalidName},
	} {
		_, schema := ann.Schema(t.Context(), id)
		_, sample := ann.Sample(t.Context(), id, 1)
		_, estimate := ann.Estimate(t.Context(), api.ScanRequest{TableID: id})
		stream, scan := ann.Scan(t.Context(), api.ScanRequest{TableID: id})
		if scan == nil {
			_, scan = drain(t, stream)
		}
		query := want
		for way, err := range map[string]error{"schema": schema, "sample": sample, "estimate": estimate, "scan": scan} {
			if (want == nil) != (err == nil) || want != nil && !errors.Is(err, want) {
				t.Errorf("%s of %s: %v", way, id, err)
			}
		}
		if want == nil || want.Code != api.CodeInvalidName { // which no parser takes for a table
			stream, err := ann.Query(t.Context(), api.QueryRequest{SQL: `SELECT count(*) FROM "` + id + `"`})
			if err == nil {
				_, err = drain(t, stream)
			}
			if (query == nil) != (err == nil) || query != nil && !errors.Is(err, query) {
				t.Errorf("a statement over %s: %v", id, err)
			}
		}
	}
	// What is not a read means the table as it is.
	if _, err := core.As(LocalAdmin).RefreshTable(t.Context(), "dv@v1"); !api.CodeInvalidName.Is(err) {
		t.Errorf("a refresh: %v", err)
	}
	if _, err := core.As(LocalAdmin).CreateGrant(t.Context(), api.NewGrant{User: "ann", TableID: "closed@v1"}); !api.CodeInvalidName.Is(err) {
		t.Errorf("a grant: %v", err)
	}
	events, err := core.As(LocalAdmin).Audit(t.Context(), api.AuditQuery{TableID: "dv"})
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%+v", events); !strings.Contains(text, "AsOf:v1") {
		t.Errorf("the audit does not say which version was read: %s", text)
	}
}
