package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/testing/pgtest"
)

// TestForeignKeysAreJoins reads the keys of a database by each door, also of a table
// that a snapshot hides.
func TestForeignKeysAreJoins(t *testing.T) {
	t.Parallel()
	cluster := pgtest.New(t, pgtest.Options{})
	for _, sql := range []string{"CREATE TABLE regions (code text PRIMARY KEY)", "CREATE TABLE shops (id int, seat text REFERENCES regions)"} {
		if out, err := cluster.Command("psql", "-d", "postgres", "-c", sql).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	p := newPlace(t)
	instance := "sources:\n  main: { type: postgres, dsn_env: MAIN_DSN }\ntables:\n  - { id: shops, source: main, relation: shops }\n  - { id: regions, source: main, relation: regions }\n"
	if err := os.WriteFile(filepath.Join(p.dir, "instance.yaml"), []byte(instance), 0o600); err != nil {
		t.Fatal(err)
	}
	p = p.with("MAIN_DSN=" + cluster.DSN("") + " dbname=postgres")
	holds := func(got, want string) {
		t.Helper()
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in:\n%s", want, got)
		}
	}
	const join = "shops,seat,regions,code,many-to-one,foreign key"
	holds(p.run("joins", "-o", "csv").stdout, join)
	holds(p.run("schema", "shops").stderr, "joins on seat = regions.code")
	doc, _ := p.mcp().call("catalog_schema", `{"table_id":"shops"}`)
	holds(string(doc), `"joins":["seat = regions.code"]`)
	p.run("fetch", "shops", "--as", "shops")
	holds(p.run("joins", "shops", "-o", "csv").stdout, join)
}
