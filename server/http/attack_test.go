package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/core"
)

// eveRule is costly to evaluate, so that an engine would rather put it last.
const eveRule = "regexp_matches(concat(lower(team), 'x', upper(team)), '^a+x[A-Z]$')"

// eve may read id, team and name of team a.
func eveServer(t *testing.T) (*staffServer, *core.Session) {
	s := newStaffServer(t, "{ max_daily_bytes_per_user: 100000000000000 }")
	s.user("eve")
	s.grant(api.NewGrant{User: "eve", TableID: "staff", Columns: []string{"id", "team", "name"}, Rows: eveRule})
	return s, s.as("eve")
}

// TestHiddenColumnsCannotBeNamed tries every way of SQL to get at a column that
// does not exist for the caller.
func TestHiddenColumnsCannotBeNamed(t *testing.T) {
	_, eve := eveServer(t)
	for _, sql := range []string{
		"SELECT pay FROM staff", "SELECT staff.pay FROM staff", "SELECT s.pay FROM staff s", `SELECT "PAY" FROM staff`,
		"SELECT (staff).pay FROM staff", "SELECT struct_extract(staff, 'pay') FROM staff", "SELECT staff['pay'] FROM staff",
		"SELECT id FROM staff WHERE pay > 1", "SELECT count(*) FROM staff GROUP BY pay", "SELECT id FROM staff ORDER BY pay",
		"SELECT count(*) FROM staff HAVING sum(pay) > 1", "SELECT row_number() OVER (ORDER BY pay) FROM staff",
		"SELECT id FROM staff QUALIFY row_number() OVER (PARTITION BY pay) = 1", "SELECT * FROM staff JOIN staff b USING (pay)",
		"SELECT COLUMNS('pay') FROM staff", "SELECT * REPLACE (pay AS id) FROM staff", "SELECT * EXCLUDE (pay) FROM staff",
		"WITH x AS (SELECT * FROM staff) SELECT pay FROM x", "WITH staff2 AS (SELECT pay FROM staff) SELECT * FROM staff2",
		"WITH RECURSIVE r AS (SELECT pay AS p FROM staff UNION ALL SELECT p FROM r) SELECT * FROM r",
		"SELECT (SELECT max(pay) FROM staff)", "SELECT id FROM staff WHERE EXISTS (SELECT pay FROM staff)",
		"SELECT * FROM staff a, LATERAL (SELECT a.pay)", "SELECT id FROM staff LIMIT (SELECT pay FROM staff)",
		"PIVOT staff ON team USING sum(pay)", "UNPIVOT staff ON pay INTO NAME k VALUE v", "SELECT list(pay) FROM staff",
		"SELECT [x.pay FOR x IN list(staff)] FROM staff", "SELECT id FROM staff UNION ALL SELECT pay FROM staff", "SELECT #4 FROM staff",
		"SELECT max(pay) FILTER (id > 0) FROM staff", "SELECT rowid FROM staff", "SELECT filename FROM staff",
	} {
		if got, err := answerOf(eve.Query(t.Context(), api.QueryRequest{SQL: sql})); err == nil {
			t.Errorf("%s: %v", sql, got)
		} else if !api.CodeStatement.Is(err) && !api.CodeQueryFailed.Is(err) {
			t.Errorf("%s: %v", sql, err)
		}
	}
	for _, req := range []api.ScanRequest{
		{Select: []string{"pay"}}, {Where: "pay > 1"}, {OrderBy: []string{"pay"}}, {Where: "staff.pay > 1"}, {Where: "id IN (pay)"},
		{Select: []string{"id"}, Where: "CASE WHEN pay > 1 THEN true END"},
	} {
		req.TableID = "staff"
		for door, call := range map[string]func() error{
			"scan":     func() error { _, err := answerOf(eve.Scan(t.Context(), req)); return err },
			"estimate": func() error { _, err := eve.Estimate(t.Context(), req); return err },
		} {
			if err := call(); !api.CodeRejected.Is(err) {
				t.Errorf("%s %+v: %v", door, req, err)
			}
		}
	}
}

