package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/internal/testing/chtest"
)

// TestClickHouseFirstRun follows the first run of the page on ClickHouse, word for word
// but for the host, and holds what the page says of predicates. The engine has no users:
// it parses the statements for them.
func TestClickHouseFirstRun(t *testing.T) {
	t.Parallel()
	section := firstRun(t, "docs/clickhouse.md")
	engine := chtest.NewEngine(t)
	err := engine.Exec("CREATE DATABASE shop",
		"CREATE TABLE shop.orders (id Int64, total Nullable(Decimal(10,2)), name Nullable(String), weight Nullable(Float64), placed Nullable(Date),"+
			" paid_at Nullable(DateTime), number Nullable(Int64)) ENGINE = MergeTree ORDER BY id",
		"INSERT INTO shop.orders VALUES (1, 50, 'ann', 1.5, '2026-03-01', '2026-03-01 10:00:00', 4), (2, 150, 'Ben', 2.5, '2026-03-31', NULL, NULL), (3, 250, NULL, NULL, NULL, NULL, 7)")
	for _, statement := range strings.Split(strings.TrimSpace(section["sql"]), ";") {
		if err == nil && statement != "" {
			err = engine.Exec("EXPLAIN AST " + statement)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	r := followFirstRun(t, section, "https://reader:PASS@db.example.com:8443/shop", engine.DSN("shop", ""))
	text := regexp.MustCompile("`([^`]+)`")
	rows := 0
	for _, line := range docPage(t, "docs/clickhouse.md").lines {
		cells := strings.Split(line, " | ")
		if len(cells) != 3 || !strings.HasPrefix(line, "| `") || !strings.ContainsAny(cells[0], "=>") && !strings.Contains(cells[0], "LIKE") {
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
	if rows < 7 {
		t.Errorf("%d rows of predicates", rows)
	}
}
