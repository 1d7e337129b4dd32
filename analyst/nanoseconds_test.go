package analyst_test

import (
	"path/filepath"
	"testing"

	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/enginetest"
)

// TestWhatIsPlannedKeepsTheTypesOfTheSource: conditions on nanoseconds lose no
// rows, and maps are maps.
func TestWhatIsPlannedKeepsTheTypesOfTheSource(t *testing.T) {
	a, _, dir := served(t)
	file := filepath.Join(dir, "data/t.parquet")
	enginetest.Parquet(t, file, `SELECT i AS id, make_timestamp_ns(epoch_ns(TIMESTAMP '2025-01-01 00:00:00.1234561') + i) AS tns,
		{'at': make_timestamp_ns(epoch_ns(TIMESTAMP '2025-01-01 00:00:00.1234561') + i), 'm': MAP {'a': i}} AS s, MAP {'a': i, 'b': 1} AS m, [i::DOUBLE] AS l FROM range(6) r(i)`)
	conn := enginetest.Conn(t)
	if err := conn.Exec(t.Context(), "CREATE VIEW t AS FROM read_parquet("+duckdb.PathLiteral(file)+")"); err != nil {
		t.Fatal(err)
	}
	at := "'2025-01-01 00:00:00.12345610"
	for _, sql := range []string{
		"SELECT count(*) FROM t WHERE tns = " + at + "3'",
		"SELECT count(*) FROM t WHERE tns < " + at + "3'",
		"SELECT count(*) FROM t WHERE tns <= " + at + "3'",
		"SELECT count(*) FROM t WHERE tns IN (" + at + "3', " + at + "5')",
		"SELECT count(*) FROM t WHERE tns BETWEEN " + at + "1' AND " + at + "3'",
		"SELECT count(*) FROM t WHERE tns <> TIMESTAMPTZ '2025-01-01 00:00:00.123456+00'",
		"SELECT count(*) FROM t WHERE tns >= " + at + "3' AND NOT tns > " + at + "4'",
		"SELECT count(*) FROM t WHERE s.at = " + at + "3'",
		"SELECT count(*) FROM t x JOIN t y ON x.tns = y.tns WHERE x.id = 3",
		"SELECT id, map_keys(m), m['a'], cardinality(m), element_at(m, 'a'), typeof(m), typeof(s), typeof(tns) FROM t WHERE m['a'] > 2 ORDER BY id",
		"SELECT sum(m['a'])::BIGINT, sum(s.m['a'])::BIGINT FROM t",
	} {
		rows, err := conn.Query(t.Context(), sql)
		want, err := enginetest.Text(rows, err)
		if err != nil {
			t.Fatal(err)
		}
		if got := fetched(t, a, sql, plan.Options{}); got != want {
			t.Errorf("%s gives\n%s\nwant\n%s", sql, got, want)
		}
	}
}
