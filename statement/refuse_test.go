package statement

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// refused are statements that must not pass, by the kind of refusal.
var refused = map[string][]string{
	api.KindEmpty: {"", "  \n\t", ";", ";;", "-- only a comment", "/* nothing */"},
	api.KindSyntaxError: {
		"SELECT * FORM t", "SELEC 1", "hello", "SELECT 'open", `SELECT "open`, "SELECT (1", "SELECT 1)",
		"WITH x AS (INSERT INTO t VALUES (1) RETURNING a) SELECT * FROM x",
		"WITH x AS (DELETE FROM t RETURNING a) SELECT * FROM x",
		"SELECT a INTO b FROM t", "SELECT a FROM t FOR UPDATE", "SELECT :a",
		"SELECT * FROM (DELETE FROM t)", "SELECT 1 /* open",
	},
	api.KindNotSelect: {
		"INSERT INTO t VALUES (1)", "UPDATE t SET a = 1", "DELETE FROM t", "TRUNCATE t", "DROP TABLE t",
		"MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN DELETE",
		"CREATE TABLE x AS SELECT 1", "CREATE VIEW v AS SELECT 1", "CREATE MACRO f(a) AS a", "CREATE TYPE e AS ENUM ('a')",
		"CREATE SECRET (TYPE s3)", "ALTER TABLE t RENAME TO u", "COMMENT ON TABLE t IS 'x'",
		"COPY t TO 'x.csv'", "COPY (SELECT 1) TO 'x.parquet'", "COPY t FROM 'x.csv'", "EXPORT DATABASE 'd'", "IMPORT DATABASE 'd'",
		"ATTACH 'x.db'", "ATTACH ':memory:' AS m", "DETACH m", "USE memory",
		"SET threads = 1", "RESET threads", "SET VARIABLE x = 1", "PRAGMA version", "PRAGMA enable_profiling",
		"PRAGMA database_list", "CALL pragma_version()", "CALL enable_logging()", "INSTALL httpfs", "LOAD 'x.so'",
		"PREPARE p AS SELECT 1", "EXECUTE p", "DEALLOCATE p", "BEGIN", "COMMIT", "ROLLBACK", "CHECKPOINT", "VACUUM", "ANALYZE",
		"EXPLAIN SELECT 1", "EXPLAIN ANALYZE SELECT 1", "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x",
		"SHOW TABLES", "SHOW ALL TABLES", "SHOW DATABASES", "SHOW TABLES FROM x", "DESCRIBE", "SELECT * FROM (SHOW TABLES)",
		"WITH x AS (FROM (SHOW ALL TABLES)) SELECT * FROM x", "SELECT (SELECT count(*) FROM (SHOW TABLES))",
		"SELECT $1, $a", "PIVOT t ON b USING sum(a)", "SELECT * FROM (PIVOT t ON b USING sum(a))", "PIVOT t ON b IN (SELECT 1) USING sum(a)",
	},
	api.KindMultiStatement: {
		"SELECT 1; SELECT 2", "SELECT 1; DROP TABLE t", "DROP TABLE t; SELECT 1", "SELECT 1;; SELECT 2;",
		"SELECT ';'; DELETE FROM t", "/* ; */ SELECT 1; COPY t TO 'x'", "SELECT $$;$$; SET threads = 1", "PRAGMA version; SELECT 1",
	},
	api.KindForbiddenFunction: {
		// Functions that run SQL, however they are written.
		`SELECT * FROM query('SELECT 1')`, `SELECT * FROM "query"('DROP TABLE t')`, `FROM QUERY('SELECT 1')`, `FROM "QuErY"('SELECT 1')`,
		`SELECT * FROM query_table('t')`, `FROM query_table(['t', 'u'])`, `SELECT * FROM main.query('SELECT 1')`,
		`SELECT * FROM system.main.query('SELECT 1')`, `SELECT "query"('SELECT 1')`, `SELECT s.query() FROM t`,
		`SELECT a.b.query('x') FROM t`, `SELECT ('x').query()`, `SELECT list_transform(l, x -> x.query()) FROM t`,
		`SELECT * FROM json_execute_serialized_sql('{}')`, `SELECT json_serialize_plan('SELECT 1')`,
		`SELECT * FROM histogram(t, a)`, `FROM histogram_values('t', a)`, `SELECT json_serialize_sql('SELECT 1')`,
		// Files.
		`SELECT * FROM read_csv('x.csv')`, `FROM read_text('/etc/passwd')`, `FROM "READ_BLOB"('/etc/passwd')`,
		`FROM parquet_scan('x')`, `FROM parquet_metadata('x')`, `FROM glob('*')`, `SELECT a FROM t, glob('/' || t.s)`,
		`FROM sniff_csv('x')`, `FROM read_duckdb('x')`, `FROM arrow_scan(0::POINTER, 0::POINTER, 0::POINTER)`, `FROM seq_scan('t')`,
		`SELECT (SELECT content FROM read_text('/etc/passwd'))`, `SELECT * FROM t WHERE s IN (FROM read_text('x'))`,
		`SELECT a FROM t ORDER BY (FROM read_text('x'))`, `SELECT a FROM t LIMIT (SELECT length(content) FROM read_text('x'))`,
		`WITH x AS (FROM read_csv('x')) SELECT * FROM x`, `SELECT * FROM (FROM read_csv('x')) UNION SELECT 1`,
		`PIVOT (FROM read_csv('x')) ON a IN (1) USING sum(b)`, `DESCRIBE FROM read_csv('x')`, `SUMMARIZE FROM read_csv('x')`,
		`VALUES ((SELECT content FROM read_text('x')))`, `SELECT * REPLACE ((FROM read_text('x')) AS a) FROM t`,
		`SELECT sum(a) FILTER (s = (SELECT content FROM read_text('x'))) FROM t`,
		`SELECT sum(a) OVER (PARTITION BY (SELECT content FROM read_text('x'))) FROM t`,
		`SELECT CASE WHEN (SELECT true FROM read_text('x')) THEN 1 END`,
		`SELECT * FROM range((SELECT length(content) FROM read_text('x')))`,
		`SELECT COLUMNS(c -> c = getvariable('x')) FROM t`, `SELECT DISTINCT ON ((SELECT content FROM read_text('x'))) a FROM t`,
		// Settings, catalogs, logs, sequences, time.
		`SELECT current_setting('threads')`, `FROM duckdb_settings()`, `FROM duckdb_secrets()`, `FROM duckdb_tables()`,
		`FROM pragma_table_info('t')`, `SELECT getvariable('x')`, `SELECT nextval('s')`, `SELECT currval('s')`,
		`SELECT write_log('x')`, `FROM duckdb_logs()`, `FROM enable_logging('x')`, `SELECT current_schemas(true)`, `SELECT txid_current()`,
		`SELECT current_query()`, `SELECT setseed(0.5)`, `SELECT sleep_ms(10)`, `SELECT pg_sleep(1)`, `SELECT pg_get_viewdef(1)`,
		`FROM checkpoint()`, `FROM force_checkpoint()`, `SELECT stats(a) FROM t`, `SELECT error(s) FROM t`, `SELECT get_block_size('x')`,
		// The wrong place.
		`SELECT * FROM upper('x')`, `SELECT json_each('{}')`,
		`SELECT json_structure(j) FROM t`, `SELECT json_group_structure(j) FROM t`, `SELECT json_contains(j, '1') FROM t`,
		`SELECT json_merge_patch(j, j) FROM t`, `SELECT json_transform(j, '"JSON"') FROM t`, `SELECT json_pretty(j) FROM t`,
		`SELECT json_transform_strict(j, '"JSON"') FROM t`, `SELECT from_json(j, '"JSON"') FROM t`,
		`SELECT from_json_strict(j, '"JSON"') FROM t`, `FROM json_tree('[]')`,
	},
	api.KindUnknownFunction: {"SELECT getenv('HOME')", "SELECT uper(s) FROM t", "FROM unnst([1])", "SELECT x.foo() FROM t", "SELECT foo(1) OVER ()"},
	api.KindQualifiedName: {
		"SELECT * FROM main.t", "SELECT * FROM memory.main.t", "FROM information_schema.tables", "FROM pg_catalog.pg_class",
		"FROM system.information_schema.columns", "WITH x AS (SELECT 1) SELECT * FROM main.x", "FROM recurring.t",
		"SELECT * FROM temp.t", "SELECT * FROM t, t.l",
	},
	api.KindFileAccess: {
		"SELECT * FROM 'x.csv'", `SELECT * FROM "/etc/passwd"`, "FROM 'file.parquet'", "FROM '*.parquet'", "FROM 'https://host/x.csv'",
		"DESCRIBE 'file.csv'", "SUMMARIZE 'file.parquet'", `FROM "x.json"`, "SELECT (SELECT 1 FROM 'a.csv')",
		"WITH x AS (SELECT 1) SELECT * FROM 'x.csv'", "FROM 's3://bucket/key'", `FROM "..\x"`,
	},
	api.KindBadTableName: {`FROM "my table"`, `FROM "é"`, "FROM größe", `FROM "a-b"`, `FROM "` + strings.Repeat("x", 65) + `"`},
	api.KindParameter:    {"SELECT ?", "SELECT $1", "SELECT * FROM t WHERE a = $name", "FROM range(?)"},
	api.KindUnsupported: {
		"SELECT sum(a) EXPORT_STATE FROM t", "SELECT * FROM t AT (VERSION => 1)", "PIVOT t ON b IN kinds USING sum(a)", "SELECT DEFAULT",
	},
	api.KindBadText: {"SELECT 1\x00; DROP TABLE t", "SELECT '\xff'"},
	api.KindTooLong: {"SELECT '" + strings.Repeat("x", MaxBytes) + "'", "SELECT a IN (" + strings.Repeat("1,", 150_000) + "1) FROM t",
		"SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", 3_000),
		"SELECT 1 WHERE true" + strings.Repeat(" And true", 110_000), "SELECT 1 WHERE true" + strings.Repeat(" OR(1)", 150_000),
		"SELECT 1" + strings.Repeat(" UNION SELECT 1", 65_000), "SELECT 1" + strings.Repeat("+", 1000) + "1", "SELECT 1" + strings.Repeat("-+", 1000) + "1", "SELECT '" + strings.Repeat("+", 1000) + "'",
		strings.Repeat("/**/", 10_000) + "SELECT 1", strings.Repeat("/*", 10_000) + strings.Repeat("*/", 10_000) + "SELECT 1"},
	api.KindTooDeep: {
		strings.Repeat("SELECT * FROM (", 400) + "SELECT 1" + strings.Repeat(")", 400),
		strings.Repeat("SELECT (", 17) + "SELECT 1" + strings.Repeat(")", 17),
		"SELECT 1" + strings.Repeat("+1", 300),
	},
}

