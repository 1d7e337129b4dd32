package duckdb

import (
	"testing"
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

func TestSmoke(t *testing.T) {
	a, b := connect(t, Options{}), connect(t, Options{})
	s, err := a.Query(t.Context(), "SELECT range AS a, 's' || range AS b FROM range($1)", 300_000)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Import(t.Context(), "v", s, "CREATE TABLE t AS SELECT * FROM v"); err != nil {
		t.Fatal(err)
	}
	s.Release()
	var n, sum int64
	var last string
	err = b.QueryRow(t.Context(), "SELECT count(*), sum(a), max(b) FROM t", nil, &n, &sum, &last)
	if err != nil || n != 300_000 || sum != 300_000*299_999/2 || last != "s99999" {
		t.Fatal(n, sum, last, err)
	}
}