// TestNothingHiddenIsShown runs what is allowed and looks for hidden values.
func TestNothingHiddenIsShown(t *testing.T) {
	_, eve := eveServer(t)
	mine, ids := 0, map[string]bool{}
	for _, s := range makeStaff() {
		if s.isTeam("a") {
			mine++
			ids[s.value("id")] = true
		}
	}
	for sql, want := range map[string]string{
		"SELECT count(*) FROM staff":                                               fmt.Sprint(mine),
		"SELECT count(DISTINCT team) FROM staff":                                   "1",
		"SELECT min(team) || max(team) FROM staff":                                 "aa",
		"SELECT count(*) FROM staff WHERE team <> 'a' OR team IS NULL":             "0",
		"SELECT count(*) FROM staff WHERE reverse(team) <> 'a'":                    "0",
		"SELECT approx_count_distinct(team) FROM staff":                            "1",
		"SELECT count(*) FROM staff a SEMI JOIN staff b USING (id)":                fmt.Sprint(mine),
		"SELECT count(*) FROM staff a FULL JOIN staff b ON a.id = b.id":            fmt.Sprint(mine),
		"SELECT count(*) FROM (SELECT * FROM staff UNION SELECT * FROM staff)":     fmt.Sprint(mine),
		"SELECT count(*) FROM staff TABLESAMPLE 100%":                              fmt.Sprint(mine),
		"SELECT max(len(columns)) FROM (SELECT 3 AS columns, count(*) FROM staff)": "",
	} {
		got, err := answerOf(eve.Query(t.Context(), api.QueryRequest{SQL: sql}))
		if want == "" {
			continue // whether it runs is not the question
		}
		if err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v, %v; want %s", sql, got, err, want)
		}
	}
	for sql, columns := range map[string]int{"SELECT * FROM staff": 3, "SELECT * FROM (DESCRIBE staff)": 6, "SELECT * FROM (SUMMARIZE staff)": 0} {
		got, err := answerOf(eve.Query(t.Context(), api.QueryRequest{SQL: sql}))
		if err != nil && columns == 3 {
			t.Errorf("%s: %v", sql, err)
		}
		if text := strings.Join(got, "\n"); strings.Contains(text, "pay") || strings.Contains(text, "|b|") || strings.Contains(text, "|c|") {
			t.Errorf("%s: %s", sql, text)
		}
	}
}

// TestHiddenRowsCannotFail has conditions that fail on hidden rows only: that
// they fail would tell what is there. The rule takes longer to evaluate than
// the condition, which engines that reorder conditions would put first.
func TestHiddenRowsCannotFail(t *testing.T) {
	_, eve := eveServer(t)
	mine := 0
	for _, s := range makeStaff() {
		if s.isTeam("a") {
			mine++
		}
	}
	const cast = "CAST(name AS INTEGER) >= 0" // fails on team c
	for what, answer := range map[string]func() ([]string, error){
		"scan": func() ([]string, error) {
			return answerOf(eve.Scan(t.Context(), api.ScanRequest{TableID: "staff", Where: cast}))
		},
		"query": func() ([]string, error) {
			return answerOf(eve.Query(t.Context(), api.QueryRequest{SQL: "SELECT id FROM staff WHERE " + cast}))
		},
		"division": func() ([]string, error) {
			return answerOf(eve.Query(t.Context(), api.QueryRequest{SQL: "SELECT id FROM staff WHERE CASE WHEN team = 'b' THEN CAST('x' || team AS INTEGER) ELSE 1 END = 1"}))
		},
		"join": func() ([]string, error) {
			return answerOf(eve.Query(t.Context(), api.QueryRequest{SQL: "SELECT a.id FROM staff a JOIN staff b ON CAST(a.name AS INTEGER) + a.id = CAST(b.name AS INTEGER) + b.id AND a.id = b.id"}))
		},
		"aggregate": func() ([]string, error) {
			return answerOf(eve.Query(t.Context(), api.QueryRequest{SQL: "SELECT id FROM staff GROUP BY id HAVING sum(CAST(name AS INTEGER)) >= 0"}))
		},
	} {
		got, err := answer()
		if err != nil || len(got) != mine {
			t.Errorf("%s: %d rows, %v; want %d", what, len(got), err, mine)
		}
	}
}

// TestARuleComesBeforeConditionsThatMayFail has conditions that fail on hidden
// rows, and that the engine would evaluate first if nothing kept it from that:
// the rule needs two columns, each condition one, and the engine does not know
// that the condition can fail.
func TestARuleComesBeforeConditionsThatMayFail(t *testing.T) {
	s := newStaffServer(t, "{ max_daily_bytes_per_user: 100000000000000 }")
	s.user("ines")
	s.grant(api.NewGrant{User: "ines", TableID: "staff", Columns: []string{"id", "team"}, Rows: "concat(team, CAST(id AS VARCHAR)) LIKE 'a%'"})
	ines := s.as("ines")
	mine := 0
	for _, s := range makeStaff() {
		if s.isTeam("a") {
			mine++
		}
	}
	const uuid = "CAST(CASE WHEN team = 'a' THEN 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' ELSE team END AS UUID) IS NOT NULL"
	got, err := answerOf(ines.Scan(t.Context(), api.ScanRequest{TableID: "staff", Where: uuid}))
	if err != nil || len(got) != mine {
		t.Errorf("scan: %d rows, %v; want %d", len(got), err, mine)
	}
	for _, where := range []string{
		uuid, "regexp_replace('x', CASE WHEN team = 'a' THEN 'x' ELSE '(' END, '') IS NOT NULL",
		"url_decode(CASE WHEN team = 'a' THEN 'x' ELSE '%ff' END) = 'x'",
		"to_timestamp(CASE WHEN team = 'a' THEN 1 ELSE 1e300 END) IS NOT NULL",
	} {
		got, err := answerOf(ines.Query(t.Context(), api.QueryRequest{SQL: "SELECT id FROM staff WHERE " + where}))
		if err != nil || len(got) != mine {
			t.Errorf("%s: %d rows, %v; want %d", where, len(got), err, mine)
		}
	}
}

