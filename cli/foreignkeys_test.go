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
	for _, sql := range []string{"CREATE TABLE regions (code text PRIMARY KEY)", "CREATE TABLE shops (id int, seat text REFERENCES regions)",
		"CREATE TABLE slots (day date, no int, PRIMARY KEY (day, no)); INSERT INTO slots VALUES ('2026-01-01', 1), ('2026-01-01', 2), ('2026-01-02', 1)",
		"CREATE TABLE talks (day date, slot int, FOREIGN KEY (day, slot) REFERENCES slots); INSERT INTO talks SELECT * FROM slots UNION ALL SELECT * FROM slots"} {
		if out, err := cluster.Command("psql", "-d", "postgres", "-c", sql).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	p := newPlace(t)
	instance := "sources:\n  main: { type: postgres, dsn_env: MAIN_DSN }\ntables:\n  - { id: shops, source: main, relation: shops }\n  - { id: regions, source: main, relation: regions }\n" +
		"  - { id: slots, source: main, relation: slots }\n  - { id: talks, source: main, relation: talks }\n"
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
	const pair = `{"column":"day","table":"slots","to_column":"day","more":[{"column":"slot","to_column":"no"}]}`
	holds(p.run("schema", "talks", "--json").stdout, pair)
	holds(p.run("schema", "talks").stderr, "joins on day = slots.day AND slot = slots.no")
	holds(p.run("joins", "--mermaid").stdout, `talks }o--|| slots : "day = day AND slot = no"`)
	holds(p.run("context", "talks of slots", "--tokens", "300").stdout, "join talks.day = slots.day AND talks.slot = slots.no many-to-one (foreign key)")
	p.run("fetch", "talks", "--as", "talks")
	p.run("fetch", "slots", "--as", "slots")
	holds(p.run("joins", "talks", "--verify").stdout, "talks.(day, slot)  slots.(day, no)  many-to-one   foreign key  100.0 %")
	p.run("fetch", "shops", "--as", "shops")
	holds(p.run("joins", "shops", "-o", "csv").stdout, join)
}
