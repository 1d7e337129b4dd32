package core

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/instancetest"
	"github.com/agnes-data/da/predicate"
)

// TestMain makes the test binary what runs statements.
func TestMain(m *testing.M) { instancetest.Main(m) }

// testCore is a core over a lake with three tables: numbers (n, 0 to 9,999, and
// a text of 100 bytes), words.csv, and secret, the only one not public.
func testCore(t *testing.T, limits string) (*Core, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeNumbers(t, dir, 10_000)
	if err := os.WriteFile(filepath.Join(dir, "data/words.csv"), []byte("id,word\n1,one\n2,two\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return coreOf(t, dir, `
api: { scan: `+limits+` }
sources: { files: { type: lake, root: ./data } }
tables:
  - { id: numbers, source: files, path: numbers.parquet, public: true }
  - { id: words, source: files, path: words.csv, public: true }
  - { id: secret, source: files, path: words.csv }
`), dir
}

// coreOf is a core over an instance whose file lies in a folder. It ends with
// the test.
func coreOf(t testing.TB, dir, instance string) *Core {
	t.Helper()
	inst, sources, store := instancetest.Open(t, dir, instance)
	core := New(inst, sources, store, slog.New(slog.DiscardHandler))
	t.Cleanup(func() {
		if err := core.Close(); err != nil {
			t.Error(err)
		}
	})
	return core
}

// userOf returns the core as a user sees it. It creates the user if necessary.
func userOf(t *testing.T, core *Core, name string) *Session {
	t.Helper()
	_, err := core.As(LocalAdmin).CreateUser(t.Context(), api.NewUser{Name: name})
	if err != nil && !api.CodeBadRequest.Is(err) {
		t.Fatal(err)
	}
	s, err := core.As(LocalAdmin).seenBy(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func writeNumbers(t *testing.T, dir string, n int) {
	t.Helper()
	enginetest.Parquet(t, filepath.Join(dir, "data/numbers.parquet"), fmt.Sprintf("SELECT i AS n, repeat('x', 100) AS pad FROM range(%d) t(i)", n))
}

// drain reads a stream to its end.
func drain(t *testing.T, s *api.Stream) (rows int64, err error) {
	t.Helper()
	defer s.Close()
	for s.Batches.Next() {
		rows += s.Batches.RecordBatch().NumRows()
	}
	return rows, s.Batches.Err()
}

func TestScanCaps(t *testing.T) {
	core, _ := testCore(t, "{ max_limit: 1000, max_result_bytes: 50000 }")
	as := core.As(LocalAdmin)
	limit := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		name      string
		req       api.ScanRequest
		rows      int64
		truncated bool
	}{
		{"rows", api.ScanRequest{TableID: "numbers", Select: []string{"n"}}, 1000, true},
		{"exactly the cap", api.ScanRequest{TableID: "numbers", Select: []string{"n"}, Where: "n < 1000"}, 1000, false},
		{"a limit of the caller's own", api.ScanRequest{TableID: "numbers", Select: []string{"n"}, Limit: limit(10)}, 10, false},
		{"no rows wanted", api.ScanRequest{TableID: "numbers", Limit: limit(0)}, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := as.Scan(t.Context(), c.req)
			if err != nil {
				t.Fatal(err)
			}
			rows, err := drain(t, s)
			if err != nil || rows != c.rows || s.End().Rows != c.rows || s.End().Truncated != c.truncated {
				t.Errorf("%d rows, %+v, %v", rows, s.End(), err)
			}
		})
	}
	s, err := as.Scan(t.Context(), api.ScanRequest{TableID: "numbers"})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := drain(t, s)
	if end := s.End(); err != nil || rows >= 1000 || !end.Truncated || end.Cap != capBytes || end.Bytes > 50000 {
		t.Errorf("bytes: %d rows, %+v, %v", rows, end, err)
	}
	if _, err := as.Scan(t.Context(), api.ScanRequest{TableID: "numbers", Limit: limit(1001)}); !api.CodeBadRequest.Is(err) {
		t.Errorf("a limit above the cap: %v", err)
	}
}

// endless is a statement that does not end by itself.
const endless = "SELECT count(*) FROM numbers a, range(100000000) b, range(100000000) c"

func TestRequestTimeout(t *testing.T) {
	core, _ := testCore(t, "{ request_timeout_seconds: 1 }")
	s, err := core.As(LocalAdmin).Query(t.Context(), api.QueryRequest{SQL: endless})
	if err == nil {
		_, err = drain(t, s)
	}
	if !api.CodeTimeout.Is(err) {
		t.Errorf("err is %v", err)
	}
}

// TestAPriceRunsNothing asks what a statement would cost that does not end.
func TestAPriceRunsNothing(t *testing.T) {
	core, _ := testCore(t, "{ request_timeout_seconds: 60 }")
	if _, err := core.As(LocalAdmin).PriceQuery(t.Context(), api.QueryRequest{SQL: endless}); err != nil {
		t.Error(err)
	}
	_, err := core.As(LocalAdmin).PriceQuery(t.Context(), api.QueryRequest{SQL: endless + " WHERE nosuch = 1"})
	if err == nil {
		t.Error("an unknown column is not told")
	}
}

func TestCachesFollowTheFiles(t *testing.T) {
	core, dir := testCore(t, "{}")
	as := core.As(LocalAdmin)
	before, err := as.Schema(t.Context(), "numbers")
	if err != nil {
		t.Fatal(err)
	}
	writeNumbers(t, dir, 7)
	after, err := as.Schema(t.Context(), "numbers")
	if err != nil {
		t.Fatal(err)
	}
	if *before.RowCount != 10_000 || *after.RowCount != 7 {
		t.Errorf("rows are %d, then %d", *before.RowCount, *after.RowCount)
	}
	sample, err := as.Sample(t.Context(), "numbers", 100)
	if err != nil || len(sample.Rows) != 7 {
		t.Errorf("the sample has %v rows: %v", sample, err)
	}
}

// TestRightsComeBeforeCaches fills the caches as one caller and asks as another.
func TestRightsComeBeforeCaches(t *testing.T) {
	core, _ := testCore(t, "{}")
	admin, other := core.As(LocalAdmin), userOf(t, core, "other")
	for range 2 {
		if _, err := admin.Schema(t.Context(), "secret"); err != nil {
			t.Fatal(err)
		}
		if _, err := admin.Sample(t.Context(), "secret", 2); err != nil {
			t.Fatal(err)
		}
		calls := map[string]func(id string) error{
			"schema":   func(id string) error { _, err := other.Schema(t.Context(), id); return err },
			"sample":   func(id string) error { _, err := other.Sample(t.Context(), id, 2); return err },
			"estimate": func(id string) error { _, err := other.Estimate(t.Context(), api.ScanRequest{TableID: id}); return err },
			"scan":     func(id string) error { _, err := other.Scan(t.Context(), api.ScanRequest{TableID: id}); return err },
			"query": func(id string) error {
				_, err := other.Query(t.Context(), api.QueryRequest{SQL: "SELECT * FROM " + id})
				return err
			},
		}
		for name, call := range calls {
			forbidden, unknown := call("secret"), call("nothere")
			if !api.CodeForbidden.Is(forbidden) {
				t.Errorf("%s: %v", name, forbidden)
			}
			if strings.ReplaceAll(fmt.Sprint(unknown), "nothere", "secret") != fmt.Sprint(forbidden) {
				t.Errorf("%s tells tables apart: %v, %v", name, forbidden, unknown)
			}
		}
	}
	list, err := other.Tables(t.Context())
	if err != nil || len(list.Tables) != 2 {
		t.Errorf("the catalog has %v: %v", list, err)
	}
	if !api.CodeForbidden.Is(other.RefreshCaches(t.Context())) || admin.RefreshCaches(t.Context()) != nil {
		t.Error("who may refresh the caches?")
	}
}

// TestHintsPassTheGate holds every text that we show as an example of a
// predicate against the gate itself.
func TestHintsPassTheGate(t *testing.T) {
	core, _ := testCore(t, "{}")
	list, err := core.As(LocalAdmin).Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range list.Tables {
		if len(table.WhereExamples) == 0 {
			t.Errorf("%s has no examples", table.ID)
		}
		for _, example := range table.WhereExamples {
			if _, err := core.As(LocalAdmin).Estimate(t.Context(), api.ScanRequest{TableID: table.ID, Where: example}); err != nil {
				t.Errorf("%s: %q: %v", table.ID, example, err)
			}
		}
	}
	columns := map[predicate.Dialect][]api.Column{
		predicate.DuckDB:    {{Name: "field", Type: "VARCHAR"}, {Name: "x", Type: "VARCHAR"}},
		predicate.GoogleSQL: {{Name: "field", Type: "STRING"}, {Name: "x", Type: "STRING"}},
		predicate.Postgres:  {{Name: "field", Type: "text"}, {Name: "x", Type: "text"}},
	}
	for dialect, cols := range columns {
		schema, err := predicate.NewSchema(dialect, cols)
		if err != nil {
			t.Fatal(err)
		}
		for name, hint := range predicate.Hints(dialect) {
			text := hint
			if name != "regex" {
				text = "(" + hint + ") IS NOT NULL"
			}
			if _, err := predicate.Parse(dialect, text, schema); err != nil {
				t.Errorf("%s: %s: %q: %v", dialect, name, hint, err)
			}
		}
	}
}

// TestRulesWithAClockAreNotCached: what such a rule hides changes by itself.
func TestRulesWithAClockAreNotCached(t *testing.T) {
	core, _ := testCore(t, "{}")
	admin := core.As(LocalAdmin)
	for rule, kept := range map[string]int{"id < 2": 1, "id < 2 AND CURRENT_DATE > DATE '2001-01-01'": 0} {
		core.forget()
		name := fmt.Sprintf("user%d", kept)
		if _, err := admin.CreateUser(t.Context(), api.NewUser{Name: name}); err != nil {
			t.Fatal(err)
		}
		if _, err := admin.CreateGrant(t.Context(), api.NewGrant{User: name, TableID: "secret", Rows: rule}); err != nil {
			t.Fatal(err)
		}
		sample, err := userOf(t, core, name).Sample(t.Context(), "secret", 20)
		if err != nil || len(sample.Rows) != 1 || core.samples.values.Len() != kept {
			t.Errorf("%s: %v, %v, %d kept", rule, sample, err, core.samples.values.Len())
		}
	}
}
