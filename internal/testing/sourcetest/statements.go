package sourcetest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// Statements holds that a source runs whole statements in the common part of its SQL
// over what of two tables is shown, and reaches nothing else. More are statements of its
// own, with their rows, and attacks those that must be refused.
func Statements(t *testing.T, f Fixture, more map[string]string, attacks ...string) {
	q := f.Source.(source.Querier)
	staff := f.Load(t, Table{Columns: []Column{{Name: "id", Kind: Int}, {Name: "name", Kind: Text}, {Name: "pay", Kind: Int}, {Name: "team", Kind: Text}},
		Rows: [][]any{{int64(1), "zoe", int64(31337), "a"}, {int64(2), "bob", int64(0), "b"}, {int64(3), "eve", int64(31338), "a"}}})
	teams := f.Load(t, Table{Columns: []Column{{Name: "team", Kind: Text}, {Name: "boss", Kind: Text}}, Rows: [][]any{{"a", "zed"}, {"b", "yan"}}})
	schema, err := q.Schema(t.Context(), source.Relation{Name: staff})
	if err != nil {
		t.Fatal(err)
	}
	typed, err := predicate.NewSchema(q.Dialect(), schema.Columns)
	if err != nil {
		t.Fatal(err)
	}
	rule, err := predicate.Parse(q.Dialect(), "team = 'a'", typed)
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]source.Relation{"staff": {Name: staff, Columns: []string{"id", "name", "team"}, Rule: rule}, "teams": {Name: teams}}
	ask := func(sql string) (string, error) {
		s, err := q.Inspect(t.Context(), sql)
		if err != nil {
			return "", err
		}
		named := map[string]source.Relation{}
		for _, name := range s.Tables {
			rel, ok := tables[name]
			if !ok {
				return "", &api.Error{Code: api.CodeUnknownTable, Message: name}
			}
			named[name] = rel
		}
		return enginetest.Text(q.Query(t.Context(), sql, named))
	}
	want := map[string]string{
		"SELECT id, name FROM staff ORDER BY id":                                                                                   "1|zoe\n3|eve",
		"SELECT * FROM staff ORDER BY name":                                                                                        "3|eve|a\n1|zoe|a",
		"SELECT count(*) FROM staff":                                                                                               "2",
		"select s.name as n from staff as s where s.id = 1;":                                                                       "zoe",
		"SELECT 12 / (id - 2) AS x FROM staff WHERE 1 / (id - 2) < 5 ORDER BY 1":                                                   "-12\n12", // not computed for the hidden row
		"WITH staff AS (SELECT id FROM staff) SELECT * FROM staff ORDER BY 1":                                                      "1\n3",
		"WITH a AS (SELECT team FROM staff), b AS (SELECT team FROM a) SELECT count(*) FROM b":                                     "2",
		"SELECT boss FROM staff JOIN teams USING (team) ORDER BY 1":                                                                "zed\nzed",
		"SELECT t.boss, s.id FROM staff s, teams t WHERE t.team = s.team ORDER BY s.id":                                            "zed|1\nzed|3",
		"SELECT boss FROM teams t WHERE t.team IN (SELECT team FROM staff) OR boss IN ('x', 'yan') ORDER BY boss":                  "yan\nzed",
		"SELECT team, count(*) AS n, sum(id) AS s, max(name) AS m FROM staff GROUP BY team HAVING count(*) > 1":                    "a|2|4|zoe",
		"SELECT x.n FROM (SELECT max(id) AS n FROM staff) x":                                                                       "3",
		"SELECT CASE WHEN id > 1 THEN 'it''s' ELSE upper('no') END AS c FROM staff -- a comment\n ORDER BY id":                     "NO\nit's",
		"SELECT n FROM (SELECT name AS n FROM staff UNION ALL SELECT boss AS n FROM teams) AS u ORDER BY n":                        "eve\nyan\nzed\nzoe",
		"SELECT DISTINCT team FROM staff /* one */ LIMIT 5":                                                                        "a",
		"SELECT CAST(id AS VARCHAR(9)) AS c, id % 2 AS m, coalesce(name, '?') AS k FROM staff WHERE NOT id = 1 AND name LIKE 'e%'": "3|1|eve",
		"SELECT id, row_number() OVER (PARTITION BY team ORDER BY id DESC) AS r FROM staff ORDER BY id":                            "1|2\n3|1",
		"SELECT id FROM staff WHERE id BETWEEN 2 AND 9 AND name IS NOT NULL":                                                       "3",
		"SELECT id FROM staff WHERE 1 = 0":                                                                                         "",
	}
	for sql, rows := range more {
		want[sql] = rows
	}
	for sql, rows := range want {
		if got, err := ask(sql); err != nil || got != rows {
			t.Errorf("%s:\n%s, %v (%v)\nwant\n%s", sql, got, err, errors.Unwrap(err), rows)
		}
	}
	for _, sql := range slices.Concat(attacked, attacks) {
		sql = strings.NewReplacer("STAFF_TABLE", staff, "TEAMS_TABLE", teams).Replace(sql)
		got, err := ask(sql)
		var said string
		if err != nil {
			said = err.Error()
		}
		if err == nil || strings.Contains(said+got, "3133") || strings.Contains(said+got, "bob") {
			t.Errorf("%s:\n%s, %v", sql, got, err)
		}
	}
}

