package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/internal/testing/opentables"
	"github.com/agnes-data/da/internal/testing/pgtest"
	"github.com/agnes-data/da/internal/testing/providertest"
	"github.com/agnes-data/da/snapshot"
)

// joinedSources is a statement over a database, a table of Iceberg as it is and as it
// was, and a file of the user's. Its figures are Spark's answers about that table.
const joinedSources = `SELECT r.region, count(*) AS n, sum(o.id) AS ids, (SELECT count(*) FROM "orders@3518205564744864650" WHERE name = 'n3') AS before, max(s.quota) AS quota
FROM orders o LEFT JOIN sellers s ON s.name = o.name LEFT JOIN regions r ON r.seller = s.code
GROUP BY ROLLUP (r.region) HAVING r.region = 'south' OR grouping(r.region) = 1 ORDER BY n`

// TestJoinedOverSources asks PostgreSQL, Iceberg and a local CSV with one statement,
// without a server and with one: the figures, what is told of them, and what a receipt
// of them rests on.
func TestJoinedOverSources(t *testing.T) {
	t.Parallel()
	cluster := pgtest.New(t, pgtest.Options{})
	sql := "CREATE TABLE sellers (name text, code int, quota numeric(12,2), paid numeric); INSERT INTO sellers SELECT 'n' || i, 100 + i, 1000.25 + i, i FROM generate_series(0, 6) i"
	if out, err := cluster.Command("psql", "-d", "postgres", "-c", sql).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	call := func(id, sql string) []provider.Call {
		return []provider.Call{providertest.Call(id, "query", map[string]any{"sql": sql, "fetch": true})}
	}
	model := providertest.NewServer(t, modelSteps(func([]provider.Result) string { return "There are 68 rows, 79 before." }, call("a", joinedSources)))
	p := newPlace(t)
	instance := "sources:\n  db: { type: postgres, dsn_env: MAIN_DSN }\n  lakehouse: { type: iceberg, root: " + opentables.Unpack(t, "iceberg") + " }\ntables:\n" +
		"  - { id: sellers, source: db, relation: public.sellers, public: true }\n  - { id: orders, source: lakehouse, path: posdel, public: true }\n  - { id: moments, source: lakehouse, path: ns, public: true }\n"
	for name, text := range map[string]string{"instance.yaml": instance, "regions.csv": "seller,region\n103,south\n100,north\n101,north\n"} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p = p.with("MAIN_DSN="+cluster.DSN("")+" dbname=postgres").withModel(model, provider.Compatible)
	for name, p := range map[string]*place{"embedded": p, "http": p.served().with("DA_HOME=" + filepath.Join(p.dir, "client"))} {
		p.ok("snapshot", "import", "regions.csv", "--as", "regions")
		const want = "region,n,ids,before,quota\nsouth,68,20350,79,1003.25\n,521,157826,79,1006.25\n"
		if got := p.ok("query", "--fetch", joinedSources, "-o", "csv"); got != want {
			t.Errorf("%s: got\n%s", name, got)
		}
		again := p.run("query", "--fetch", joinedSources, "-o", "csv")
		if again.stdout != want || !strings.Contains(again.stderr, "\norders: answered from an earlier query") || !strings.Contains(again.stderr, "\nsellers (name, code, quota): reads ") {
			t.Errorf("%s, again: got\n%s\n%s", name, again.stdout, again.stderr)
		}
		o := p.run("query", "--fetch", "SELECT count(s.paid) AS n, max(m.tz) AS last FROM moments m JOIN sellers s ON s.code = 100 + m.id JOIN regions r ON r.seller = s.code", "-o", "csv")
		if o.stdout != "n,last\n3,2024-02-29T23:59:59.123456Z\n" || !strings.Contains(o.stderr, "column \"tz\" is read to the microsecond") || !strings.Contains(o.stderr, "column \"paid\": NUMERIC") {
			t.Errorf("%s: caveats of both sources: %s\n%s", name, o.stdout, o.stderr)
		}
	}
	var answer agent.Answer
	mustJSON(t, p.ok("ask", "How many?", "--json"), &answer)
	if len(answer.Untraced) > 0 {
		t.Errorf("figures without a result: %q", answer.Untraced)
	}
	if text := p.ok("receipt", "show", answer.Receipt); !strings.Contains(text, "snapshot regions: 3 rows") {
		t.Errorf("the receipt:\n%s", text)
	}
}

// TestRefreshOfOpenTables reads of a table that has new files and deleted rows only the
// files that are not as they were, and has the rows that a fetch of all gives.
func TestRefreshOfOpenTables(t *testing.T) {
	t.Parallel()
	for kind, of := range map[string]struct {
		table, versions string
		files           []string // that are read, kept and gone
	}{
		"iceberg": {"refs", "metadata/v*.metadata.json", []string{"all", "1 1 0", "same", "1 1 1", "same", "same", "1 2 0", "all"}},
		"delta":   {"dv", "_delta_log/*.json", []string{"1 1 0", "2 0 2", "1 1 1", "4 0 2"}},
	} {
		p, root := newPlace(t), opentables.Unpack(t, kind)
		instance := "sources:\n  main: { type: " + kind + ", root: " + root + " }\ntables:\n  - { id: t, source: main, path: " + of.table + ", public: true }\n"
		if err := os.WriteFile(filepath.Join(p.dir, "instance.yaml"), []byte(instance), 0o600); err != nil {
			t.Fatal(err)
		}
		found, err := filepath.Glob(filepath.Join(root, of.table, of.versions))
		if err != nil || len(found) != len(of.files)+1 {
			t.Fatalf("%v %v", found, err)
		}
		slices.SortFunc(found, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) })
		for _, f := range found[1:] {
			if err := os.Rename(f, f+".later"); err != nil {
				t.Fatal(err)
			}
		}
		p.ok("fetch", "t")
		for i, f := range found[1:] {
			if err := os.Rename(f+".later", f); err != nil {
				t.Fatal(err)
			}
			var got struct {
				Unchanged bool
				Delta     *fetch.Delta
				After     snapshot.Meta
			}
			mustJSON(t, p.ok("snapshot", "refresh", "t", "--accept-drift", "--json"), &got)
			files := "all"
			if d := got.Delta; d != nil {
				files = fmt.Sprint(d.Read, d.Kept, d.Gone)
			} else if got.Unchanged {
				files = "same"
			}
			p.ok("fetch", "t", "--as", "whole", "--fresh", "--force")
			var whole snapshot.Meta
			mustJSON(t, p.ok("snapshot", "show", "whole", "--json"), &whole)
			if files != of.files[i] || got.After.ContentHash != whole.ContentHash {
				t.Errorf("%s: files %s, want %s; rows %s, fetched %s", f, files, of.files[i], got.After.ContentHash, whole.ContentHash)
			}
		}
	}
}
