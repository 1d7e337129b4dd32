package duckdb

import (
	"io"
	"path/filepath"
	"testing"
)

// TestWideRowsAreWrittenInLittleMemory: of rows of 60 kB, a row group of the usual
// number of rows takes gigabytes. Narrow rows keep that number.
func TestWideRowsAreWrittenInLittleMemory(t *testing.T) {
	for what, c := range map[string]struct {
		sql         string
		ordered     bool
		rows, least int64 // of the whole, and of a row group
	}{
		"wide, in order":  {"SELECT i, repeat(md5(i::VARCHAR), 2000) AS s FROM range(3600) t(i)", true, 3_600, 0},
		"wide, unordered": {"SELECT i, repeat(md5(i::VARCHAR), 2000) AS s FROM range(3600) t(i)", false, 3_600, 0},
		"narrow":          {"SELECT i, 'x' || i AS s FROM range(250000) t(i)", true, 250_000, groupRows},
	} {
		rows, err := connect(t, Options{PreserveOrder: c.ordered}).Query(t.Context(), c.sql)
		if err != nil {
			t.Fatal(err)
		}
		conn := connect(t, Options{MemoryLimit: "200MB", Threads: 2, PreserveOrder: c.ordered})
		if err := conn.PipeParquet(t.Context(), io.Discard, rows, Snappy); err != nil {
			t.Errorf("%s, into a pipe: %v", what, err)
		}
		rows.Release()
		if rows, err = connect(t, Options{PreserveOrder: c.ordered}).Query(t.Context(), c.sql); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "rows.parquet")
		if n, err := conn.WriteParquet(t.Context(), file, rows); err != nil || n != c.rows {
			t.Errorf("%s, into a file: %d rows, %v", what, n, err)
		}
		rows.Release()
		var most int64
		if err := conn.QueryRow(t.Context(), "SELECT max(row_group_num_rows) FROM parquet_metadata("+Literal(file)+")", nil, &most); err != nil || most < c.least {
			t.Errorf("%s: a row group has %d rows, %v", what, most, err)
		}
	}
}
