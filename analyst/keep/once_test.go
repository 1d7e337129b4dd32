package keep_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/internal/testing/enginetest"
)

// TestDescribeNotesKeys holds what reading rows back tells of their columns, whatever the order
// in which threads read the row groups.
func TestDescribeNotesKeys(t *testing.T) {
	conn, path := enginetest.Conn(t), filepath.Join(t.TempDir(), "f.parquet")
	if err := conn.Exec(t.Context(), `COPY (SELECT i AS near, 299999 - i AS falls, ((i * 7919) % 300000)::INTEGER AS mixed, i * 1000003 - 9000000000 AS far,
		(hash(i) >> 1)::BIGINT AS wild, nullif(i, 5) AS hole, i // 2 AS pair, CASE WHEN i = 299999 THEN 0 ELSE i END AS late,
		CASE WHEN i = 299999 THEN 0 ELSE i * 1000003 END AS late_far, (i % 9)::INTEGER AS few, 'k' || i % 9 AS word, 'k' || i AS code, i AS "Odd ""name"
		FROM range(300000) t(i)) TO '`+path+`' (FORMAT PARQUET, ROW_GROUP_SIZE 20000)`); err != nil {
		t.Fatal(err)
	}
	few := filepath.Join(t.TempDir(), "few.parquet")
	if err := conn.Exec(t.Context(), `COPY (SELECT (hash(i) >> 1)::BIGINT AS wild, 'k' || i // 2 AS pair, 'k' || i AS code FROM range(60000) t(i)
		) TO '`+few+`' (FORMAT PARQUET, ROW_GROUP_SIZE 20000)`); err != nil {
		t.Fatal(err)
	}
	m, err := keep.Describe(t.Context(), conn, few, nil)
	if err != nil || !slices.Equal(m.Once, []string{"wild"}) || len(m.Twice) > 0 {
		t.Errorf("of few rows: once %q, twice %q, %v", m.Once, m.Twice, err)
	}
	m, err = keep.Describe(t.Context(), conn, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"near", "falls", "mixed", "far", "wild", "code", `Odd "name`}; !slices.Equal(m.Once, want) {
		t.Errorf("once: %q, want %q", m.Once, want)
	}
	if want := []string{"few", "late", "pair", "word"}; !slices.Equal(slices.Sorted(slices.Values(m.Twice)), want) {
		t.Errorf("twice: %q, want %q", m.Twice, want)
	}
}