// attacked are statements that must fail on every engine, and reveal nothing.
var attacked = []string{
	"SELECT pay FROM staff", "SELECT s.pay FROM staff s", "SELECT id FROM staff ORDER BY pay", "SELECT id FROM staff WHERE 1 / pay > 0", "SELECT staff.pay FROM staff",
	"SELECT * FROM STAFF_TABLE", "SELECT * FROM staff, STAFF_TABLE", "SELECT (SELECT max(pay) FROM STAFF_TABLE)", "SELECT * FROM nothing", "SELECT * FROM information_schema.tables",
	"SELECT 1 FROM staff WHERE id IN STAFF_TABLE", "SELECT 1 FROM staff WHERE id IN (teams)", "SELECT 1 FROM staff WHERE id IN staff", "SELECT 1 FROM staff WHERE (id, team) IN (staff, teams)",
	"DELETE FROM staff", "SELECT 1; DROP TABLE teams", "DROP TABLE TEAMS_TABLE", "CREATE TABLE x AS SELECT 1", "INSERT INTO TEAMS_TABLE SELECT 1", "SELECT * INTO x FROM staff", "WITH x AS (DELETE FROM staff) SELECT 1 FROM staff",
	"WITH x AS (SELECT 1) INSERT INTO TEAMS_TABLE SELECT 1", "EXPLAIN SELECT * FROM staff", "SHOW TABLES", "DESCRIBE staff", "SET x = 1", "TABLE staff", "VALUES (1)", "FROM staff", "", ";", "--", "(SELECT 1 FROM staff",
	"SELECT 1 FROM staff) AS x; DROP TABLE teams --", "SELECT id FROM staff) UNION SELECT pay FROM STAFF_TABLE --", "SELECT 1 /*", "SELECT '", "SELECT $1", "SELECT ?", "SELECT :x", "SELECT @x", "SELECT \"", "SELECT `",
	"SELECT current_user FROM staff", "SELECT `user` FROM staff", "SELECT Session_User AS x FROM staff", "SELECT currentDatabase FROM staff", "SELECT current_user() FROM staff", "SELECT version() FROM staff", "SELECT sleep(3) FROM staff", "SELECT nosuch(id) FROM staff", "SELECT default.f(id) FROM staff", "SELECT \"upper\"(name) FROM staff",
	"SELECT repeat('x', 1000000000) FROM staff", "SELECT * FROM range(5)", "SELECT * FROM numbers(5), staff", "SELECT * FROM staff TABLESAMPLE (1 ROWS)", "SELECT * FROM staff FOR UPDATE", "SELECT * FROM staff, LATERAL (SELECT 1)",
	"SELECT x -> x FROM staff", "SELECT id FROM staff LIMIT 1 BY id", "SELECT id FROM staff WITH TIES",
}
