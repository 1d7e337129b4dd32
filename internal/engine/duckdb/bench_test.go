package duckdb

import (
	"path/filepath"
	"testing"
)

// benchRows makes rows like those of a warehouse: keys, decimals, dates, codes.
const benchRows = `SELECT range AS k, range * 7 % 200000 AS part, (range % 5000 / 100)::DECIMAL(15,2) AS qty,
	(range % 100000)::DECIMAL(15,2) AS price, (range % 11 / 100.0)::DECIMAL(15,2) AS discount,
	['A','N','R'][range % 3 + 1] AS flag, DATE '1992-01-01' + (range % 2500)::INTEGER AS shipped,
	'mode ' || range % 7 AS mode FROM range(3000000)`

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		db, err := Open(Options{})
		if err != nil {
			b.Fatal(err)
		}
		c, err := db.Conn()
		if err != nil {
			b.Fatal(err)
		}
		if err := c.Exec(b.Context(), "SELECT 1"); err != nil {
			b.Fatal(err)
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func benchStream(b *testing.B, sql string) {
	c := connect(b, Options{PreserveOrder: true})
	must(b, c, "CREATE TABLE t AS "+benchRows)
	b.ResetTimer()
	var rows int64
	for b.Loop() {
		rows = 0
		s, err := c.Query(b.Context(), sql)
		if err != nil {
			b.Fatal(err)
		}
		for s.Next() {
			rows += s.RecordBatch().NumRows()
		}
		s.Release()
		if s.Err() != nil {
			b.Fatal(s.Err())
		}
	}
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkStreamFlat(b *testing.B)   { benchStream(b, "SELECT * FROM t") }
func BenchmarkStreamNested(b *testing.B) { benchStream(b, "SELECT *, [k] AS l FROM t") }

func BenchmarkImport(b *testing.B) {
	src := connect(b, Options{PreserveOrder: true})
	must(b, src, "CREATE TABLE t AS "+benchRows)
	dst := connect(b, Options{})
	out := filepath.Join(b.TempDir(), "out.parquet")
	b.ResetTimer()
	for b.Loop() {
		s, err := src.Query(b.Context(), "SELECT * FROM t")
		if err != nil {
			b.Fatal(err)
		}
		err = dst.Import(b.Context(), "v", s, "COPY (SELECT * FROM v) TO "+Literal(out)+" (FORMAT parquet, PARQUET_VERSION V2)")
		s.Release()
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCopy is what BenchmarkImport would cost without Arrow in between.
func BenchmarkCopy(b *testing.B) {
	src := connect(b, Options{})
	must(b, src, "CREATE TABLE t AS "+benchRows)
	out := filepath.Join(b.TempDir(), "out.parquet")
	b.ResetTimer()
	for b.Loop() {
		must(b, src, "COPY t TO "+Literal(out)+" (FORMAT parquet, PARQUET_VERSION V2)")
	}
}
