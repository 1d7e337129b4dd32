package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/testing/pgtest"
)

// TestPostgresFirstRun follows the first run of the page on PostgreSQL, word for
// word but for the host, against a database that has such a table.
func TestPostgresFirstRun(t *testing.T) {
	t.Parallel()
	section := firstRun(t, "docs/postgres.md")
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
	followFirstRun(t, section, "host=db.example.com", fmt.Sprintf("host=127.0.0.1 port=%d", cluster.Port), "sslmode=verify-full", "sslmode=disable")

	// The role reads what was granted, and nothing else.
	asReader := cluster.Command("psql", "-U", "reader", "-d", "crm", "-c", "SELECT * FROM salaries")
	if out, err := asReader.CombinedOutput(); err == nil || !strings.Contains(string(out), "permission denied") {
		t.Errorf("reader reads what was not granted: %v\n%s", err, out)
	}
}
