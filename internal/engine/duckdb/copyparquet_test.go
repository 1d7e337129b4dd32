package duckdb

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestCopiesHaveTheRowsOfTheirSelect: files of flat types, which our own writer
// writes, and of others have the types and rows of the SELECT, in its order if that
// is wanted.
func TestCopiesHaveTheRowsOfTheirSelect(t *testing.T) {
	for _, ordered := range []bool{true, false} {
		t.Run(fmt.Sprint("ordered ", ordered), func(t *testing.T) { copies(t, ordered) })
	}
}

func copies(t *testing.T, ordered bool) {
	c := connect(t, Options{PreserveOrder: ordered, Threads: 3})
	for sql, ours := range map[string]bool{
		"SELECT i, i::DECIMAL(12,2) AS d, 'x' || i AS s FROM range(200000) t(i) WHERE mod(i, 3) > 0 ORDER BY i DESC": true,
		// Decimals as wide as the engine has them, at their bounds, and texts about as long as a key.
		"SELECT i, CASE mod(i, 5) WHEN 0 THEN 999.9 WHEN 1 THEN NULL ELSE -999.9 END::DECIMAL(4,1) AS a, nullif(i - 99999, 5)::DECIMAL(9,3) AS b, (i - 99999)::DECIMAL(18,3) * 1000000000::DECIMAL(18,0) AS c, (i - 99999)::DECIMAL(38,10) AS d, repeat('x', (i % 11)::INT) || repeat(chr(0), (i % 2)::INT) AS s FROM range(200000) t(i)": true,
		"SELECT i, i::HUGEINT AS h FROM range(1000) t(i)":   false,
		"SELECT i, [i, i + 1] AS l FROM range(100000) t(i)": false,
		"SELECT 1 AS i WHERE false":                         true,
	} {
		file := filepath.Join(t.TempDir(), "rows.parquet")
		if err := c.CopyParquet(t.Context(), sql, file, ordered); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		sum := "SELECT concat_ws(' ', count(*)::VARCHAR, sum(hash(r))::VARCHAR, (SELECT string_agg(i::VARCHAR, ',') FROM (FROM (%) LIMIT 5))) FROM (%) r"
		if !ordered {
			sum = "SELECT concat_ws(' ', count(*)::VARCHAR, sum(hash(r))::VARCHAR) FROM (%) r"
		}
		var want, got, by string
		if err := c.QueryRow(t.Context(), strings.ReplaceAll(sum, "%", sql), nil, &want); err != nil {
			t.Fatal(err)
		}
		if err := c.QueryRow(t.Context(), strings.ReplaceAll(sum, "%", "FROM "+Literal(file)), nil, &got); err != nil {
			t.Fatal(err)
		}
		if h := strings.Contains(sql, "HUGEINT"); got != want && !h { // the engine stores these as DOUBLE
			t.Errorf("%s: %.60s in place of %.60s", sql, got, want)
		}
		if err := c.QueryRow(t.Context(), "SELECT created_by FROM parquet_file_metadata("+Literal(file)+")", nil, &by); err != nil || (by == "da") != ours {
			t.Errorf("%s: written by %s, %v", sql, by, err)
		}
	}
	if err := c.CopyParquet(t.Context(), "SELECT error('no')", filepath.Join(t.TempDir(), "x"), ordered); err == nil {
		t.Error("an error of the statement is lost")
	}
	if err := c.CopyParquet(t.Context(), "SELECT 1 AS i", t.TempDir(), ordered); err == nil {
		t.Error("a folder is written to")
	}
	if err := c.Exec(t.Context(), "SELECT 1"); err != nil {
		t.Errorf("a failed copy leaves the connection unusable: %v", err)
	}
}
