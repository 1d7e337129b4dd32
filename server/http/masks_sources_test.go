package httpapi

import (
	"database/sql"
	"encoding/csv"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	_ "github.com/go-sql-driver/mysql"
	_ "modernc.org/sqlite"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/chtest"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/mariatest"
	"github.com/agnes-data/da/internal/testing/pgtest"
	"github.com/agnes-data/da/internal/testing/sparktest"
)

// maskedRows are the lines of a world as VALUES.
func maskedRows(t *testing.T, dir string) string {
	t.Helper()
	in, err := os.Open(filepath.Join(dir, "people.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	lines, err := csv.NewReader(in).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for _, line := range lines[1:] {
		for i, v := range line {
			line[i] = "'" + v + "'"
			if i == 7 && v == "" {
				line[i] = "NULL"
			}
		}
		values = append(values, "("+strings.Join(line, ",")+")")
	}
	return " VALUES " + strings.Join(values, ",")
}

// maskedEngines puts the lines of a world into tables of other sources, whose indexes are
// in the order of what is masked, and into files by a column that is masked.
func maskedEngines(t *testing.T, dir string, server *mariatest.Server, second bool) {
	t.Helper()
	maskedWorld(t, dir, second)
	rows := maskedRows(t, dir)
	const columns = "(id bigint PRIMARY KEY, team varchar(9), name varchar(9), mail varchar(20), card varchar(30), born %s, pay bigint, secret varchar(30), code bigint)"
	run := func(driver, at string, statements ...string) {
		t.Helper()
		db, err := sql.Open(driver, at)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for _, s := range statements {
			if _, err := db.ExecContext(t.Context(), s); err != nil {
				t.Fatalf("%.200s: %v", s, err)
			}
		}
	}
	run("mysql", server.DSN("root", "", "", "charset=utf8mb4"), "CREATE DATABASE IF NOT EXISTS shop", "DROP TABLE IF EXISTS shop.people",
		"CREATE TABLE shop.people "+strings.TrimSuffix(fmt.Sprintf(columns, "date"), ")")+", KEY (pay), KEY (mail))", "INSERT INTO shop.people"+rows, "ANALYZE TABLE shop.people")
	lite, duck := filepath.Join(dir, "people.sqlite"), filepath.Join(dir, "people.duckdb")
	for _, file := range []string{lite, duck} {
		if err := os.RemoveAll(file); err != nil {
			t.Fatal(err)
		}
	}
	run("sqlite", "file:"+(&url.URL{Path: lite}).EscapedPath(), "CREATE TABLE people "+fmt.Sprintf(columns, "text"), "INSERT INTO people"+rows,
		"CREATE INDEX p ON people(pay)", "CREATE INDEX m ON people(mail, id)", "ANALYZE")
	db, err := duckdb.OpenFile(duck, false, duckdb.Options{PreserveOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Exec(t.Context(), "CREATE TABLE people "+fmt.Sprintf(columns, "date")+"; INSERT INTO people"+rows+"; CREATE INDEX p ON people(pay)"); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	asEver(t, lite)
	keys := []int{101, 102, 103, 104}
	if second {
		keys = []int{371, 382, 393, 399}
	}
	if err := os.RemoveAll(filepath.Join(dir, "keyed")); err != nil {
		t.Fatal(err)
	}
	for i, key := range keys {
		path := filepath.Join(dir, "keyed", fmt.Sprint("code=", key))
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		path = filepath.Join(path, "x.parquet")
		if err := enginetest.Writer(t).Exec(t.Context(), fmt.Sprintf("COPY (SELECT * EXCLUDE (code) FROM read_parquet('%s') WHERE id %% 4 = %d) TO '%s' "+
			"(FORMAT parquet, COMPRESSION uncompressed, DICTIONARY_SIZE_LIMIT 1)", filepath.Join(dir, "people.parquet"), i, path)); err != nil {
			t.Fatal(err)
		}
		asEver(t, path)
	}
}

// TestRowsComeInNoHiddenOrder: an index that has all that is read is no shorter way to the
// rows, nor among equal values, where it is in the order of what the caller does not see.
func TestRowsComeInNoHiddenOrder(t *testing.T) {
	t.Parallel()
	maria, pg, dir := mariatest.New(t), pgtest.Shared(t), t.TempDir()
	run := func(driver, at string, statements ...string) {
		t.Helper()
		db, err := sql.Open(driver, at)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for _, s := range statements {
			if _, err := db.ExecContext(t.Context(), s); err != nil {
				t.Fatalf("%.200s: %v", s, err)
			}
		}
	}
	var values []string
	for i := range 3000 {
		values = append(values, fmt.Sprintf("(%d,%d,'%d','%s')", i, 3000-i, i%2, strings.Repeat("x", 200)))
	}
	statements := []string{"CREATE TABLE paid (id bigint PRIMARY KEY, pay bigint, team varchar(9), text varchar(300))", "INSERT INTO paid VALUES " + strings.Join(values, ","),
		"CREATE INDEX p ON paid (pay, id)", "CREATE INDEX q ON paid (team, pay, id)"}
	run("mysql", maria.DSN("root", "", "", ""), "CREATE DATABASE shop")
	run("mysql", maria.DSN("root", "", "shop", ""), append(statements, "ANALYZE TABLE paid")...)
	run("sqlite", "file:"+(&url.URL{Path: filepath.Join(dir, "x.sqlite")}).EscapedPath(), statements...)
	psql := pg.Command("psql", "-v", "ON_ERROR_STOP=1")
	psql.Stdin = strings.NewReader(strings.Join(append(statements, "VACUUM ANALYZE paid;"), ";\n"))
	if out, err := psql.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := openCore(t, dir, fmt.Sprintf(`
sources:
  shop: { type: mariadb, dsn: %q }
  lite: { type: sqlite, file: x.sqlite }
  crm: { type: postgres, dsn: "%s" }
tables:
  - { id: maria, source: shop, relation: paid }
  - { id: lite, source: lite, relation: paid }
  - { id: rows, source: crm, relation: public.paid }
`, maria.DSN("root", "", "shop", ""), pg.DSN("")))
	h := newHandler(c, slog.New(slog.DiscardHandler), testDoor)
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	s := &staffServer{t: t, core: c, url: srv.URL}
	leads := regexp.MustCompile(`"rows":\[\[("\d",)?299\d\],\[("\d",)?299\d\]`) // who are paid least
	masked, hidden := s.user("masked"), s.user("hidden")
	for _, table := range []string{"maria", "lite", "rows"} {
		s.grant(api.NewGrant{User: "masked", TableID: table, Masks: api.Masks{"pay": "null"}})
		s.grant(api.NewGrant{User: "hidden", TableID: table, Columns: []string{"id", "team"}})
		for _, token := range []string{masked, hidden} {
			for _, r := range [][2]string{
				{"/api/page/rows", fmt.Sprintf(`{"table_id":%q,"select":["id"],"limit":5}`, table)}, {"/api/page/rows", fmt.Sprintf(`{"table_id":%q,"select":["id"]}`, table)},
				{"/api/page/rows", fmt.Sprintf(`{"table_id":%q,"select":["id"],"where":"team = '1'","limit":5}`, table)},
				{"/api/page/rows", fmt.Sprintf(`{"table_id":%q,"select":["team","id"],"order_by":["team"],"limit":5}`, table)},
				{"/api/page/query", fmt.Sprintf(`{"sql":"SELECT id FROM %s LIMIT 5"}`, table)}, {"/api/page/query", fmt.Sprintf(`{"sql":"SELECT id FROM %s WHERE team = '1' LIMIT 5"}`, table)},
			} {
				status, _, body := s.ask("POST", r[0], token, r[1])
				if status != 200 && (table != "maria" || r[0] != "/api/page/query") || leads.MatchString(body) {
					t.Errorf("%s: %d %.300s", r[1], status, body)
				}
			}
		}
	}
}

// TestMasksHideWhatIsBelowInOtherSources does the same as TestMasksHideWhatIsBelow.
func TestMasksHideWhatIsBelowInOtherSources(t *testing.T) {
	t.Parallel()
	server := mariatest.New(t)
	dir := t.TempDir()
	maskedEngines(t, dir, server, false)
	granted := map[string][]api.NewGrant{}
	for user, grants := range maskedGrants {
		for _, g := range grants {
			masks := api.Masks{}
			for column, m := range g.Masks {
				if masks[column] = m; strings.HasPrefix(m, "date:") {
					masks[column] = "null" // SQLite has no dates
				}
			}
			g.Masks = masks
			granted[user] = append(granted[user], g)
		}
	}
	c := openCore(t, dir, fmt.Sprintf(`
sources:
  files: { type: lake, root: . }
  shop: { type: mariadb, dsn: %q }
  lite: { type: sqlite, file: people.sqlite }
  duck: { type: duckdb, file: people.duckdb }
tables:
  - { id: maria, source: shop, relation: shop.people }
  - { id: lite, source: lite, relation: people }
  - { id: duck, source: duck, relation: people }
  - { id: keyed, source: files, path: "keyed/*/*.parquet" }
  - { id: kept, source: lite, relation: people, query_mode: local }
`, server.DSN("root", "", "shop", "")))
	asksTwoWorlds(t, c, []string{"maria", "lite", "duck", "keyed", "kept"}, granted, func() { maskedEngines(t, dir, server, true) })
}

// TestMasksHideWhatIsBelowPrintedStatements does the same on engines whose statements are
// printed anew: ClickHouse, and Sail as Spark.
func TestMasksHideWhatIsBelowPrintedStatements(t *testing.T) {
	t.Parallel()
	house, sail := chtest.NewEngine(t), sparktest.Sail(t)
	dir := t.TempDir()
	world := func(second bool) {
		t.Helper()
		maskedWorld(t, dir, second)
		rows := maskedRows(t, dir)
		err := house.Exec("CREATE DATABASE IF NOT EXISTS shop", "DROP TABLE IF EXISTS shop.people",
			// The bytes of an estimate may tell how well the real values compress.
			"CREATE TABLE shop.people (id Int64 CODEC(NONE), team String CODEC(NONE), name String CODEC(NONE), mail String CODEC(NONE),"+
				" card String CODEC(NONE), born Date CODEC(NONE), pay Int64 CODEC(NONE), secret Nullable(String) CODEC(NONE),"+
				" code Int64 CODEC(NONE)) ENGINE = MergeTree ORDER BY id SETTINGS compress_marks = 0, compress_primary_key = 0",
			"INSERT INTO shop.people"+rows)
		for _, sql := range []string{"DROP TABLE IF EXISTS people", "CREATE TABLE people (id BIGINT, team STRING, name STRING, mail STRING, card STRING, born DATE," +
			" pay BIGINT, secret STRING, code BIGINT) USING parquet", "INSERT INTO people SELECT CAST(col1 AS BIGINT), col2, col3, col4, col5, CAST(col6 AS DATE)," +
			" CAST(col7 AS BIGINT), col8, CAST(col9 AS BIGINT) FROM" + rows} {
			if err == nil {
				err = sail.Exec(t.Context(), sql)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	world(false)
	c := openCore(t, dir, fmt.Sprintf(`
sources:
  house: { type: clickhouse, dsn: %q }
  sail: { type: spark, uri: %q }
tables:
  - { id: visits, source: house, relation: people }
  - { id: events, source: sail, relation: people }
`, house.DSN("shop", ""), sail.URI()))
	asksTwoWorlds(t, c, []string{"visits", "events"}, maskedGrants, func() { world(true) })
}