func TestRefusedStatements(t *testing.T) {
	conn := engine(t)
	for kind, statements := range refused {
		for _, sql := range statements {
			got, err := Check(t.Context(), conn, sql)
			if err == nil {
				t.Errorf("%.200s\n\tpassed, reading %q", sql, got.Tables)
				continue
			}
			if e := refusal(t, err); e.Kind != kind {
				t.Errorf("%.200s\n\tis refused as %s (%v), want %s", sql, e.Kind, err, kind)
			} else if len(e.Next) == 0 && e.Advice() == "" {
				t.Errorf("%.200s\n\tis refused without a next step: %s", sql, e.Message)
			}
		}
	}
}

// slow is an engine whose own time is over.
type slow struct{}

func (slow) QueryRow(context.Context, string, []any, ...any) error { return context.DeadlineExceeded }

func TestTheParserGivesUp(t *testing.T) {
	_, err := Check(t.Context(), slow{}, "SELECT 1")
	if e := refusal(t, err); e.Kind != api.KindTooLong || e.Hint == "" {
		t.Error(e)
	}
	ended, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if _, err := Check(ended, slow{}, "SELECT 1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after the caller's time: %v", err)
	}
}

// TestDeepStatements holds that depth is refused one way or another, by the
// engine or by the walk, and kills neither.
func TestDeepStatements(t *testing.T) {
	conn := engine(t)
	for name, sql := range map[string]string{
		"parentheses": "SELECT " + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000),
		"subqueries":  strings.Repeat("SELECT * FROM (", 5_000) + "SELECT 1" + strings.Repeat(")", 5_000),
		"sums":        "SELECT 1" + strings.Repeat("+1", 100_000),
		"nots":        "SELECT " + strings.Repeat("NOT ", 100_000) + "true",
		"lists":       "SELECT " + strings.Repeat("[", 50_000) + strings.Repeat("]", 50_000),
		"unions":      "SELECT 1" + strings.Repeat(" UNION SELECT 1", 20_000),
		"casts":       "SELECT 1" + strings.Repeat("::INT", 50_000),
		"cases":       strings.Repeat("SELECT CASE WHEN true THEN (", 3_000) + "SELECT 1" + strings.Repeat(") END", 3_000),
		"with":        strings.Repeat("WITH x AS (", 5_000) + "SELECT 1" + strings.Repeat(") SELECT * FROM x", 5_000),
	} {
		_, err := Check(t.Context(), conn, sql)
		if err == nil {
			t.Errorf("%s: passed", name)
			continue
		}
		if e := refusal(t, err); e.Kind != api.KindTooDeep && e.Kind != api.KindSyntaxError && e.Kind != api.KindTooLong {
			t.Errorf("%s: refused as %s: %v", name, e.Kind, err)
		}
	}
	if _, err := Check(t.Context(), conn, "SELECT 1"); err != nil {
		t.Errorf("the connection is of no use any more: %v", err)
	}
}

