package parquetfile_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/parquetfile"
	"github.com/agnes-data/da/internal/testing/enginetest"
)

// TestTheFooterTellsWhatTheEngineCounts compares the footer of a file of several row groups
// with its rows.
func TestTheFooterTellsWhatTheEngineCounts(t *testing.T) {
	conn := enginetest.Conn(t)
	path := filepath.Join(t.TempDir(), "rows.parquet")
	err := conn.Exec(t.Context(), fmt.Sprintf(`COPY (SELECT i AS n, CASE WHEN i %% 10 <> 3 THEN -i END AS some,
		CASE WHEN i > 250000 THEN i::INTEGER END AS late, (i / 100)::DECIMAL(9, 2) AS price, i / 8.0::DOUBLE AS share,
		CASE WHEN i = 270000 THEN 'nan'::DOUBLE ELSE 1 END AS odd, {'a': i, 'n': 5} AS both, [i] AS list, 'x' AS text,
		NULL::BIGINT AS none FROM range(300000) t(i)) TO %s (ROW_GROUP_SIZE 122880)`, duckdb.Literal(path)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := parquetfile.ReadFooter(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]parquetfile.Facts{
		"n":     {Least: int64(0), Most: int64(299_999)},
		"some":  {Nulls: 30_000, Least: int64(-299_999), Most: int64(0)},
		"late":  {Nulls: 250_001},
		"price": {Least: int64(0), Most: int64(299_999)},
		"share": {Least: 0.0, Most: 299_999.0 / 8},
		"odd":   {}, "text": {}, "none": {Nulls: 300_000},
	}
	if got.Rows != 300_000 || !reflect.DeepEqual(got.Facts, want) {
		t.Errorf("the footer tells\n%v, and the rows are\n%v", got, want)
	}
}

// TestDictionariesListTheTextsOfAColumn: only if each page of it has values from there.
func TestDictionariesListTheTextsOfAColumn(t *testing.T) {
	conn := enginetest.Conn(t)
	path := filepath.Join(t.TempDir(), "rows.parquet")
	for _, codec := range []string{"zstd", "snappy", "uncompressed"} {
		for _, version := range []string{"V1", "V2"} {
			err := conn.Exec(t.Context(), fmt.Sprintf(`COPY (SELECT CASE WHEN i %% 7 > 0 THEN 'k' || i %% 3 END AS few, CASE WHEN i > 5000 THEN 'late' ELSE '' END AS late,
				'v' || i AS many, i %% 3 AS number, ['x'] AS list, NULL::VARCHAR AS none FROM range(6000) t(i)) TO %s (ROW_GROUP_SIZE 2048, COMPRESSION %s, PARQUET_VERSION %s)`,
				duckdb.Literal(path), codec, version))
			if err != nil {
				t.Fatal(err)
			}
			f, err := parquetfile.ReadFooter(path)
			if err != nil {
				t.Fatal(err)
			}
			for column, want := range map[string][]string{"few": {"k0", "k1", "k2"}, "late": {"", "late"}, "many": nil, "number": nil, "list": nil, "absent": nil} {
				got, known := f.Texts(column)
				if texts := slices.Sorted(maps.Keys(got)); known != (want != nil) || !slices.Equal(texts, want) {
					t.Errorf("%s, %s: the texts of %s are %q (%v), not %q", codec, version, column, texts, known, want)
				}
			}
			if got, _ := f.Texts("none"); len(got) > 0 {
				t.Errorf("NULL is told as %v", got)
			}
		}
	}
}
