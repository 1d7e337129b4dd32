package clickhouse

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/internal/testing/chtest"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

func TestStatements(t *testing.T) {
	engine := chtest.NewEngine(t)
	exec(t, engine, "CREATE DATABASE shop", "CREATE DICTIONARY shop.d (team String, boss String) PRIMARY KEY team SOURCE(CLICKHOUSE(TABLE 't2' DB 'shop')) LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(0)")
	var loaded atomic.Int64
	f := sourcetest.Fixture{Source: open(t, engine.DSN("shop", "")), Load: func(t testing.TB, table sourcetest.Table) string {
		name := fmt.Sprintf("t%d", loaded.Add(1))
		exec(t, engine, sourcetest.ClickHouse("shop."+name, table)...)
		return name
	}}
	sourcetest.Statements(t, f, map[string]string{
		"SELECT countIf(id > 1) AS n, quantileExact(0.5)(id) AS q, argMax(name, id) AS a, uniqExact(team) AS u FROM staff":    "1|3|eve|1",
		"SELECT sum(id) FILTER (WHERE id > 1) AS s, toString(toYear(toDate('2024-02-03'))) AS y FROM staff":                   "3|2024",
		"SELECT multiIf(id = 1, 'it\\'s', id = 3, 'a\\\\b\\n', '') AS c, id::String AS s FROM staff ORDER BY id":              "it's|1\na\\b\n|3",
		"SELECT id FROM staff LEFT SEMI JOIN teams USING (team) ORDER BY id":                                                  "1\n3",
		"SELECT `team`, \"id\" FROM staff WHERE name ILIKE 'E%'":                                                              "a|3",
		"SELECT toDateTime('2024-01-02 03:04:05', 'UTC') + INTERVAL 7 DAY AS d, toDate('2024-01-02') AS e FROM teams LIMIT 1": "2024-01-09T03:04:05Z|2024-01-02",
	}, "SELECT \"user\" FROM staff", "SELECT joinGet('t2', 'boss', 'a') FROM staff", "SELECT dictGet('shop.d', 'boss', tuple('a')) FROM staff", "SELECT * FROM remote('127.0.0.1', shop.t1)", "SELECT * FROM url('http://127.0.0.1/', CSV)",
		"SELECT * FROM file('/etc/passwd')", "SELECT file('/etc/passwd') FROM staff", "SELECT * FROM merge('shop', '.*')", "SELECT * FROM staff FINAL", "SELECT * FROM staff SAMPLE 0.1", "SELECT * FROM staff PREWHERE 1", "SELECT * FROM staff SETTINGS readonly = 0",
		"SELECT * FROM staff FORMAT CSV", "SELECT * FROM staff INTO OUTFILE '/tmp/x'", "SELECT getSetting('readonly') FROM staff", "SELECT hostName() FROM staff", "SELECT id FROM staff WHERE id GLOBAL IN (1)", "SELECT * FROM staff ASOF JOIN teams USING (team)",
		"SELECT arrayMap(x -> x, [1]) FROM staff", "WITH Staff AS (SELECT 1) SELECT * FROM STAFF", "WITH T1 AS (SELECT 1 AS pay) SELECT pay FROM t1", "SELECT _part FROM teams", "SELECT * FROM staff ARRAY JOIN [1] AS a", "SELECT #! x\n 1 FROM staff", "SELECT $$x$$ FROM staff", "SELECT 1 FROM system.tables")
}

// TestStatementsLeaveRows holds that a statement takes no rows from those after it: with
// its cache of conditions, ClickHouse 26.9 gives none to the second.
func TestStatementsLeaveRows(t *testing.T) {
	engine := chtest.NewEngine(t)
	exec(t, engine, "CREATE DATABASE shop", "CREATE TABLE shop.staff (id Nullable(Int32), name Nullable(String)) ENGINE = MergeTree ORDER BY tuple()",
		"CREATE TABLE shop.paid (id Nullable(Int32)) ENGINE = MergeTree ORDER BY tuple()", "INSERT INTO shop.staff VALUES (1, 'zoe')", "INSERT INTO shop.paid VALUES (7)")
	c := open(t, engine.DSN("shop", ""))
	relations := map[string]source.Relation{"paid": {Name: "paid"}, "staff": {Name: "staff", Columns: []string{"id", "name"}}}
	for name, rel := range relations {
		schema, err := c.Schema(t.Context(), rel)
		if err != nil {
			t.Fatal(err)
		}
		typed, err := predicate.NewSchema(c.Dialect(), schema.Columns)
		if err != nil {
			t.Fatal(err)
		}
		if rel.Rule, err = predicate.Parse(c.Dialect(), "id > 0", typed); err != nil {
			t.Fatal(err)
		}
		relations[name] = rel
	}
	for _, q := range []struct{ sql, want string }{{"SELECT name FROM paid, staff WHERE paid.id = staff.id AND name = 'nobody'", ""}, {"SELECT name FROM staff", "zoe"}} {
		if got, err := enginetest.Text(c.Query(t.Context(), q.sql, relations)); err != nil || got != q.want {
			t.Errorf("%s: %q, %v", q.sql, got, err)
		}
	}
}

func TestPrintedAlike(t *testing.T) {
	engine := chtest.NewEngine(t)
	exec(t, engine, "CREATE DATABASE shop", "USE shop")
	var loaded atomic.Int64
	c := open(t, engine.DSN("shop", ""))
	f := sourcetest.Fixture{Source: c, Load: func(t testing.TB, table sourcetest.Table) string {
		name := fmt.Sprintf("t%d", loaded.Add(1))
		exec(t, engine, sourcetest.ClickHouse("shop."+name, table)...)
		return name
	}}
	sourcetest.PrintedAlike(t, f, func(ctx context.Context, sql string) (array.RecordReader, error) { return c.query(ctx, sql, true) })
}

// TestWhatHasEndedIsNotStopped holds that no statement is stopped in the engine that has sent
// all that it had, when its request ends before its reader is released.
func TestWhatHasEndedIsNotStopped(t *testing.T) {
	engine := chtest.NewEngine(t)
	exec(t, engine, "CREATE DATABASE shop", "CREATE TABLE shop.t ENGINE = MergeTree ORDER BY n AS SELECT number AS n FROM numbers(10)")
	r, err := open(t, engine.DSN("shop", "")).Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "t"}, Select: []string{"n"}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
	}
	if r.(*reader).a.unwind() || r.Err() != nil {
		t.Errorf("%v: the statement would still be stopped", r.Err())
	}
}
