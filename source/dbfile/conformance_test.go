package dbfile

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/opentables"
	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/source/listed"
)

// writeDuckDB runs statements on a file of DuckDB, and closes it.
func writeDuckDB(t testing.TB, file string, statements ...string) {
	t.Helper()
	db, err := duckdb.OpenFile(file, false, duckdb.Options{PreserveOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Exec(t.Context(), strings.Join(statements, ";\n")); err != nil {
		t.Fatal(err)
	}
}

// writeSQLite opens a file of SQLite, until the test ends, and runs statements on it.
func writeSQLite(t testing.TB, file string, statements ...string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: file}).EscapedPath())
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return db
}

// abilities are those that no source of files has.
var abilities = []sourcetest.Ability{sourcetest.Partitions, sourcetest.Asking, sourcetest.Mortality, sourcetest.Credentials, sourcetest.Patience}

func TestConformanceDuckDB(t *testing.T) {
	file, loaded := filepath.Join(t.TempDir(), "data.duckdb"), 0
	writeDuckDB(t, file, "CREATE TABLE first(n INTEGER)")
	series := map[int64]string{}
	load := func(t testing.TB, table sourcetest.Table) string {
		loaded++
		name := fmt.Sprintf("t%d", loaded)
		writeDuckDB(t, file, sourcetest.CreateDuckDB(name, table))
		return name
	}
	sourcetest.Run(t, func(t *testing.T) sourcetest.Fixture {
		src, err := OpenDuckDB(file, listed.Options{TempDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		return sourcetest.Fixture{
			Source: src, Load: load, Missing: "no_such_table", Sampled: true, Without: abilities,
			Series: func(t testing.TB, rows int64) string {
				if series[rows] == "" {
					series[rows] = fmt.Sprintf("s%d", rows)
					writeDuckDB(t, file, "CREATE TABLE "+series[rows]+" AS "+opentables.Series(rows))
				}
				return series[rows]
			},
		}
	})
}

// sqliteTypes are the types of the kinds in SQLite, which holds no others.
var sqliteTypes = map[sourcetest.Kind]string{sourcetest.Int: "INTEGER", sourcetest.Float: "REAL", sourcetest.Text: "TEXT", sourcetest.Bytes: "BLOB"}

func TestConformanceSQLite(t *testing.T) {
	file, loaded := filepath.Join(t.TempDir(), "data.sqlite"), 0
	writeSQLite(t, file, "CREATE TABLE first(n INTEGER)")
	series := map[int64]string{}
	load := func(t testing.TB, table sourcetest.Table) string {
		loaded++
		name := fmt.Sprintf("t%d", loaded)
		var columns []string
		for _, c := range table.Columns {
			of := duckdb.Quote(c.Name) + " " + sqliteTypes[c.Kind]
			if c.Required {
				of += " NOT NULL"
			}
			columns = append(columns, of)
		}
		db := writeSQLite(t, file, "CREATE TABLE "+name+"("+strings.Join(columns, ", ")+")")
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range table.Rows {
			marks := strings.TrimSuffix(strings.Repeat("?,", len(row)), ",")
			if _, err := tx.ExecContext(t.Context(), "INSERT INTO "+name+" VALUES ("+marks+")", row...); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		return name
	}
	sourcetest.Run(t, func(t *testing.T) sourcetest.Fixture {
		src, err := OpenSQLite(file, listed.Options{TempDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		f := sourcetest.Fixture{
			Source: src, Load: load, Missing: "no_such_table", Sampled: true, Without: append(abilities, sourcetest.Comments, sourcetest.Infinities),
			Series: func(t testing.TB, rows int64) string {
				if series[rows] == "" {
					series[rows] = fmt.Sprintf("s%d", rows)
					writeSQLite(t, file, "CREATE TABLE "+series[rows]+"(n INTEGER, pad TEXT)", fmt.Sprintf(`WITH RECURSIVE c(x) AS (SELECT 0 UNION ALL SELECT x+1 FROM c WHERE x < %d)
						INSERT INTO %s SELECT x, substr('pad' || x || '%s', 1, 100) FROM c`, rows-1, series[rows], strings.Repeat("x", 100)))
				}
				return series[rows]
			},
		}
		for k := sourcetest.Bool; k <= sourcetest.Record; k++ {
			if sqliteTypes[k] == "" {
				f.Lacks = append(f.Lacks, k)
			}
		}
		return f
	})
}
