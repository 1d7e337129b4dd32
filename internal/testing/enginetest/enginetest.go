// Package enginetest gives tests a query engine and helpers for its rows. Tests
// that measure or limit the engine open their own.
package enginetest

import (
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// Conn returns a connection to an empty database that keeps the order of rows.
// Both are closed with the test.
func Conn(t testing.TB) *duckdb.Conn {
	t.Helper()
	db, err := duckdb.Open(duckdb.Options{PreserveOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // nothing depends on it any more
	return connect(t, db)
}

func connect(t testing.TB, db *duckdb.DB) *duckdb.Conn {
	t.Helper()
	conn, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// files is the engine of Writer, which lives as long as the tests.
var files = sync.OnceValues(func() (*duckdb.DB, error) { return duckdb.Open(duckdb.Options{PreserveOrder: true}) })

// Writer returns a connection to write files with. All tests of a package share
// its database: opening one costs more than most files do.
func Writer(t testing.TB) *duckdb.Conn {
	t.Helper()
	db, err := files()
	if err != nil {
		t.Fatal(err)
	}
	return connect(t, db)
}

// Parquet writes the result of a SELECT into a file.
func Parquet(t testing.TB, file, sql string) {
	t.Helper()
	if err := Writer(t).Exec(t.Context(), "COPY ("+sql+") TO "+duckdb.Literal(file)+" (FORMAT parquet, ROW_GROUP_SIZE 2048)"); err != nil {
		t.Fatal(err)
	}
}

// Text returns the Rows of a call's result as one text, one line per row.
func Text(r array.RecordReader, err error) (string, error) {
	if err != nil {
		return "", err
	}
	rows, err := Rows(r)
	return strings.Join(rows, "\n"), err
}

// Rows drains a reader and releases it. Each row is one text: its values as Arrow
// writes them, separated by bars.
func Rows(r array.RecordReader) ([]string, error) {
	defer r.Release()
	var rows []string
	for r.Next() {
		b := r.RecordBatch()
		for i := range int(b.NumRows()) {
			cells := make([]string, b.NumCols())
			for c := range cells {
				cells[c] = b.Column(c).ValueStr(i)
			}
			rows = append(rows, strings.Join(cells, "|"))
		}
	}
	return rows, r.Err()
}