// TestErrorsTellNothingHidden looks through whole errors for names and values
// that do not exist for the caller.
func TestErrorsTellNothingHidden(t *testing.T) {
	_, eve := eveServer(t)
	ctx := context.Background()
	query := func(sql string) error {
		_, err := answerOf(eve.Query(ctx, api.QueryRequest{SQL: sql}))
		return err
	}
	scan := func(req api.ScanRequest) error {
		req.TableID = "staff"
		_, err := answerOf(eve.Scan(ctx, req))
		return err
	}
	errs := map[string]error{
		"a near name in a query":   query("SELECT pai, tean FROM staff"),
		"a near name in a scan":    scan(api.ScanRequest{Select: []string{"paay"}}),
		"a near name in where":     scan(api.ScanRequest{Where: "paj = 1"}),
		"a near name in order by":  scan(api.ScanRequest{OrderBy: []string{"pays"}}),
		"a failing cast":           query("SELECT CAST(team AS INTEGER) FROM staff"),
		"a failing cast in where":  scan(api.ScanRequest{Where: "CAST(team AS INTEGER) = 1"}),
		"a failing cast in select": query("SELECT CAST(name || 'z' AS INTEGER) FROM staff"),
		"overflow":                 query("SELECT (id + 9223372036854775807)::BIGINT + id FROM staff"),
	}
	for what, err := range errs {
		if err == nil {
			t.Errorf("%s: no error", what)
			continue
		}
		var known *api.Error
		if !asError(err, &known) {
			t.Errorf("%s: %v", what, err)
			continue
		}
		body, _ := json.Marshal(known.Body())
		text := strings.ToLower(string(body))
		for _, hidden := range []string{`"pay"`, "pay,", "pay ", "'a'", `\"a\"`, "n12", "could not convert"} {
			if strings.Contains(text, hidden) && !strings.Contains(what, "near name in a query") {
				t.Errorf("%s: %s", what, text)
			}
		}
		if strings.Contains(what, "in a query") && !strings.Contains(text, "staff has the columns id, team, name.") {
			t.Errorf("%s: %s", what, text)
		}
		if strings.Contains(text, `["pay"`) || strings.Contains(text, "did you mean pay") || strings.Contains(text, "reverse") {
			t.Errorf("%s: %s", what, text)
		}
	}
}

