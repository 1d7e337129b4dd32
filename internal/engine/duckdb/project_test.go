package duckdb

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestProject(t *testing.T) {
	for typ, want := range map[string]Projected{
		"INTEGER":       {`"x"`, "INTEGER", ""},
		"DECIMAL(18,3)": {`"x"`, "DECIMAL(18,3)", ""},
		"HUGEINT":       {`CAST("x" AS DECIMAL(38,0)) AS "x"`, "DECIMAL(38,0)", ""},
		"INTERVAL":      {`CAST("x" AS VARCHAR) AS "x"`, "VARCHAR", `column "x": INTERVAL becomes text: parquet cuts it to milliseconds and has no negative ones`},
		"TIMETZ":        {`CAST("x" AS VARCHAR) AS "x"`, "VARCHAR", `column "x": TIMETZ becomes text: nothing is known of the type`},
		"STRUCT(a INTERVAL, \"b c\" INTERVAL[])": {`CAST("x" AS STRUCT(a VARCHAR, "b c" VARCHAR[])) AS "x"`, `STRUCT(a VARCHAR, "b c" VARCHAR[])`,
			`column "x": INTERVAL becomes text: parquet cuts it to milliseconds and has no negative ones`},
		"MAP(ENUM('a)', 'b'','), BIT)[2]": {`CAST("x" AS MAP(VARCHAR, VARCHAR)[]) AS "x"`, "MAP(VARCHAR, VARCHAR)[]",
			`column "x": MAP(ENUM('a)', 'b'','), BIT)[2] becomes a list: its fixed length is lost; ` +
				`ENUM becomes text: the order and the list of its values are lost; BIT becomes text: parquet has no such type`},
		"GEOMETRY('OGC:CRS84')":             {`CAST("x" AS VARCHAR) AS "x"`, "VARCHAR", `column "x": GEOMETRY becomes text: it is WKT, and its coordinate system is lost`},
		"UNION(a INTERVAL, b \"odd)type\")": {`CAST("x" AS JSON) AS "x"`, "JSON", `column "x": UNION becomes JSON: parquet has no such type`},
		"\"my type\"":                       {`CAST("x" AS VARCHAR) AS "x"`, "VARCHAR", `column "x": MY TYPE becomes text: nothing is known of the type`},
		"STRUCT(\"time\" TIME WITH TIME ZONE, \"TIME\" TIME)": {`CAST("x" AS STRUCT("time" VARCHAR, "TIME" TIME)) AS "x"`, `STRUCT("time" VARCHAR, "TIME" TIME)`,
			`column "x": TIME WITH TIME ZONE becomes text: parquet drops the zone`},
		"STRUCT(TIMESTAMP WITH TIME ZONE, INTEGER)[]":              {`CAST("x" AS VARCHAR[]) AS "x"`, "VARCHAR[]", `column "x": a STRUCT without names becomes text`},
		"INTEGER" + strings.Repeat("[]", 16):                       {`"x"`, "INTEGER" + strings.Repeat("[]", 16), ""},
		"STRUCT(a MAP(BIT, DATE" + strings.Repeat("[]", 16) + "))": {`CAST("x" AS JSON) AS "x"`, "JSON", `column "x": it becomes JSON: it has more than 16 lists within one another`},
	} {
		got, err := Project([]Column{{Name: "x", Type: typ}})
		if err != nil || got[0] != want {
			t.Errorf("%s:\n got %q, %v\nwant %q", typ, got, err, want)
		}
	}
	got, err := Project([]Column{{Name: `a "b"`, Type: "BIT"}, {Name: "é", Type: "DATE"}})
	if err != nil || got[0].Expr != `CAST("a ""b""" AS VARCHAR) AS "a ""b"""` || got[1].Expr != `"é"` {
		t.Errorf("%q, %v", got, err)
	}
}

