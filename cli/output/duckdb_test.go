package output

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/enginetest"
)

const rowsOfManyTypes = `
	SELECT i AS n, CASE WHEN i % 3 = 0 THEN NULL ELSE i / 7 END AS f, (i / 8)::DECIMAL(18,3) AS d,
		CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN 'a,"b"' || chr(10) || chr(9) || '\' ELSE '日本' END AS s,
		DATE '2026-01-31' + i::INTEGER AS day, TIMESTAMP '2026-01-31 12:34:56.789' + INTERVAL (i) SECOND AS moment,
		i % 2 = 0 AS even
	FROM range(5000) t(i) ORDER BY i`

// What DuckDB reads from our files is what it sent us.
func TestDuckDBReadsWhatWeWrite(t *testing.T) {
	conn, second := enginetest.Conn(t), enginetest.Conn(t)
	writeParquet := func(ctx context.Context, path string, rdr array.RecordReader) (int64, error) {
		return 0, second.Import(ctx, "rows_in", rdr, "COPY (SELECT * FROM rows_in) TO "+duckdb.Literal(path)+" (FORMAT parquet)")
	}
	const columns = "{n: 'BIGINT', f: 'DOUBLE', d: 'DECIMAL(18,3)', s: 'VARCHAR', day: 'DATE', moment: 'TIMESTAMP', even: 'BOOLEAN'}"
	readers := map[Format]string{
		Parquet: "read_parquet(%)",
		CSV:     "read_csv(%, header = true, allow_quoted_nulls = false, columns = " + columns + ")",
		NDJSON:  "read_json(%, format = 'newline_delimited', columns = " + columns + ")",
		JSON:    "read_json(%, format = 'array', columns = " + columns + ")",
	}
	dir := t.TempDir()
	for f, reader := range readers {
		path := filepath.Join(dir, "rows."+string(f))
		stream, err := conn.Query(context.Background(), rowsOfManyTypes)
		if err != nil {
			t.Fatal(err)
		}
		summary, err := WriteFile(context.Background(), path, api.WithCaveats(stream, nil), f, false, Options{WriteParquet: writeParquet})
		stream.Release()
		if err != nil || summary.Rows != 5000 || summary.Truncated || len(summary.Caveats) > 0 {
			t.Fatalf("%s: %+v, %v", f, summary, err)
		}
		before, after, _ := strings.Cut(reader, "%")
		from := before + duckdb.Literal(path) + after
		var differ, read int64
		sql := "SELECT (SELECT count(*) FROM " + from + "), (SELECT count(*) FROM ((SELECT * FROM " + from + " EXCEPT ALL (" + rowsOfManyTypes + "))))"
		if err := conn.QueryRow(context.Background(), sql, nil, &read, &differ); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if read != 5000 || differ != 0 {
			t.Errorf("%s: DuckDB reads %d rows, of which %d differ", f, read, differ)
		}
	}
}
