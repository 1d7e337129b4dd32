package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/pgtest"
)

// TestNamesThatDifferInCase reads two columns whose names are one for the engine: no door
// gives the values of one under the name of the other without saying so.
func TestNamesThatDifferInCase(t *testing.T) {
	t.Parallel()
	cluster := pgtest.New(t, pgtest.Options{})
	sql := `CREATE TABLE t (user_id int, "uSeR_Id" text, n int); INSERT INTO t VALUES (1, 'one', 5), (2, 'two', 6)`
	if out, err := cluster.Command("psql", "-d", "postgres", "-c", sql).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := newPlace(t)
	file := filepath.Join(p.dir, "f.parquet")
	enginetest.Parquet(t, file, `SELECT 1 AS user_id, 'one' AS "xSeR_Id", 5 AS n, [{'user_id': 7, 'xSeR_Id': 8}] AS s`)
	data, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, bytes.ReplaceAll(data, []byte("xSeR_Id"), []byte("uSeR_Id")), 0o600)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(p.dir, "instance.yaml"), []byte("sources:\n  db: { type: postgres, dsn_env: MAIN_DSN }\n  l: { type: lake, root: . }\n"+
			"tables:\n  - { id: t, source: db, relation: public.t, public: true }\n  - { id: l, source: db, relation: public.t, query_mode: local, public: true }\n  - { id: f, source: l, path: f.parquet, public: true }\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	p = p.with("MAIN_DSN=" + cluster.DSN("") + " dbname=postgres")
	for name, p := range map[string]*place{"embedded": p, "http": p.served().with("DA_HOME=" + filepath.Join(p.dir, "client"))} {
		t.Run(name, func(t *testing.T) { p.inCase(t, name) })
	}
}

func (p *place) inCase(t *testing.T, name string) {
	gives := func(stdout, stderr string, args ...string) {
		t.Helper()
		if o := p.run(args...); o.stdout != stdout || !strings.Contains(o.stderr, stderr) {
			t.Errorf("%q: got %s\n%s\nwant %s\n%s", args, o.stdout, o.stderr, stdout, stderr)
		}
	}
	const renamed = `column "uSeR_Id" is called "uSeR_Id_1": the name of another column differs only in case`
	gives("user_id,uSeR_Id_1\n1,one\n", renamed, "query", "--fetch", `SELECT user_id, "uSeR_Id_1" FROM f`, "-o", "csv")
	gives("user_id,uSeR_Id_1\n1,one\n", "1 column was renamed", "table", "query", "f.parquet", `SELECT user_id, "uSeR_Id_1" FROM data`, "-o", "csv")
	const field = `field "uSeR_Id" of column "s" has another name, as the column's type shows: the name of another field differs only in case`
	gives("v\n8\n", field, "query", "--fetch", `SELECT s[1]."uSeR_Id_1" AS v FROM f`, "-o", "csv")
	gives("v\n8\n", field, "table", "query", "f.parquet", `SELECT s[1]."uSeR_Id_1" AS v FROM data`, "-o", "csv")
	gives("user_id\n1\n", renamed, "query", "--fetch", `SELECT "uSeR_Id" FROM f`, "-o", "csv")
	gives("user_id\n1\n", renamed, "query", "--remote", `SELECT "uSeR_Id" FROM f`, "-o", "csv")
	p.ok("fetch", "f", "--as", "two")
	gives("user_id\n1\n", renamed, "query", `SELECT "uSeR_Id" FROM two`, "-o", "csv")
	if o := p.run("query", "--fetch", "SELECT n FROM f"); strings.Contains(o.stderr, "differs only in case") {
		t.Errorf("of a column that is not read: %s", o.stderr)
	}
	if o := p.run("schema", "f"); !strings.Contains(o.stdout+o.stderr, renamed) {
		t.Errorf("the schema: %s\n%s", o.stdout, o.stderr)
	}
	const same = `the names of the columns "user_id" and "uSeR_Id" differ only in case`
	for _, args := range [][]string{{"fetch", "t"}, {"query", "--fetch", `SELECT "uSeR_Id" FROM t`}} {
		gives("", same, args...)
	}
	p.ok("fetch", "t", "--select", `"uSeR_Id"`, "--as", "texts")
	gives("uSeR_Id\none\ntwo\n", "", "query", "SELECT * FROM texts ORDER BY 1", "-o", "csv")
	gives("user_id,uSeR_Id\n1,one\n", "", "query", "--remote", `SELECT user_id, "uSeR_Id" FROM t WHERE n = 5`, "-o", "csv")
	if name == "http" {
		if o := p.run("sync", "l"); !strings.Contains(o.stderr, same) {
			t.Errorf("sync: %s\n%s", o.stdout, o.stderr)
		}
	}
}
