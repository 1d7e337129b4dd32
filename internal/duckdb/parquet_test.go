package duckdb

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestFilesOfUnsignedIntegersSuitAllReaders: of version 2, the engine writes the
// differences of UINTEGER in 64 bits, which other readers refuse.
func TestFilesOfUnsignedIntegersSuitAllReaders(t *testing.T) {
	c := connect(t, Options{})
	for _, typ := range []string{"UINTEGER", "UINTEGER[]", "STRUCT(a UINTEGER)", "MAP(VARCHAR, UINTEGER)", "BIGINT"} {
		value := map[string]string{"UINTEGER": "v::UINTEGER", "UINTEGER[]": "[v::UINTEGER]", "STRUCT(a UINTEGER)": "{'a': v::UINTEGER}",
			"MAP(VARCHAR, UINTEGER)": "MAP {'k': v::UINTEGER}", "BIGINT": "v::BIGINT"}[typ]
		sql := "SELECT " + value + " AS c FROM (SELECT (hash(range) % 4294967296) AS v FROM range(30000))"
		dir := t.TempDir()
		streamed, copied := filepath.Join(dir, "streamed.parquet"), filepath.Join(dir, "copied.parquet")
		s, err := connect(t, Options{}).Query(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := c.WriteParquet(t.Context(), streamed, s)
		s.Release()
		if err != nil || rows != 30000 {
			t.Fatalf("%s: %d rows, %v", typ, rows, err)
		}
		cols, err := c.Describe(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Exec(t.Context(), "COPY ("+sql+")"+ToParquet(copied, cols)); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{streamed, copied} {
			var encodings string
			if err := c.QueryRow(t.Context(), "SELECT string_agg(DISTINCT encodings, ' ') FROM parquet_metadata("+Literal(file)+")", nil, &encodings); err != nil {
				t.Fatal(err)
			}
			if differences := strings.Contains(encodings, "DELTA_BINARY_PACKED"); differences != (typ == "BIGINT") {
				t.Errorf("%s in %s: %s", typ, filepath.Base(file), encodings)
			}
		}
	}
}
