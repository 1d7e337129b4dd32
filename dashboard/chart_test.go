package dashboard

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/server/resultset"
)

// TestChartsAreThoseOfThePage draws the examples of web/test/charts.json.
func TestChartsAreThoseOfThePage(t *testing.T) {
	text, err := os.ReadFile("../web/test/charts.json")
	if err != nil {
		t.Fatal(err)
	}
	var examples []struct {
		Columns []string
		Rows    [][]any
		Chosen  *chart
		Draws   string
	}
	if err := json.Unmarshal(text, &examples); err != nil || len(examples) == 0 {
		t.Fatal(err)
	}
	store := resultset.New(t.TempDir(), limits)
	t.Cleanup(store.Close)
	db, err := duckdb.Open(duckdb.Options{PreserveOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	for _, e := range examples {
		rows, err := json.Marshal(e.Rows)
		if err != nil {
			t.Fatal(err)
		}
		var columns []string
		for i, c := range e.Columns {
			name, kind, _ := strings.Cut(c, " ")
			columns = append(columns, "CAST(r->>"+string(rune('0'+i))+" AS "+kind+") AS "+name)
		}
		c, err := db.Conn()
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Query(t.Context(), "SELECT "+strings.Join(columns, ", ")+" FROM (SELECT unnest(CAST('"+string(rows)+"' AS JSON[])) AS r)")
		if err != nil {
			t.Fatal(err)
		}
		set, err := store.Keep(t.Context(), resultset.Owner{}, (&api.Stream{Batches: got, End: func() api.End { return api.End{} }}).Rows())
		if err != nil {
			t.Fatal(err)
		}
		settled, group, err := e.Chosen.settle(t.Context(), set)
		if err != nil {
			t.Fatal(err)
		}
		draws := settled.Kind + " " + settled.X + " " + group.How
		if group.How != "count" {
			draws += " " + settled.Y
		}
		if settled.Also != "" {
			draws += " and " + settled.Also
		}
		if settled.By != "" {
			draws += " by " + settled.By
		}
		if group.Bins {
			draws += " in ranges"
		}
		if draws != e.Draws {
			t.Errorf("%v %s: draws %q, not %q", e.Columns, rows, draws, e.Draws)
		}
		if _, err := e.Chosen.draw(t.Context(), set); err != nil {
			t.Errorf("%s: %v", e.Draws, err)
		}
	}
}
