package cli

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/sourcetest"
)

// startDuckDB writes the tables into one file.
func startDuckDB(t *testing.T) func(*testscript.Env, scriptTables) (string, error) {
	return func(env *testscript.Env, all scriptTables) (string, error) {
		db, err := duckdb.OpenFile(filepath.Join(env.WorkDir, "data.duckdb"), false, duckdb.Options{PreserveOrder: true})
		if err != nil {
			return "", err
		}
		defer db.Close()
		c, err := db.Conn()
		if err != nil {
			return "", err
		}
		for name, table := range all {
			if err := c.Exec(t.Context(), sourcetest.CreateDuckDB(name, table)); err != nil {
				return "", err
			}
		}
		return caps + `
sources:
  main: { type: duckdb, file: ./data.duckdb }
tables:
  - { id: flights, source: main, relation: flights, public: true }
  - { id: airports, source: main, relation: airports }
`, nil
	}
}

// TestInitFindsDatabases makes tables of what is in database files, whatever their
// names end with.
func TestInitFindsDatabases(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	folder := filepath.Join(p.dir, "bases", "sub")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for file, statement := range map[string]string{
		"../a.sqlite": "CREATE TABLE orders(n INTEGER, x); INSERT INTO orders VALUES (1, 'one'), (2, 2)", "a.db": "CREATE TABLE orders(n INTEGER); CREATE VIEW late AS SELECT n FROM orders", "views.sqlite3": "CREATE VIEW v AS SELECT 1",
	} {
		db, err := sql.Open("sqlite", filepath.Join(folder, file))
		if err == nil {
			_, err = db.ExecContext(t.Context(), statement)
			err = errors.Join(err, db.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "no.db"), []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := p.run("init", "bases", "--file", "bases.yaml")
	for _, want := range []string{"orders    a.sqlite: orders\n", "orders_2  sub/a.db: orders\n", "left out sub/a.db: views run what somebody else wrote, so these are not read: late; make a table of their rows",
		"left out sub/views.sqlite3: the database holds no tables", "left out sub/no.db: not a "} {
		if !strings.Contains(o.stdout+o.stderr, want) {
			t.Errorf("no %q in\n%s%s", want, o.stdout, o.stderr)
		}
	}
	if o := p.run("source", "add", "bases/a.sqlite", "--instance", "added.yaml"); o.code != 0 || !strings.Contains(o.stderr, "relation: orders }") {
		t.Errorf("exit %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	o = p.run("fetch", "orders", "--instance", "bases.yaml", "--where", "x = 'one'")
	if o.code != 0 || !strings.Contains(o.stderr+o.stdout, `column "x" holds values of several types (integer: 1, text: 1)`) {
		t.Errorf("exit %d\n%s%s", o.code, o.stdout, o.stderr)
	}
}
