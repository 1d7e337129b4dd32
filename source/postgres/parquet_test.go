package postgres

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/source"
)

// TestIntoParquet sends values through the query engine's parquet writer, as a
// fetch does, and reads them again: name, SQL in PostgreSQL, the type in the
// snapshot, and SQL of the query engine that must be true of the value.
func TestIntoParquet(t *testing.T) {
	d := newDatabase(t)
	t.Cleanup(func() { d.source.Close() })
	d.exec(t, "CREATE TYPE pair AS (a int, b numeric(5,2))")
	kinds := []struct{ sql, typ, holds string }{
		{"'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", "UUID", "v = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::UUID"},
		{`'{"a": [1, null]}'::jsonb`, "JSON", "v->>'$.a[0]' = '1'"},
		{`'{"a":1,  "b":2}'::json`, "JSON", `v::VARCHAR = '{"a":1,  "b":2}'`},
		{"'1 year -2 days 03:04:05.6'::interval", "VARCHAR", "v::INTERVAL = INTERVAL '1 year -2 days 3 hours 4 minutes 5.6 seconds'"},
		{"'-1 months -03:04:05.6'::interval", "VARCHAR", "v::INTERVAL = INTERVAL '-1 months' - INTERVAL '3 hours 4 minutes 5.6 seconds'"},
		{"12345678901234567890123456789.123456789::numeric(38,9)", "DECIMAL(38,9)", "v::VARCHAR = '12345678901234567890123456789.123456789'"},
		{"(-0.01)::numeric(4,2)", "DECIMAL(4,2)", "v = -0.01"},
		{"1e30::numeric", "VARCHAR", "v = '1' || repeat('0', 30)"},
		{"'infinity'::date", "DATE", "v = 'infinity'::DATE"}, {"'-infinity'::date", "DATE", "v = '-infinity'::DATE"},
		{"'infinity'::timestamp", "TIMESTAMP", "v = 'infinity'::TIMESTAMP"}, {"'-infinity'::timestamptz", "TIMESTAMP WITH TIME ZONE", "v = '-infinity'::TIMESTAMPTZ"},
		{"'0044-03-15 BC'::date", "DATE", "v = '0044-03-15 (BC)'::DATE"}, {"'2500-01-01 00:00:00.000001+02'::timestamptz", "TIMESTAMP WITH TIME ZONE", "v = '2499-12-31 22:00:00.000001+00'::TIMESTAMPTZ"},
		{"'24:00'::time", "TIME", "v = '24:00:00'::TIME"}, {"'NaN'::float4", "FLOAT", "isnan(v)"},
		{"'{1,NULL,3}'::int[]", "INTEGER[]", "v = [1, NULL, 3]"}, {"'{a,\"b c\"}'::text[]", "VARCHAR[]", "v = ['a', 'b c']"},
		{"'{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}'::uuid[]", "UUID[]", "v[1] = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::UUID"},
		{"ROW(1, 1.5)::pair", "STRUCT(a INTEGER, b DECIMAL(5,2))", "v.a = 1 AND v.b = 1.5"},
		{"ARRAY[ROW(1, 1.5)::pair, NULL]", "STRUCT(a INTEGER, b DECIMAL(5,2))[]", "v[1].b = 1.5 AND v[2] IS NULL"},
		{"'\\x00ff'::bytea", "BLOB", "v = '\\x00\\xFF'::BLOB"}, {"repeat('0123456789', 100000)", "VARCHAR", "length(v) = 1000000"},
	}
	items := make([]string, len(kinds))
	scan := source.Scan{Relation: source.Relation{Name: "kinds"}}
	for i, k := range kinds {
		name := "c" + strings.Repeat("c", i)
		items[i] = k.sql + " AS " + name
		scan.Select = append(scan.Select, name)
	}
	d.exec(t, "CREATE TABLE kinds AS SELECT "+strings.Join(items, ", ")+"; INSERT INTO kinds SELECT")
	conn := enginetest.Conn(t)
	r, err := d.source.Scan(t.Context(), scan)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	file := duckdb.Literal(filepath.Join(t.TempDir(), "kinds.parquet"))
	if err := conn.Import(t.Context(), "incoming", r, "COPY (SELECT * FROM incoming) TO "+file+" (FORMAT parquet)"); err != nil {
		t.Fatal(err)
	}
	for i, k := range kinds {
		var typ string
		var values, nulls int64
		sql := "SELECT any_value(typeof(v)), count(*) FILTER (WHERE " + k.holds + "), count(*) FILTER (WHERE v IS NULL) FROM (SELECT " + scan.Select[i] + " AS v FROM " + file + ")"
		if err := conn.QueryRow(t.Context(), sql, nil, &typ, &values, &nulls); err != nil || typ != k.typ || values != 1 || nulls != 1 {
			t.Errorf("%s: type %s, %d values, %d NULLs, %v", k.sql, typ, values, nulls, err)
		}
	}
}
