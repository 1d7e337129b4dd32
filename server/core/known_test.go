package core

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/pgtest"
	"github.com/agnes-data/da/source"
)

// countedSchemas is a source that counts what it is asked about.
type countedSchemas struct {
	source.Source
	mu    sync.Mutex
	asked []string
}

func (s *countedSchemas) Schema(ctx context.Context, rel source.Relation) (*source.Schema, error) {
	s.mu.Lock()
	s.asked = append(s.asked, rel.Name)
	s.mu.Unlock()
	return s.Source.Schema(ctx, rel)
}

func (s *countedSchemas) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

// knowing is an instance with a table in PostgreSQL whose source counts.
func knowing(t *testing.T) (*Core, *countedSchemas) {
	t.Helper()
	database := pgtest.Shared(t)
	for _, sql := range []string{"CREATE TABLE orders AS SELECT n, 'x' AS name FROM generate_series(1, 1000) AS n", "COMMENT ON TABLE orders IS 'What was sold'", "VACUUM ANALYZE orders"} {
		if out, err := database.Command("psql", "-c", sql).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	core := coreOf(t, t.TempDir(), fmt.Sprintf(`
server: { state_dir: ./state }
sources:
  crm: { type: postgres, dsn: "%s" }
tables:
  - { id: orders, source: crm, relation: orders }
`, database.DSN("")))
	pg := &countedSchemas{Source: core.sources["crm"]}
	core.byID["orders"].source = pg
	return core, pg
}

func listed(t *testing.T, svc *Session, id string) api.Table {
	t.Helper()
	list, err := svc.Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list.Tables {
		if e.ID == id {
			return e
		}
	}
	t.Fatalf("%s is not listed", id)
	return api.Table{}
}

// TestCatalogShowsWhatIsKnown holds that the catalog and the search ask no
// warehouse, and show what was learnt of its tables behind them.
func TestCatalogShowsWhatIsKnown(t *testing.T) {
	core, pg := knowing(t)
	admin := core.As(LocalAdmin)
	if e := listed(t, admin, "orders"); e.RoughSizeHint != nil || len(e.WhereExamples) > 0 || e.AsOf != nil || pg.count() != 0 {
		t.Errorf("before anybody asked: %+v, %d questions", e, pg.count())
	}
	before := time.Now()
	core.learn(t.Context())
	if pg.count() != 1 {
		t.Fatalf("%d questions about one table", pg.count())
	}
	e := listed(t, admin, "orders")
	if e.RoughSizeHint == nil || !strings.HasPrefix(*e.RoughSizeHint, "about 1k rows / ") || e.RowCount != nil || e.SizeBytes == nil {
		t.Errorf("its size is %v: %+v", e.RoughSizeHint, e)
	}
	if e.Description != "What was sold" || len(e.WhereExamples) != 2 || e.AsOf == nil || e.AsOf.Before(before) {
		t.Errorf("%+v", e)
	}
	if got := found(t, admin, "sold"); len(got) != 1 || got[0] != "orders" {
		t.Errorf("by its description: %v", got)
	}
	if got := found(t, admin, "name"); len(got) != 1 || got[0] != "orders" {
		t.Errorf("by its column: %v", got)
	}
	if pg.count() != 1 {
		t.Errorf("%d questions", pg.count())
	}
}

// TestWhatIsKnownIsCutDown holds that each caller sees of what is known what the
// grants show.
func TestWhatIsKnownIsCutDown(t *testing.T) {
	core, pg := knowing(t)
	core.learn(t.Context())
	for rows, shown := range map[string]bool{"": true, "n < 5": false} {
		user := fmt.Sprintf("ann%t", shown)
		if _, err := core.As(LocalAdmin).CreateUser(t.Context(), api.NewUser{Name: user}); err != nil {
			t.Fatal(err)
		}
		if _, err := core.state.CreateGrant(t.Context(), api.NewGrant{User: user, TableID: "orders", Columns: []string{"n"}, Rows: rows}, "local"); err != nil {
			t.Fatal(err)
		}
		someone := userOf(t, core, user)
		e := listed(t, someone, "orders")
		if (e.RoughSizeHint != nil) != shown || (e.SizeBytes != nil) != shown || e.Description != "" || e.AsOf == nil {
			t.Errorf("rows %q: %+v", rows, e)
		}
		if len(e.WhereExamples) != 1 || strings.Contains(e.WhereExamples[0], "name") {
			t.Errorf("rows %q: %q", rows, e.WhereExamples)
		}
		if got := found(t, someone, "name sold"); len(got) != 0 {
			t.Errorf("rows %q: %v", rows, got)
		}
	}
	if pg.count() != 1 {
		t.Errorf("%d questions", pg.count())
	}
}

// TestWhatIsKnownIsLearntAnew holds that emptied caches fill again by themselves.
func TestWhatIsKnownIsLearntAnew(t *testing.T) {
	core, _ := knowing(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		core.KeepKnown(ctx)
	}()
	admin := core.As(LocalAdmin)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	known := func() time.Time {
		for ; ; <-tick.C {
			if e := listed(t, admin, "orders"); e.AsOf != nil {
				return *e.AsOf
			}
		}
	}
	first := known()
	if err := admin.RefreshCaches(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again := known(); !again.After(first) {
		t.Errorf("first %s, then %s", first, again)
	}
	stop()
	<-ended
}

// TestAServerThatStopsLogsNoError: what is being learnt then ends with the
// server.
func TestAServerThatStopsLogsNoError(t *testing.T) {
	core := coreOf(t, t.TempDir(), "sources: { files: { type: lake, root: . } }")
	var logged strings.Builder
	core.log = slog.New(slog.NewTextHandler(&logged, nil))
	stopped, stop := context.WithCancel(t.Context())
	stop()
	core.learn(stopped)
	if logged.Len() > 0 {
		t.Errorf("logged: %s", logged.String())
	}
}
