package arrowjson

import (
	"context"
	"testing"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/enginetest"
)

// What the engine really sends, for each of its types.
func TestValuesFromDuckDB(t *testing.T) {
	conn := enginetest.Conn(t)
	tests := []struct{ sql, want string }{
		{"NULL", "null"},
		{"true", "true"},
		{"(-128)::TINYINT", "-128"},
		{"255::UTINYINT", "255"},
		{"(-32768)::SMALLINT", "-32768"},
		{"65535::USMALLINT", "65535"},
		{"42", "42"},
		{"4294967295::UINTEGER", "4294967295"},
		{"9007199254740993", `"9007199254740993"`},
		{"18446744073709551615::UBIGINT", `"18446744073709551615"`},
		{"(-5)::HUGEINT", "-5"},
		{"'-170141183460469231731687303715884105728'::HUGEINT", `"-170141183460469231731687303715884105728"`},
		{"'340282366920938463463374607431768211455'::UHUGEINT", `"340282366920938463463374607431768211455"`},
		{"'-123456789012345678901234567890123456789012345'::BIGNUM", `"-123456789012345678901234567890123456789012345"`},
		{"1.5::DECIMAL(4,1)", "1.5"},
		{"-0.05::DECIMAL(9,2)", "-0.05"},
		{"123456789012345.678::DECIMAL(18,3)", `"123456789012345.678"`},
		{"'1234567890123456789012345678.0123456789'::DECIMAL(38,10)", `"1234567890123456789012345678.0123456789"`},
		{"0.1::FLOAT", "0.1"},
		{"0.1::DOUBLE", "0.1"},
		{"'nan'::DOUBLE", `"NaN"`},
		{"'-infinity'::FLOAT", `"-Infinity"`},
		{"'a''\"\\'::VARCHAR", `"a'\"\\"`},
		{"''::VARCHAR", `""`},
		{"'b'::ENUM('a','b')", `"b"`},
		{`'\xAA\x01'::BLOB`, `"qgE="`},
		{"'10101'::BIT", `"10101"`},
		{"'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'::UUID", `"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"`},
		{"'{\"b\": [1, 2], \"a\": null}'::JSON", `{"b":[1,2],"a":null}`},
		{"DATE '2026-01-31'", `"2026-01-31"`},
		{"'0044-03-15 (BC)'::DATE", `"-000043-03-15"`},
		{"'infinity'::DATE", `"infinity"`},
		{"TIME '12:34:56.789'", `"12:34:56.789"`},
		{"TIME '24:00:00'", `"24:00:00"`},
		{"'12:34:56+02:30'::TIMETZ", `"12:34:56+02:30"`},
		{"'12:34:56-15:59:59'::TIMETZ", `"12:34:56-15:59:59"`},
		{"TIMESTAMP '2026-01-01 00:00:00'", `"2026-01-01T00:00:00"`},
		{"TIMESTAMP_S '2026-01-01 00:00:00'", `"2026-01-01T00:00:00"`},
		{"TIMESTAMP_MS '2026-01-01 00:00:00.5'", `"2026-01-01T00:00:00.5"`},
		{"TIMESTAMP_NS '2026-01-01 00:00:00.123456789'", `"2026-01-01T00:00:00.123456789"`},
		{"TIMESTAMPTZ '2026-01-01 00:00:00+02'", `"2025-12-31T22:00:00Z"`},
		{"'-infinity'::TIMESTAMPTZ", `"-infinity"`},
		{"INTERVAL '1 year 2 months 3 days 04:05:06.7'", `"P1Y2M3DT4H5M6.7S"`},
		{"[1, NULL, 3]", "[1,null,3]"},
		{"[1, 2]::INTEGER[2]", "[1,2]"},
		{"['f81d4fae-7dec-11d0-a765-00a0c91e6bf6'::UUID]", `["f81d4fae-7dec-11d0-a765-00a0c91e6bf6"]`},
		{"{'a': 5::HUGEINT, 'b': {'c': true}}", `{"a":5,"b":{"c":true}}`},
		{"row(1, 'x')", `{"":1,"_1":"x"}`},
		{"map {'a': 1, 'b': NULL}", `{"a":1,"b":null}`},
		{"map {1: 'x'}", `[{"key":1,"value":"x"}]`},
		{"union_value(num := 1)", "1"},
	}
	for _, tt := range tests {
		if got := fromDuckDB(t, conn, tt.sql); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.sql, got, tt.want)
		}
	}
}

// fromDuckDB returns the value of the expression, which is the second of three
// rows, the others being NULL.
func fromDuckDB(t *testing.T, conn *duckdb.Conn, sql string) string {
	t.Helper()
	stream, err := conn.Query(context.Background(), "VALUES (NULL), ("+sql+"), (NULL)")
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer stream.Release()
	var got []byte
	for n := 0; stream.Next(); {
		batch := stream.RecordBatch()
		column := Bind(batch.Schema().Field(0), batch.Column(0))
		for i := range int(batch.NumRows()) {
			if n == 1 {
				got = column.AppendJSON(nil, i)
			} else if outer := column.AppendJSON(nil, i); string(outer) != "null" {
				t.Errorf("%s: NULL became %s", sql, outer)
			}
			n++
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return string(got)
}
