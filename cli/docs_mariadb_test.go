package cli

import (
	"database/sql"
	"regexp"
	"strings"
	"testing"

	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/internal/testing/mariatest"
)

// shopTable is a table as the page on MariaDB speaks of.
const shopTable = `CREATE DATABASE shop;
CREATE TABLE shop.orders (id BIGINT NOT NULL, total DECIMAL(10,2), name VARCHAR(80), weight DOUBLE, placed DATE, paid_at DATETIME(6), seen_at TIMESTAMP NULL);
INSERT INTO shop.orders VALUES (1, 50, 'ann', 1.5, '2026-03-01', '2026-03-01 10:00:00', '2026-03-01 10:00:00'),
  (2, 150, 'Ben', 2.5, '2026-03-31', NULL, NULL), (3, 250, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE shop.salaries (id BIGINT)`

// TestMariaDBFirstRun follows the first run of the page on MariaDB, word for
// word but for the host, and holds what the page says of predicates.
func TestMariaDBFirstRun(t *testing.T) {
	t.Parallel()
	section := firstRun(t, "docs/mariadb.md")
	server := mariatest.New(t)
	dsn := func(user, password string) string { return server.DSN(user, password, "", "multiStatements=true") }
	open := func(dsn string) *sql.DB {
		t.Helper()
		db, err := sql.Open("mysql", dsn)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
	root := open(dsn("root", ""))
	for _, statements := range []string{shopTable, section["sql"]} {
		if _, err := root.ExecContext(t.Context(), statements); err != nil {
			t.Fatal(err)
		}
	}
	_, socket, _ := strings.Cut(server.DSN("", "", "", ""), "@")
	socket, _, _ = strings.Cut(socket, ")/")
	r := followFirstRun(t, section, "tcp(db.example.com:3306)", socket+")", "?tls=true", "")

	// The user reads what was granted, and nothing else.
	if _, err := open(dsn("reader", "PASSWORD")).ExecContext(t.Context(), "SELECT * FROM shop.salaries"); err == nil || !strings.Contains(err.Error(), "denied") {
		t.Errorf("reader reads what was not granted: %v", err)
	}

	// The table of predicates: those of the first column are refused, and those
	// of the last one run.
	text := regexp.MustCompile("`([^`]+)`")
	rows := 0
	for _, line := range docPage(t, "docs/mariadb.md").lines {
		cells := strings.Split(line, " | ")
		if len(cells) != 3 || !strings.HasPrefix(line, "| `") || strings.Contains(cells[0], "tls") || !strings.Contains(line, "=") && !strings.Contains(line, ">") {
			continue
		}
		rows++
		for _, m := range text.FindAllStringSubmatch(cells[0], -1) {
			if out, _ := r.typed("da where orders \"" + m[1] + "\" --json"); r.code != exit.Invalid || !strings.Contains(out.String(), `"kind":"not_portable"`) {
				t.Errorf("%s: exit %d\n%s", m[1], r.code, out)
			}
		}
		for _, m := range text.FindAllStringSubmatch(cells[2], -1) {
			if out, _ := r.typed("da fetch orders --where \"" + m[1] + "\" --as tried --force"); r.code != 0 {
				t.Errorf("%s: exit %d\n%s", m[1], r.code, out)
			}
		}
	}
	if rows < 8 {
		t.Errorf("%d rows of predicates", rows)
	}
}