func TestParseTypeRefuses(t *testing.T) {
	deep := strings.Repeat("STRUCT(a ", 100_000) + "INTEGER" + strings.Repeat(")", 100_000)
	for _, typ := range []string{
		"", " ", "(", "MAP", "UNION[]", "INTEGER[", "INTEGER]", "INTEGER[]]", "STRUCT", "STRUCT()", "STRUCT(", "STRUCT(a", "STRUCT(a INTEGER", "STRUCT(a INTEGER,)", "MAP(INTEGER)",
		"MAP(A, B, C)", "UNION()", "ENUM('a", "ENUM('a' 'b')", "DECIMAL(18,3", "INTEGER; DROP TABLE t", "INTEGER) AS x, (SELECT 1", `"INTEGER`, "INTEGER INTEGER",
		"INTEGER -- x", deep, "INTEGER" + strings.Repeat("[]", 100_000), strings.Repeat("(", 100_000),
	} {
		if p, err := Project([]Column{{Name: "x", Type: typ}}); err == nil {
			t.Errorf("%.50q was read as %q", typ, p)
		}
	}
}

// TestParseTypeReadsTheEngine: whatever the engine prints is understood, with
// nothing left over.
func TestParseTypeReadsTheEngine(t *testing.T) {
	c := connect(t, Options{})
	names := []string{"a", "A b", `q"q`, "select", "time", "timestamp", "interval", "struct", "map", "é", "1", "x.y", ")", "(", ",", "[", "'", "WITH TIME ZONE"}
	for i, name := range names {
		inner := Quote(names[(i+1)%len(names)])
		for _, typ := range []string{
			"TIMESTAMP WITH TIME ZONE", "TIME", "DECIMAL(9,2)[3][]", "ENUM('x', ')', ',', '''', '\"', '')", "MAP(VARCHAR, TIME WITH TIME ZONE[])",
			"STRUCT(" + inner + " TIMESTAMP WITH TIME ZONE)[]", "UNION(" + inner + " INTEGER, other MAP(DATE, DATE))",
		} {
			cols, err := c.Describe(t.Context(), fmt.Sprintf("SELECT NULL::STRUCT(%s %s, z INTEGER) AS x", Quote(name), typ))
			if err != nil {
				t.Fatal(err)
			}
			parsed, err := parseType(cols[0].Type)
			if err != nil || parsed.name != "STRUCT" || len(parsed.fields) != 2 || parsed.fields[1].name != "z" || parsed.text != cols[0].Type {
				t.Errorf("%s: %+v, %v", cols[0].Type, parsed, err)
			}
			item, err := Project(cols)
			if err != nil {
				t.Fatal(err)
			}
			must(t, c, fmt.Sprintf("SELECT %s FROM (SELECT NULL::STRUCT(%s %s, z INTEGER) AS x)", item[0].Expr, Quote(name), typ))
		}
	}
}

func TestDescribe(t *testing.T) {
	c := connect(t, Options{})
	got, err := c.Describe(t.Context(), `SELECT 1 AS a, 'x' AS "a", NULL AS "é "" b", now() AS n FROM range(10) WHERE error('it ran') IS NULL`)
	want := `[{a INTEGER} {a VARCHAR} {é " b INTEGER} {n TIMESTAMP WITH TIME ZONE}]`
	if err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v, %v", got, err)
	}
	for _, sql := range []string{"SELECT nope", "", "-- nothing", "SELECT 1; SELECT 2"} {
		if _, err := c.Describe(t.Context(), sql); err == nil {
			t.Errorf("%q was described", sql)
		}
	}
}

func FuzzParseType(f *testing.F) {
	for typ := range samples {
		f.Add(typ)
	}
	f.Fuzz(func(t *testing.T, text string) {
		typ, err := parseType(text)
		if err == nil && typ.text != strings.Trim(text, " ") {
			t.Errorf("%q was read as %q", text, typ.text)
		}
	})
}

// TestDescribeSaysWhereItIsWrong holds that a fault lies where it is in the
// statement that was given.
func TestDescribeSaysWhereItIsWrong(t *testing.T) {
	c := connect(t, Options{})
	const sql = "SELECT no_such FROM range(3) t(i)"
	_, err := c.Describe(t.Context(), sql)
	var said *Error
	if !errors.As(err, &said) || said.Position != strings.Index(sql, "no_such") {
		t.Errorf("got %#v", err)
	}
}