func TestNumbersBeyondFloatsAreInfinite(t *testing.T) {
	conn := engine(t)
	for _, sql := range []string{"SELECT 1e309", "SELECT -1e400", "SELECT x FROM t WHERE x < 1e309", `SELECT '\":Infinity'`, `SELECT '":Infinity', 1e309`} {
		if _, err := Check(t.Context(), conn, sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

func TestRefusalsSayWhereAndWhat(t *testing.T) {
	conn := engine(t)
	for _, c := range []struct {
		sql, message, hint string
		line, column       int
	}{
		{"SELECT min(a) first FROM t", `syntax error at or near "first"`, "Before first as a name stands AS: it is a word of the language.", 1, 15},
		{"SELECT 'é', * FORM t", `syntax error at or near "t"`, "The mistake is at or just before this place.", 1, 20},
		{"SELECT 1 FROM t LIMIT 5, 10", "syntax error", "Write LIMIT 10 OFFSET 5.", 0, 0},
		{"SELECT TOP 3 x FROM t", `syntax error at or near "3"`, "Write LIMIT 3 at the end.", 1, 12},
		{"SELECT * EXCEPT(x, y) FROM t", `syntax error at or near "x"`, "Write * EXCLUDE (x, y).", 1, 17},
		{"SELECT GROUP_CONCAT(x SEPARATOR ', ') FROM t", `syntax error at or near "SEPARATOR"`, "Write string_agg(x, ', ').", 1, 23},
		{"SELECT [1, 2][OFFSET(0)]", `syntax error at or near "OFFSET"`, "counted from 1", 1, 15},
		{"SELECT to_char(x, 'YYYY') FROM t", `there is no function "to_char"`, "strftime", 1, 8},
		{"SELECT `a` FROM t", "names in backticks are not understood", `Names are quoted with "`, 0, 0},
		{"SELECT 5 !! ", `there is no operator "!!"`, "The operators are those of DuckDB", 1, 10},
		{"SELECT 5 >>", `a value is missing behind ">>"`, "Write the value, or leave the operator out.", 1, 10},
		{"SELECT 1 WHERE 'a' =~ 'b'", `there is no operator "=~"`, "The operators are those of DuckDB", 1, 20},
		{"SELECT 1 FROM both", `syntax error at or near "both"`, `Behind FROM stands a table. If that is its name, write it as "both".`, 1, 15},
		{"SELECT 1 FROM a JOIN where x", `syntax error at or near "where"`, `Behind JOIN stands a table. If that is its name, write it as "where".`, 1, 22},
		{"SELECT iff(true, 1, 2)", `there is no function "iff"`, "CASE WHEN", 1, 8},
		{"SELECT qqqq(1)", `there is no function "qqqq"`, "those of DuckDB", 1, 8},
		{"SELECT 'a' LIKE ANY ('a%')", `Unsupported comparison "~~" for ANY/ALL subquery`, "Join several LIKE with OR or AND.", 0, 0},
		{"SELECT U&'a'", "syntax error", "Write the characters themselves", 0, 0},
		{"SELECT 1 WHERE x = NULL", "nothing is equal to NULL, nor above or below it", "x IS NULL", 1, 18},
		{"SELECT CASE WHEN NULL <> a THEN 1 END FROM t", "nothing is equal to NULL, nor above or below it", "x IS NOT NULL", 1, 23},
		{"SELECT nvl(1, 2)", `there is no function "nvl"`, "coalesce", 1, 8},
		{"SELECT SAFE_DIVIDE(1, 2)", `there is no function "safe_divide"`, "a / nullif(b, 0)", 1, 8},
		{"SELECT REGEXP_CONTAINS('a', 'b')", `there is no function "regexp_contains"`, "regexp_matches", 1, 8},
		{"SELECT offset FROM t", `syntax error at or near "FROM"`, `OFFSET is a reserved word. As a name it is written "offset".`, 1, 15},
		{"SELECT offset, 1", `syntax error at or near ","`, `OFFSET is a reserved word. As a name it is written "offset".`, 1, 14},
		{"SELECT a FROM t GROUP BY 1 ORDER a DESC", `syntax error at or near "a"`, "Behind ORDER stands BY.", 1, 34},
		{"SELECT 1 WHERE at < 3", `syntax error at or near "<"`, `"at"`, 1, 19},
		{"SELECT count(*) rows FROM t", `syntax error at or near "rows"`, `"rows"`, 1, 17},
		{"SELECT 1,\n  'é', uper(s)\nFROM t", `there is no function "uper"`, "Did you mean upper", 2, 8},
		{"SELECT a\nFROM main.t", `table "t" has a qualified name`, "Tables have one name: write t.", 2, 6},
		{"SELECT * FROM query('x')", `function "query" is not allowed: it runs or plans SQL that is given as text`, "", 1, 15},
		{"FROM 'a/b.csv'", `file "a/b.csv" can't be read`, "Files can't be read here.", 1, 6},
	} {
		_, err := Check(t.Context(), conn, c.sql)
		if err == nil {
			t.Errorf("%s: passed", c.sql)
			continue
		}
		e := refusal(t, err)
		if e.Message != c.message || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s:\n\tgot %q, %q", c.sql, e.Message, e.Hint)
		}
		if c.line > 0 && e.Details["line"] != c.line || c.line > 0 && e.Details["column"] != c.column {
			t.Errorf("%s: got %v, want line %d, column %d", c.sql, e.Details, c.line, c.column)
		}
	}
	for sql, action := range map[string]api.Action{
		"SHOW TABLES":            api.ActionSnapshots,
		"EXPLAIN SELECT 1":       api.ActionEstimate,
		"COPY t TO 'x'":          api.ActionSet,
		"CREATE TABLE x (a INT)": api.ActionFetch,
	} {
		_, err := Check(t.Context(), conn, sql)
		if e := refusal(t, err); len(e.Next) == 0 || e.Next[0].Action != action {
			t.Errorf("%s: next is %v, want %s", sql, e.Next, action)
		}
	}
	_, err := Check(t.Context(), conn, "PIVOT t ON b USING sum(a)")
	if e := refusal(t, err); !strings.Contains(e.Hint, "PIVOT t ON column IN") {
		t.Errorf("PIVOT: the hint is %q", e.Hint)
	}
}

// TestTextsInDoubleQuotes: the engine takes them for names that are not there.
func TestTextsInDoubleQuotes(t *testing.T) {
	for sql, want := range map[string]bool{
		`SELECT 1 FROM t WHERE s = "a"`: true, `SELECT 1 FROM t WHERE s IN ('b', "a")`: true, `SELECT 1 FROM t WHERE s LIKE "a"`: true,
		`SELECT "a" FROM t`: false, `SELECT s + "a" FROM t`: false,
	} {
		if got := Elsewhere(sql, strings.Index(sql, `"`)); (got != "") != want {
			t.Errorf("%s: %q", sql, got)
		}
	}
}

func TestSelectSaysWhatItAnswers(t *testing.T) {
	conn := engine(t)
	for _, c := range []struct {
		sql     string
		run     string
		kind    Kind
		ordered bool
	}{
		{" SELECT a FROM t ; ", "SELECT a FROM t", KindSelect, false},
		{"SELECT a FROM t ORDER BY a;", "SELECT a FROM t ORDER BY a", KindSelect, true},
		{"SELECT a FROM t LIMIT 1 -- one;", "SELECT a FROM t LIMIT 1 -- one", KindSelect, true},
		{"SELECT a FROM t LIMIT 5%", "SELECT a FROM t LIMIT 5%", KindSelect, true},
		{"SELECT 1 UNION SELECT 2 ORDER BY 1", "SELECT 1 UNION SELECT 2 ORDER BY 1", KindSelect, true},
		{"SELECT DISTINCT a FROM (SELECT a FROM t ORDER BY a)", "SELECT DISTINCT a FROM (SELECT a FROM t ORDER BY a)", KindSelect, false},
		{"SELECT ';'", "SELECT ';'", KindSelect, false},
		{"DESCRIBE t;", "FROM (DESCRIBE t\n)", KindDescribe, true},
		{"SUMMARIZE t", "FROM (SUMMARIZE t\n)", KindSummarize, true},
	} {
		got, err := Check(t.Context(), conn, c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if got.SQL != c.run || got.Kind != c.kind || got.Ordered != c.ordered {
			t.Errorf("%q: got %+v", c.sql, *got)
		}
	}
}

func TestCheckEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Check(ctx, engine(t), "SELECT 1")
	var coded *api.Error
	if !errors.Is(err, context.Canceled) || errors.As(err, &coded) {
		t.Errorf("got %v, want the context's error", err)
	}
}

func TestOutline(t *testing.T) {
	for _, c := range []struct {
		sql   string
		first string
		count int
	}{
		{"", "", 0}, {" ; ", "", 0}, {"select 1", "SELECT", 1}, {"((select 1))", "SELECT", 1},
		{"select ';'", "SELECT", 1}, {`select ";"; x`, "SELECT", 2}, {"a -- ;\n", "A", 1}, {"/* ; */ a /* ; */;", "A", 1},
		{"select $t$ ; $t$ ; b", "SELECT", 2}, {"select $1; c", "SELECT", 2}, {"select 'it''s;'; d", "SELECT", 2}, {"'open", "'OPEN", 1},
		{"$", "$", 1}, {"$$", "$$", 1}, {"--", "", 0}, {"é;é", "É", 2},
	} {
		if first, count := outline(c.sql); first != c.first || count != c.count {
			t.Errorf("outline(%q) = %q, %d, want %q, %d", c.sql, first, count, c.first, c.count)
		}
	}
}

// FuzzCheck holds that no text gets past the gate that the engine's parser
// takes for something else than one SELECT, and that none brings it down.
func FuzzCheck(f *testing.F) {
	for _, c := range accepted {
		f.Add(c.sql)
	}
	for _, statements := range refused {
		for _, sql := range statements {
			if len(sql) < 1000 {
				f.Add(sql)
			}
		}
	}
	conn := engine(f)
	f.Fuzz(func(t *testing.T, sql string) {
		got, err := Check(t.Context(), conn, sql)
		if err != nil {
			_ = refusal(t, err)
			return
		}
		for _, name := range got.Tables {
			if api.CheckName("table", name) != nil {
				t.Errorf("reads %q", name)
			}
		}
		again, err := Check(t.Context(), conn, got.SQL)
		if err != nil || !slices.Equal(again.Tables, got.Tables) || again.SQL != got.SQL {
			t.Errorf("%q: what is to be run is another statement than what was checked: %v", sql, err)
		}
		// As a subquery, a SELECT keeps its tables; anything else does not parse.
		inner, err := Check(t.Context(), conn, fmt.Sprintf("SELECT * FROM (\n%s\n)", got.SQL))
		if err == nil && !slices.Equal(inner.Tables, got.Tables) {
			t.Errorf("%q: reads %q alone and %q as a subquery", sql, got.Tables, inner.Tables)
		}
	})
}

// FuzzJudge holds that no tree brings the walk down.
func FuzzJudge(f *testing.F) {
	conn := engine(f)
	for _, c := range accepted {
		tree, err := serialize(f.Context(), conn, c.sql)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(tree))
	}
	f.Add(`{"statements":[{"node":{"type":"SELECT_NODE","from_table":[{"type":"BASE_TABLE"}]}}]}`)
	f.Add(`{"statements":[{"node":{"type":"SELECT_NODE","cte_map":{"map":[1,{}]},"select_list":7}}]}`)
	f.Fuzz(func(t *testing.T, tree string) {
		if _, err := judge("SELECT 1", []byte(tree)); err != nil {
			_ = refusal(t, err)
		}
	})
}
