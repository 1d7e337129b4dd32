package table

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
)

// TestTypesThatArrowLacksAreShown: a VARIANT is shown as JSON and a GEOMETRY as WKT,
// by every door, and each says so.
func TestTypesThatArrowLacksAreShown(t *testing.T) {
	ts, dir := newTables(t)
	path := filepath.Join(dir, "a.parquet")
	db, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Exec(t.Context(), "COPY (SELECT 1 AS n, {'a': 2, 'd': 12345678901234567.89}::VARIANT AS v, 'POINT (1 2)'::GEOMETRY AS g) TO "+duckdb.Literal(path)+" (FORMAT parquet)"); err != nil {
		t.Fatal(err)
	}
	src := Source{Path: path}
	want := []string{"1", `{"a":2,"d":12345678901234567.89}`, `"POINT (1 2)"`}
	check := func(door string, row []string, caveats []api.Caveat) {
		t.Helper()
		narrowed, types := 0, false
		for _, c := range caveats {
			if c.Kind == api.CaveatNarrowed {
				narrowed++
				types = types || strings.HasSuffix(c.Text, "and NULL and the null of JSON are one")
			}
		}
		if !slices.Equal(row, want) || narrowed != 2 || !types {
			t.Errorf("%s: %q, %d caveats", door, row, narrowed)
		}
	}
	texts := func(row []json.RawMessage) (out []string) {
		for _, cell := range row {
			out = append(out, string(cell))
		}
		return out
	}
	q, err := ts.Query(t.Context(), QueryRequest{Source: src, Query: "SELECT * FROM data"})
	if err != nil {
		t.Fatal(err)
	}
	check("query", texts(q.Rows[0]), q.Caveats)
	r, err := ts.Rows(t.Context(), RowsRequest{Source: src, RowStart: 1, RowCount: 1})
	if err != nil {
		t.Fatal(err)
	}
	check("rows", texts(r.Rows[0]), r.Caveats)
	s, err := ts.Select(t.Context(), QueryRequest{Source: src, Query: "SELECT * FROM data"}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if !s.Batches.Next() {
		t.Fatal(s.Batches.Err())
	}
	b := s.Batches.RecordBatch()
	if got := b.Column(2).(*array.String).Value(0); got != "POINT (1 2)" || len(s.Caveats) != 2 {
		t.Errorf("select: %q, %v", got, s.Caveats)
	}
}
