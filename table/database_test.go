package table

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
)

// database writes a database of SQLite or, by the name, of DuckDB.
func database(t *testing.T, file, statements string) *sql.DB {
	t.Helper()
	if strings.HasSuffix(file, ".duckdb") {
		db, err := duckdb.OpenFile(file, false, duckdb.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		c, err := db.Conn()
		if err == nil {
			err = c.Exec(t.Context(), statements)
		}
		if err != nil {
			t.Fatal(err)
		}
		return nil
	}
	db, err := sql.Open("sqlite", file)
	if err == nil {
		_, err = db.ExecContext(t.Context(), statements)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestTablesOfDatabases(t *testing.T) {
	ts, dir := newTables(t)
	tables := `CREATE TABLE orders(n BIGINT, "day" DATE, x VARCHAR); INSERT INTO orders VALUES (1, '2026-01-31', 'a'), (2, NULL, 'b'); CREATE TABLE people(n INTEGER); CREATE VIEW v AS SELECT 1 AS n`
	database(t, filepath.Join(dir, "a.duckdb"), tables+"; CREATE SCHEMA s; CREATE TABLE s.t AS SELECT 7 AS n")
	database(t, filepath.Join(dir, "a.db"), tables+"; UPDATE orders SET x = 5 WHERE n = 2; UPDATE orders SET x = x'05' WHERE n = 1")
	for _, c := range []struct{ file, sheet, want, caveat string }{
		{"a.duckdb", "orders", `[[1,"2026-01-31","a"],[2,null,"b"]]`, ""},
		{"a.duckdb", "s.t", `[[7]]`, ""},
		{"a.db", "orders", `[[1,"2026-01-31","x'05'"],[2,null,"5"]]`, `column "x" holds values of several types (text: 1, bytes: 1)`},
		{"a.db", "people", `[]`, ""},
	} {
		r, err := ts.Query(t.Context(), QueryRequest{Source: sheetOf(c.file, c.sheet), Query: "SELECT * FROM data"})
		if err != nil {
			t.Errorf("%s %s: %v", c.file, c.sheet, err)
			continue
		}
		if got := show(t, r.Rows); got != c.want || len(r.Caveats) > 0 != (c.caveat != "") || c.caveat != "" && !strings.Contains(r.Caveats[0].Text, c.caveat) {
			t.Errorf("%s %s: %s %v", c.file, c.sheet, got, r.Caveats)
		}
	}
	for _, file := range []string{"a.duckdb", "a.db"} {
		if m, err := ts.Map(t.Context(), MapRequest{Source: sheetOf(file, "orders")}); err != nil || !strings.HasPrefix(strings.Join(m.Sheets, " "), "orders people") || *m.Sheet != "orders" {
			t.Errorf("%s: %+v %v", file, m, err)
		}
		for _, sheet := range []string{"", "v", "nobody"} {
			_, err := ts.Map(t.Context(), MapRequest{Source: sheetOf(file, sheet)})
			var e *api.Error
			if !errors.As(err, &e) || e.Kind != api.KindUnknownTable || !strings.Contains(e.Hint, "orders, people") {
				t.Errorf("%s %q: %v", file, sheet, err)
			}
		}
	}
}

// TestDatabaseWithALog refuses a file without the rows in the log beside it, and reads it
// again once it has them.
func TestDatabaseWithALog(t *testing.T) {
	ts, dir := newTables(t)
	db := database(t, filepath.Join(dir, "a.db"), "PRAGMA journal_mode = WAL; CREATE TABLE t(n INTEGER); INSERT INTO t VALUES (1)")
	_, err := ts.Map(t.Context(), MapRequest{Source: sheetOf("a.db", "")})
	var e *api.Error
	if !errors.As(err, &e) || e.Kind != api.KindChangedMeanwhile || !strings.Contains(e.Message, "a.db-wal") {
		t.Errorf("%v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if m, err := ts.Map(t.Context(), MapRequest{Source: sheetOf("a.db", "")}); err != nil || m.RowCount != 1 {
		t.Errorf("%+v %v", m, err)
	}
	write(t, dir, "cut.duckdb", "12345678DUCK")
	if _, err := ts.Map(t.Context(), MapRequest{Source: sheetOf("cut.duckdb", "")}); !errors.As(err, &e) || e.Code != api.CodeReadFailed || e.Message != "the file is not of DuckDB" {
		t.Errorf("%v", err)
	}
}

func sheetOf(file, sheet string) Source {
	s := Source{Path: file}
	s.Sheet = sheet
	return s
}
