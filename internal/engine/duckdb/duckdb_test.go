package duckdb

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
)

// connect opens an instance in memory and one connection to it.
func connect(t testing.TB, opts Options) *Conn {
	t.Helper()
	db, err := Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return session(t, db)
}

// session opens one more connection.
func session(t testing.TB, db *DB) *Conn {
	t.Helper()
	c, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// must runs statements that cannot fail.
func must(t testing.TB, c *Conn, sql ...string) {
	t.Helper()
	for _, s := range sql {
		if err := c.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// query starts a statement that cannot fail and releases it with the test.
func query(t testing.TB, c *Conn, sql string, args ...any) *Stream {
	t.Helper()
	s, err := c.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	t.Cleanup(s.Release)
	return s
}

// texts returns every value of a result as text, row by row.
func texts(t testing.TB, r array.RecordReader) [][]string {
	t.Helper()
	var rows [][]string
	for r.Next() {
		b := r.RecordBatch()
		for i := range int(b.NumRows()) {
			row := make([]string, b.NumCols())
			for j, c := range b.Columns() {
				row[j] = c.ValueStr(i)
			}
			rows = append(rows, row)
		}
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return rows
}

// one returns the only value of a statement as text.
func one(t testing.TB, c *Conn, sql string) string {
	t.Helper()
	rows := texts(t, query(t, c, sql))
	if len(rows) != 1 || len(rows[0]) != 1 {
		t.Fatalf("%s: one value is expected, not %v", sql, rows)
	}
	return rows[0][0]
}
