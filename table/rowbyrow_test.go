package table

import (
	"path/filepath"
	"testing"

	"github.com/agnes-data/da/internal/testing/enginetest"
)

// TestNoFloatIsPassedOver: the engine's own files tell -0.0 from 0.0.
func TestNoFloatIsPassedOver(t *testing.T) {
	ts, dir := newTables(t)
	enginetest.Parquet(t, filepath.Join(dir, "a.parquet"), "SELECT i AS k, CASE WHEN i % 4 = 0 THEN '-0.0' WHEN i % 4 = 1 THEN '0' ELSE '7' END::DOUBLE AS x FROM range(10000) t(i)")
	q, err := ts.Query(t.Context(), QueryRequest{Source: Source{Path: "a.parquet"}, Query: "SELECT count(*) FROM data WHERE x = 0"})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(q.Rows[0][0]); got != "5000" {
		t.Errorf("%s of 5000 rows", got)
	}
}

// TestNoBytesArePassedOver: the engine asks its own Bloom filters for the text of
// bytes.
func TestNoBytesArePassedOver(t *testing.T) {
	ts, dir := newTables(t)
	enginetest.Parquet(t, filepath.Join(dir, "b.parquet"), `SELECT (['\x00', '\xFF\x00', 'ab']::BLOB[])[i % 3 + 1] AS b FROM range(300) t(i)`)
	for _, constant := range []string{`'\x00'`, `'\xFF\x00'`, `'ab'`, `(SELECT '\x00'::BLOB)`} {
		q, err := ts.Query(t.Context(), QueryRequest{Source: Source{Path: "b.parquet"}, Query: "SELECT count(*) FROM data WHERE b = " + constant})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(q.Rows[0][0]); got != "100" {
			t.Errorf("b = %s: %s of 100 rows", constant, got)
		}
	}
}