// TestStatementsEnd has statements that would take years or all memory, and that
// neither deadline nor memory limit would end.
func TestStatementsEnd(t *testing.T) {
	_, eve := eveServer(t)
	for sql, runs := range map[string]bool{
		"SELECT count(*) FROM staff WHERE name LIKE '%_a%_b'":                                             false,
		"SELECT count(*) FROM staff WHERE NOT name NOT ILIKE '%a%b'":                                      false,
		"SELECT count(*) FROM staff WHERE name GLOB '*a*b'":                                               false,
		"SELECT count(*) FROM staff WHERE name LIKE '%a%b' ESCAPE '!'":                                    false,
		"SELECT count(*) FROM staff WHERE name LIKE team || '%'":                                          false,
		"SELECT count(*) FROM staff WHERE name LIKE CAST('%a' AS VARCHAR)":                                false,
		"SELECT list_filter([name], lambda n: n LIKE '%_a%_b') FROM staff":                                false,
		"SELECT like_escape(name, '%a%b', '!') FROM staff":                                                false,
		`SELECT "~~"(name, '%_a%_b') FROM staff`:                                                          false,
		"SELECT name.like_escape('%a%b', '!') FROM staff":                                                 false,
		"SELECT len(range(2000000000)) FROM staff":                                                        false,
		"SELECT len(generate_series(1, 2000000000)) FROM staff":                                           false,
		"SELECT count(*) FROM staff WHERE name LIKE '%a%b%c%' OR name ILIKE '%a%' OR name LIKE '%a_b%'":   true,
		"SELECT count(*) FROM staff, range(3) WHERE name SIMILAR TO '%_a%_b' OR name GLOB 'a*'":           true,
		"SELECT count(*) FROM staff WHERE lower(name) LIKE '%a%b' AND name NOT LIKE 'x%y%z' OR name > ''": true,
	} {
		_, err := answerOf(eve.Query(t.Context(), api.QueryRequest{SQL: sql}))
		if (err == nil) != runs || err != nil && !api.CodeStatement.Is(err) {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// TestAnOrderNamesAColumnOnce: the engine would plan a list of any length.
func TestAnOrderNamesAColumnOnce(t *testing.T) {
	_, eve := eveServer(t)
	for _, order := range [][]string{{"id", "id"}, {"id DESC", "team", `"ID" ASC`}, strings.Split(strings.Repeat("id,", 100_000)+"id", ",")} {
		if _, err := answerOf(eve.Scan(t.Context(), api.ScanRequest{TableID: "staff", OrderBy: order})); !api.CodeBadRequest.Is(err) {
			t.Errorf("%d columns: %v", len(order), err)
		}
	}
}

func asError(err error, target **api.Error) bool {
	e, ok := err.(*api.Error)
	*target = e
	return ok
}

// TestStatementsReachNothingElse tries tables and functions that are not there
// for anybody.
func TestStatementsReachNothingElse(t *testing.T) {
	s, eve := eveServer(t)
	admin := s.core.As(core.LocalAdmin)
	for _, sql := range []string{
		"SELECT * FROM main.staff", "SELECT * FROM temp.staff", "SELECT * FROM memory.main.staff", "SELECT * FROM system.main.staff",
		"SELECT * FROM query('SELECT * FROM staff')", "SELECT * FROM query_table('staff')", `SELECT * FROM "query"('SELECT 1')`,
		"SELECT * FROM read_parquet('staff.parquet')", "SELECT * FROM 'staff.parquet'", "SELECT * FROM read_text('/etc/passwd')",
		"SELECT * FROM staff, read_csv('other.csv')", "SELECT * FROM duckdb_views()", "SELECT * FROM duckdb_tables()", "SELECT * FROM pragma_table_info('staff')",
		"SELECT * FROM information_schema.tables", "SELECT * FROM sqlite_master", "SELECT * FROM duckdb_settings()", "SELECT getenv('HOME') FROM staff",
		"SELECT current_setting('temp_directory') FROM staff", "SELECT getvariable('x') FROM staff", "SELECT * FROM glob('*')",
		"COPY staff TO 'x.csv'", "ATTACH 'x.db'", "CREATE TABLE x AS SELECT * FROM staff", "DROP VIEW staff", "SET threads = 1", "PRAGMA version",
		"EXPLAIN SELECT * FROM staff", "EXPLAIN ANALYZE SELECT * FROM staff", "SELECT * FROM staff; SELECT 1", "CALL pragma_version()",
		"SELECT * FROM parquet_metadata('staff.parquet')", "SELECT write_log('x') FROM staff", "SELECT nextval('s') FROM staff", "INSTALL x", "LOAD x",
		"SELECT json_execute_serialized_sql('x') FROM staff", "SELECT * FROM json_execute_serialized_sql('x')", "SHOW TABLES", "VACUUM",
	} {
		for who, svc := range map[string]*core.Session{"eve": eve, "an admin": admin} {
			got, err := answerOf(svc.Query(t.Context(), api.QueryRequest{SQL: sql}))
			if !api.CodeStatement.Is(err) && !api.CodeForbidden.Is(err) && !api.CodeUnknownTable.Is(err) {
				t.Errorf("%s as %s: %v, %v", sql, who, got, err)
			}
		}
	}
	// A name that WITH defines is no table, and a table behind one is checked.
	for sql, code := range map[string]api.Code{
		"WITH staff AS (SELECT 1 AS pay) SELECT pay FROM staff":                               api.CodeStatement,
		"WITH closed AS (SELECT 7 AS k FROM open LIMIT 1) SELECT k FROM closed":               "",
		"WITH open AS (SELECT * FROM closed) SELECT * FROM open":                              api.CodeForbidden,
		"SELECT * FROM open WHERE k IN (SELECT k FROM closed)":                                api.CodeForbidden,
		"SELECT * FROM open WHERE k IN (WITH closed AS (SELECT 1 AS k) SELECT k FROM closed)": "",
		"SELECT * FROM (WITH closed AS (SELECT 1 AS k) SELECT * FROM closed), closed":         api.CodeForbidden,
		"WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a":                        api.CodeForbidden,
		"SELECT * FROM open, far": api.CodeStatement,
	} {
		got, err := answerOf(eve.Query(t.Context(), api.QueryRequest{SQL: sql}))
		if code == "" && err != nil || code != "" && !code.Is(err) {
			t.Errorf("%s: %v, %v; want %q", sql, got, err, code)
		}
	}
	_, err := answerOf(eve.Query(t.Context(), api.QueryRequest{SQL: "SELECT * FROM open, far"}))
	if e := new(*api.Error); !asError(err, e) || fmt.Sprint((*e).Details["tables"]) != "[far open]" {
		t.Errorf("several sources: %v", err)
	}
}
