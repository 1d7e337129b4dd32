package analyst_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/instancetest"
	"github.com/agnes-data/da/internal/testing/opentables"
	"github.com/agnes-data/da/server/core"
)

// TestAnswersOfOpenTables asks questions about the tables of others, in each way that
// users have, through a server: at the source, by a statement that fetches, and of
// a snapshot of the whole table. Versions of tables are asked for by their names.
func TestAnswersOfOpenTables(t *testing.T) {
	for _, kind := range []string{"iceberg", "delta"} {
		t.Run(kind, func(t *testing.T) {
			instance := fmt.Sprintf("sources: { s: { type: %s, root: %q } }\ntables:\n", kind, opentables.Unpack(t, kind))
			for _, table := range opentables.Tables(t, kind) {
				instance += fmt.Sprintf("  - { id: %s, source: s, path: %s, public: true }\n", table.Table, table.Table)
			}
			inst, sources, store := instancetest.Open(t, t.TempDir(), instance)
			c := core.New(inst, sources, store, slog.New(slog.DiscardHandler))
			t.Cleanup(func() { _ = c.Close() })
			a := workplace(t)
			a.Connect, a.PartsQuota = serve(t, c, "ann"), 1<<30
			held := map[string]error{}
			opentables.Some(t, kind, func(t *testing.T, name string, q opentables.Question) {
				over := func(name string) string { return strings.Replace(q.SQL, " t", ` "`+name+`"`, 1) }
				got, err := atSource(t, a, over(name))
				opentables.Hold(t, name+" at its source", q, got, err)
				got, err = textOf(plan.Query(t.Context(), a, over(name), plan.Options{Portable: true}))
				opentables.Hold(t, name, q, got, err)
				snapshot := "held_" + strings.NewReplacer("@", "_").Replace(name)
				if _, there := held[snapshot]; !there {
					_, held[snapshot] = fetch.Run(t.Context(), a, fetch.Request{Scan: api.ScanRequest{TableID: name}, Name: snapshot, Fresh: true})
				}
				if err = held[snapshot]; err == nil {
					got, err = textOf(query.Run(t.Context(), a, over(snapshot), true, plan.Brief))
				}
				opentables.Hold(t, name+" of its snapshot", q, got, err)
			})
		})
	}
}

func atSource(t *testing.T, a *analyst.Analyst, sql string) (string, error) {
	remote, err := a.Connect()
	if err != nil {
		return "", err
	}
	stream, err := remote.Query(t.Context(), api.QueryRequest{SQL: sql})
	if err != nil {
		return "", err
	}
	defer stream.Close()
	stream.Batches.Retain()
	return enginetest.Text(stream.Batches, nil)
}

func textOf(result *query.Result, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer result.Close()
	return enginetest.Text(result.Rows(), nil)
}
