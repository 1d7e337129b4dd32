package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/testing/chtest"
)

// TestOddNamesInClickHouse reads columns whose names have backslashes, and others beside two
// whose names differ only in case.
func TestOddNamesInClickHouse(t *testing.T) {
	engine := chtest.NewEngine(t)
	if err := engine.Exec("CREATE DATABASE odd", "CREATE TABLE odd.b (n Int64, `a\\\\b` Int64, `c'd\\`e` String) ENGINE = MergeTree ORDER BY n",
		"INSERT INTO odd.b VALUES (1, 2, 'x'), (3, 4, 'y')", "CREATE TABLE odd.two (n Int64, `a` Int64, `A` String) ENGINE = MergeTree ORDER BY n",
		"INSERT INTO odd.two VALUES (1, 2, 'x'), (3, 4, 'y')"); err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	if err := os.WriteFile(filepath.Join(p.dir, "instance.yaml"), []byte("sources:\n  db: { type: clickhouse, dsn_env: MAIN_DSN }\n"+
		"tables:\n  - { id: b, source: db, relation: b, public: true }\n  - { id: two, source: db, relation: two, public: true }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p = p.with("MAIN_DSN=" + engine.DSN("odd", ""))
	for args, want := range map[string]string{
		"profile b": "a\\b", "profile b --columns a\\b": "a\\b", "values b a\\b": "4", "query --remote SELECT_`a\\\\b`_+_5_AS_sum_FROM_b": "9",
		"fetch b --as kept": "2 rows", "values two n": "3", "query --fetch SELECT_sum(n)_+_5_FROM_two": "9",
		"query --remote SELECT_`A`_FROM_two_WHERE_a_=_4": "y",
	} {
		words := strings.Fields(args)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "_", " ")
		}
		if out := p.ok(words...); !strings.Contains(out, want) {
			t.Errorf("%q: %s", words, out)
		}
	}
	for _, sql := range []string{"SELECT a FROM two", "SELECT * FROM two", `SELECT "A" FROM two`} {
		if o := p.run("query", "--fetch", sql); o.code != 2 || !strings.Contains(o.stderr, "differ only in case") {
			t.Errorf("%s: %d, %s", sql, o.code, o.stderr)
		}
	}
}
