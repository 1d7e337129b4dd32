package warehouse

import (
	"errors"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestWritten holds that nothing of a text is printed but what the grammar knows, and
// that no name is left which an engine could look up.
func TestWritten(t *testing.T) {
	for _, c := range []struct {
		of        *Language
		sql, want string
	}{
		{ClickHouse, "with Late as (select a.`x y`, 'it''s\\n' s from flights a) SELECT count(*), sum(\"d\")FILTER(WHERE d>-1) FROM Late, flights -- x\n;",
			"with `da_with_Late` as( select `a`.`x y`, 'it\\'s\n' `s` from (F) `a` ) SELECT count( * ), sum( `d` ) FILTER( WHERE `d` > - 1 ) FROM `da_with_Late` AS `Late`, (F) AS `flights`"},
		{Spark, "SELECT \"${env:HOME}\" AS x, `a` FROM Flights", "SELECT '\\u0024{env:HOME}' AS `x`, `a` FROM (F) AS `Flights`"},
	} {
		s, err := c.of.Check(c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		got := s.Written(map[string]string{"flights": "(F)", "Flights": "(F)"})
		if got != c.want {
			t.Errorf("%s\n%s\nwant\n%s", c.sql, got, c.want)
		}
	}
	names, whole := must(t, Spark, "SELECT a.B FROM t AS a WHERE count(*) > 1").Named()
	if strings.Join(names, " ") != "a b t" || whole {
		t.Errorf("%v, %t", names, whole)
	}
	if _, whole = must(t, Spark, "SELECT t.* FROM t").Named(); !whole {
		t.Error("a star names no columns")
	}
}

func must(t *testing.T, of *Language, sql string) *Select {
	t.Helper()
	s, err := of.Check(sql)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestNamesWrittenOut holds that a short statement cannot make an engine read tables
// without end.
func TestNamesWrittenOut(t *testing.T) {
	sql := "WITH a0 AS (SELECT 1 FROM t)"
	for i := range 12 {
		was, is := string(rune('a'+i))+"0", string(rune('b'+i))+"0"
		sql += ", " + is + " AS (SELECT 1 FROM " + was + " AS x CROSS JOIN " + was + " AS y)"
	}
	var e *api.Error
	if _, err := ClickHouse.Check(sql + " SELECT 1 FROM m0"); !errors.As(err, &e) || e.Kind != api.KindTooDeep {
		t.Error(err)
	}
	must(t, ClickHouse, sql[:strings.Index(sql, ", j0")]+" SELECT 1 FROM i0")
}

// TestOwnNames holds that no qualifier means one table to ClickHouse and another in what
// is printed: to it, a table that has been given a name still has its own.
func TestOwnNames(t *testing.T) {
	for sql, refused := range map[string]bool{
		"SELECT id FROM t WHERE id > (SELECT avg(id) FROM t AS u WHERE u.k = t.k)": true, // direct: all rows, since t is u
		"SELECT t.a FROM t AS u":                                                        true,
		"WITH x AS (SELECT 1 AS a FROM t) SELECT x.* FROM x AS y":                       true,
		"SELECT 1 FROM t AS u WHERE EXISTS (SELECT 1 FROM v WHERE v.k = t.k)":           true,
		"SELECT 1 FROM v JOIN t AS u ON u.k = t.k":                                      true,
		"SELECT id FROM t AS o WHERE id > (SELECT avg(id) FROM t AS u WHERE u.k = o.k)": false,
		"SELECT t.a FROM t UNION ALL SELECT u.a FROM t AS u":                            false,
		"SELECT u.a FROM t AS u WHERE u.a IN (SELECT t.a FROM t)":                       false,
		"SELECT T.a FROM T, t AS u":                                                     false,
		"SELECT q.t.a FROM (SELECT a FROM t AS u) AS q":                                 false,
		"WITH x AS (SELECT u.a FROM t AS u) SELECT t.a, x.a FROM t JOIN x ON x.a = t.a": false,
	} {
		if _, err := ClickHouse.Check(sql); (kindOf(err) == api.KindUnsupported) != refused {
			t.Errorf("%s: %v", sql, err)
		}
		must(t, Spark, sql) // there it has the new name alone
	}
}

// TestUnits holds that a part of a date is no column.
func TestUnits(t *testing.T) {
	got := must(t, Spark, "SELECT DATEDIFF(MONTH, a, b), date_add(day, 1, a), date_add(a, 1) FROM t").Written(map[string]string{"t": "t"})
	if want := "SELECT DATEDIFF( MONTH, `a`, `b` ), date_add( day, 1, `a` ), date_add( `a`, 1 ) FROM t AS `t`"; got != want {
		t.Error(got)
	}
}

// TestCommentsThatEndElsewhere holds that nothing is read that is a comment to an engine, or
// the other way round: Spark's nest, end with a carriage return and go on behind a backslash.
func TestCommentsThatEndElsewhere(t *testing.T) {
	for _, sql := range []string{"SELECT 1 /* a /* b */ , 2 FROM t", "SELECT 1 -- a\\\n, 2\nFROM t", "SELECT 1 -- a\r, 2\nFROM t"} {
		if _, err := Spark.Check(sql); kindOf(err) != api.KindSyntaxError {
			t.Errorf("%q: %v", sql, err)
		}
	}
	must(t, Spark, "SELECT /*+ COALESCE(1) */ 1 -- it's\r\nFROM t; /* ; */")
}
