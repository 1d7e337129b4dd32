package statement

import (
	"errors"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
)

// engine opens an engine of the test's own.
func engine(t testing.TB) *duckdb.Conn {
	t.Helper()
	db, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(conn.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	return conn
}

// refusal returns the error as what Check promises.
func refusal(t testing.TB, err error) *api.Error {
	t.Helper()
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.CodeStatement {
		t.Fatalf("got error %v, want a %s error", err, api.CodeStatement)
	}
	return e
}
