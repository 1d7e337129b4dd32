package warehouse

import (
	"errors"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

func TestBind(t *testing.T) {
	tables := map[string]string{"b": "SELECT 2", "a": "SELECT 1"}
	const bound = "`a` AS (SELECT 1), `b` AS (SELECT 2)"
	for sql, want := range map[string]string{
		"SELECT * FROM a; ":                                     "WITH " + bound + " SELECT * FROM a",
		" with x as (SELECT 1) SELECT * FROM x, a":              "WITH " + bound + ", x as (SELECT 1) SELECT * FROM x, a",
		"WITH\nRECURSIVE x AS (SELECT 1) SELECT * FROM x":       "WITH RECURSIVE " + bound + ", x AS (SELECT 1) SELECT * FROM x",
		"(WITH x AS (SELECT 1) SELECT * FROM x)":                "WITH " + bound + " (WITH x AS (SELECT 1) SELECT * FROM x)",
		"(WITH RECURSIVE x AS (SELECT 1) SELECT * FROM x)":      "WITH " + bound + " (WITH RECURSIVE x AS (SELECT 1) SELECT * FROM x)",
		"FROM a |> WHERE n > (WITH q AS (SELECT 1) SELECT 1)":   "WITH " + bound + " FROM a |> WHERE n > (WITH q AS (SELECT 1) SELECT 1)",
		"WITH x AS (SELECT 1) (WITH y AS (FROM x) SELECT 1, 2)": "WITH " + bound + ", x AS (SELECT 1) (WITH y AS (FROM x) SELECT 1, 2)",
	} {
		s, err := Check(sql)
		if err != nil {
			t.Errorf("%s\n\t%v", sql, err)
			continue
		}
		if got := s.Bind(tables); got != want {
			t.Errorf("%s\n\tis bound as %s", sql, got)
		}
		if got := s.Bind(nil); got != s.SQL {
			t.Errorf("%s\n\twithout tables is bound as %s", sql, got)
		}
	}
}

// TestTables tells names that WITH defines from those of tables.
func TestTables(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT 1": "",
		"WITH x AS (SELECT * FROM a) SELECT * FROM X, b, a":                                                          "a b",
		"SELECT * FROM x, (WITH x AS (SELECT 1) SELECT * FROM x)":                                                    "x",
		"SELECT (WITH x AS (SELECT 1 AS v) SELECT v FROM x), n FROM x":                                               "x",
		"WITH x AS (WITH y AS (SELECT 1) SELECT * FROM y) SELECT * FROM x, y":                                        "y",
		"WITH x AS (SELECT * FROM y), y AS (SELECT 1) SELECT * FROM x":                                               "refused",
		"WITH RECURSIVE x AS (SELECT 1 AS n UNION ALL SELECT n FROM x) SELECT * FROM x":                              "",
		"SELECT * FROM ((SELECT 1 FROM a) UNION ALL (SELECT 2 FROM b)) AS u JOIN c ON TRUE":                          "a b c",
		"SELECT * FROM ((SELECT 1 FROM a) AS p JOIN (b JOIN c ON TRUE) ON TRUE)":                                     "a b c",
		"SELECT ((SELECT 1 FROM a) UNION ALL (SELECT 2 FROM b) LIMIT 1), ((SELECT 1 FROM c) + 1)":                    "a b c",
		"SELECT EXISTS(SELECT 1 FROM a), ARRAY(SELECT 1 FROM b), x IN (SELECT 1 FROM c) FROM d":                      "a b c d",
		"FROM a |> JOIN b USING (n) |> UNION ALL (SELECT 1 FROM c), (FROM d) |> AS e |> ORDER BY 1":                  "a b c d",
		"SELECT * FROM a ORDER BY (SELECT 1 FROM b) LIMIT 1":                                                         "a b",
		"SELECT SUM(n) OVER (PARTITION BY (SELECT 1 FROM b)) FROM a QUALIFY (SELECT TRUE FROM c)":                    "b a c",
		"SELECT ARRAY_AGG(n HAVING MAX (SELECT 1 FROM b) ORDER BY (SELECT 1 FROM c)) FROM a":                         "b c a",
		"SELECT * FROM a PIVOT (SUM((SELECT 1 FROM b)) FOR n IN ((SELECT 1 FROM c))) TABLESAMPLE SYSTEM (1 PERCENT)": "a b c",
		"SELECT * REPLACE ((SELECT 1 FROM b) AS n) FROM a, UNNEST((SELECT l FROM c)) AS x WITH OFFSET":               "b a c",
	} {
		s, err := Check(sql)
		switch {
		case err != nil && want == "refused":
		case err != nil:
			t.Errorf("%s\n\tis refused: %v", sql, err)
		case strings.Join(s.Tables, " ") != want:
			t.Errorf("%s\n\treads %q, want %s", sql, s.Tables, want)
		}
	}
}

// TestRefusalsSayWhere counts characters, in the text that was sent.
func TestRefusalsSayWhere(t *testing.T) {
	_, err := Check("  SELECT 'é',\n  UPER(n) FROM numbers")
	e, ok := err.(*api.Error)
	if !ok || e.Details["position"] != 17 || e.Details["line"] != 2 || e.Details["column"] != 3 || e.Hint != "Did you mean UPPER?" {
		t.Errorf("refused as %+v", err)
	}
}

func FuzzCheck(f *testing.F) {
	for _, sql := range append(strings.Split(ordinaryText, "\n\n"), "SELECT n FROM numbers", "WITH a AS (SELECT 1) SELECT 'x' FROM a, `b.c`", `SELECT r'\'' FROM x;`) {
		f.Add(sql)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		s, err := Check(sql)
		if err != nil {
			return
		}
		bound := map[string]string{}
		for _, n := range s.Tables {
			bound[n] = "SELECT 1"
		}
		again, err := Check(s.Bind(bound))
		if err != nil || len(again.Tables) > 0 {
			t.Errorf("%s\n\tis bound as %s, which reads %v: %v", sql, s.Bind(bound), again, err)
		}
	})
}

// TestComments runs statements without their comments, and counts places with
// them.
func TestComments(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT 1 -- x": "SELECT 1",
		"SELECT 1--":    "SELECT 1",
		"-- é\nSELECT n # it's\nFROM numbers; -- \"": "    \nSELECT n       \nFROM numbers",
		"SELECT /* a\nb */ n FROM numbers;;/**/;":    "SELECT     \n     n FROM numbers",
		"SELECT '-- a', \"# b\" FROM numbers -- d\n": "SELECT '-- a', \"# b\" FROM numbers",
		"SELECT 4 - -1 /*é*/, 2 FROM numbers":        "SELECT 4 - -1      , 2 FROM numbers",
	} {
		s, err := Check(sql)
		if err != nil || s.SQL != want {
			t.Errorf("%q: %+v, %v", sql, s, err)
		}
	}
	_, err := Check("/* ěš */ -- č\nSELECT n FRM numbers x y")
	var e *api.Error
	if !errors.As(err, &e) || e.Details["line"] != 2 || e.Details["position"] != 28 {
		t.Errorf("%v %+v", err, e)
	}
}
