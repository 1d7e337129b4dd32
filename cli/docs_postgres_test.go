package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/pgtest"
)

// TestPostgresFirstRun follows the first run of the page on PostgreSQL, word for
// word but for the host, against a database that has such a table.
func TestPostgresFirstRun(t *testing.T) {
	t.Parallel()
	var first *page
	for _, p := range docPagesOf(t) {
		if p.name == "docs/postgres.md" {
			first = p
		}
	}
	begin := 0
	for i, line := range first.lines {
		if line == "## A first run" {
			begin = i
		}
	}
	section := map[string]string{} // by language, the first block after the heading
	for _, b := range first.blocks {
		if begin > 0 && b.first > begin && section[b.lang] == "" {
			section[b.lang] = first.text(b)
		}
	}
	const host, tls = "host=db.example.com", "sslmode=verify-full"
	if !strings.Contains(section["sh"], host) || !strings.Contains(section["sh"], tls) || section["sql"] == "" || section["yaml"] == "" {
		t.Fatalf("the section lacks a block: %q", section)
	}
	cluster := pgtest.New(t, pgtest.Options{TCP: true})
	psql := func(database, sql string) {
		t.Helper()
		if out, err := cluster.Command("psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", database, "-c", sql).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	psql("postgres", "CREATE DATABASE crm")
	psql("crm", "CREATE TABLE orders (id bigint, total numeric(10,2)); INSERT INTO orders VALUES (1, 50), (2, 150), (3, 250); CREATE TABLE salaries (id bigint)")
	psql("crm", section["sql"])

	r := newReader(t)
	if err := os.WriteFile(filepath.Join(r.home, "instance.yaml"), []byte(section["yaml"]), 0o600); err != nil {
		t.Fatal(err)
	}
	commands := strings.NewReplacer(host, fmt.Sprintf("host=127.0.0.1 port=%d", cluster.Port), tls, "sslmode=disable").Replace(section["sh"])
	out, failed := r.typed(commands)
	if failed != "" || r.code != 0 || !strings.Contains(out.String(), "large: 2 rows") {
		t.Errorf("failed: %s (exit %d)\n%s", failed, r.code, out)
	}
	// The role reads what was granted, and nothing else.
	asReader := cluster.Command("psql", "-U", "reader", "-d", "crm", "-c", "SELECT * FROM salaries")
	if out, err := asReader.CombinedOutput(); err == nil || !strings.Contains(string(out), "permission denied") {
		t.Errorf("reader reads what was not granted: %v\n%s", err, out)
	}
}
