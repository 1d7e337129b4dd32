// Package enginetest gives tests a query engine of their own, and the rows that
// it finds. What is measured or has limits opens its own.
package enginetest

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/internal/duckdb"
)

// Conn is a connection to an empty database that keeps the order of rows. Both
// go with the test.
func Conn(t testing.TB) *duckdb.Conn {
	t.Helper()
	db, err := duckdb.Open(duckdb.Options{PreserveOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // nothing depends on what is left of it
	conn, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// Parquet writes the result of a SELECT into a file.
func Parquet(t testing.TB, file, sql string) {
	t.Helper()
	if err := Conn(t).Exec(t.Context(), "COPY ("+sql+") TO "+duckdb.Literal(file)+" (FORMAT parquet, ROW_GROUP_SIZE 2048)"); err != nil {
		t.Fatal(err)
	}
}

// Text is Rows of what a call has returned, a row a line.
func Text(r array.RecordReader, err error) (string, error) {
	if err != nil {
		return "", err
	}
	rows, err := Rows(r)
	return strings.Join(rows, "\n"), err
}

// Rows drains a reader and releases it: a row a text, its values as Arrow
// writes them with bars between.
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
