package lake

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/source/embedded"
)

// TestHeavy knows what the engine may be busy with for long at one stretch.
func TestHeavy(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "t.parquet", "SELECT 'a' AS s, 'b' AS s2, 1 AS n, DATE '2026-01-01' AS d")
	for where, want := range map[string]bool{
		"n = 1 AND d > DATE '2026-01-01' - 7 AND s IN ('a', 'b')":             false,
		"date_trunc('month', d) = DATE '2026-01-01' OR n % 7 = 2":             false,
		"lower(s) = 'a' AND upper(trim(s2)) <> 'b'":                           false,
		"s LIKE 'a%' AND s LIKE '%a%b%' AND s LIKE 'a__b' AND s2 ILIKE '%x%'": false,
		"s = '" + strings.Repeat("a", 1000) + "'":                             false,
		"s LIKE '%a_b%'":                                   true,
		`s LIKE '%a\%%b%' ESCAPE '\'`:                      true,
		"regexp_matches(s, 'a+b')":                         true,
		"replace(s, 'a', 'bb') = 'b'":                      true,
		"upper(lower(upper(lower(trim(s))))) = 'A'":        true,
		"s || s || s || s || s = 'a'":                      true,
		strings.Repeat("s LIKE '%a%' OR ", 40) + "n = 1":   true,
		strings.Repeat("n = 1 OR n > 7 OR ", 40) + "n = 1": false,
		"CASE WHEN regexp_matches('" + strings.Repeat("a", 99) + "', 'b') THEN 1 END = n": true,
	} {
		if got := embedded.Heavy(f.where(t, "t.parquet", where)); got != want {
			t.Errorf("%.60s: heavy is %v", where, got)
		}
	}
}

// TestAHeavyConditionEndsInTime ends with its deadline what no interrupt ends.
func TestAHeavyConditionEndsInTime(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "t.parquet", "SELECT repeat('Aab ' || range, 20000) AS s FROM range(64)")
	scan := f.scan(t, "t.parquet", "s LIKE '%a"+strings.Repeat("_", 3000)+"c%z'", "s")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	r, err := f.lake.Scan(ctx, scan)
	if err == nil {
		_, err = enginetest.Rows(r)
	}
	if !api.CodeTimeout.Is(err) || errors.Is(err, duckdb.ErrAbandoned) {
		t.Errorf("%v", err)
	}
}
