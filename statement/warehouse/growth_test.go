package warehouse

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestGrowth holds that a short statement cannot make a plan without end. Each of these
// took Spark 4.1 from all its users, and could not be stopped.
func TestGrowth(t *testing.T) {
	steps := func(n int, step string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.NewReplacer("#i", fmt.Sprint(i), "#j", fmt.Sprint(i+1)).Replace(step))
		}
		return b.String()
	}
	inside := func(n int, first, step string) string {
		for i := range n {
			first = strings.NewReplacer("#i", fmt.Sprint(i), "#j", fmt.Sprint(i+1), "{}", first).Replace(step)
		}
		return first
	}
	for name, of := range map[string]func(n int) string{
		"aliases": func(n int) string { return "SELECT a + 1 AS a0" + steps(n, ", a#i + a#i AS A#j") + " FROM t" },
		"queries": func(n int) string {
			return "SELECT 1 FROM (" + inside(n, "SELECT a AS a0 FROM t", "SELECT a#i * a#i AS a#j FROM ({}) AS q") + ") AS q"
		},
		"queries of columns without a name": func(n int) string {
			return "SELECT 1 FROM (" + inside(n, "SELECT upper(a) FROM t", "SELECT concat(q, concat(`upper(b)`, `upper(b)`)) AS b FROM (SELECT upper(b) FROM ({}) AS q) AS q") + ") AS q"
		},
		"queries in joins": func(n int) string {
			return inside(n, "SELECT a AS a0 FROM t", "SELECT x.a#i * x.a#i AS a#j FROM (({}) AS x JOIN u ON x.a#i = u.a)")
		},
		"correlated": func(n int) string {
			return inside(n, "SELECT a AS a0 FROM t", "SELECT (SELECT q.a#i + q.a#i) AS a#j FROM ({}) AS q")
		},
		"unions": func(n int) string {
			return inside(n, "SELECT a AS a0 FROM t", "SELECT a#i + a#i AS a#j FROM (SELECT 1 AS a#i UNION ALL {}) AS q")
		},
		"definitions": func(n int) string {
			return "WITH q0 AS (SELECT a AS a0 FROM t)" + steps(n, ", q#j AS (SELECT a#i + a#i AS a#j, * FROM q#i)") + fmt.Sprintf(" SELECT * FROM q%d", n)
		},
		"definitions without a table": func(n int) string {
			return "WITH q0 AS (SELECT 1 AS a)" + steps(n, ", q#j AS (SELECT a FROM q#i UNION ALL SELECT a FROM q#i)") + fmt.Sprintf(" SELECT a FROM q%d, t", n)
		},
		"stars": func(n int) string { return inside(n, "SELECT * FROM t", "SELECT *, q.* FROM ({}) AS q") },
		"cubes": func(n int) string { return "SELECT 1 FROM t GROUP BY a, CUBE(b" + steps(n-1, ", c#i") + ")" },
		"sets": func(n int) string {
			return "SELECT 1 FROM t GROUP BY ROLLUP(a, b)" + steps(n, ", GROUPING SETS (a, (a, b), ())")
		},
		"windows": func(n int) string {
			return "SELECT 1" + strings.Repeat(", sum(a) OVER w", n*20) + " FROM t WINDOW w AS (PARTITION BY a" + strings.Repeat(", a", n*8) + ")"
		},
		"numbers": func(n int) string {
			return "SELECT a" + strings.Repeat(" + a", n*20) + " FROM t GROUP BY 1" + strings.Repeat(", 1", n*8)
		},
		"an order": func(n int) string {
			return "SELECT a FROM (SELECT a" + strings.Repeat(" + a", n*20) + " AS b, a FROM t) AS q ORDER BY b" + strings.Repeat(" + b", n*8)
		},
	} {
		for _, l := range []*Language{ClickHouse, Spark} {
			if l == ClickHouse && name == "aliases" {
				continue // their case differs
			}
			must(t, l, of(3))
			var e *api.Error
			if _, err := l.Check(of(16)); !errors.As(err, &e) || e.Kind != api.KindTooDeep {
				t.Errorf("%s: %s", name, kindOf(err))
			}
		}
	}
	for re, refused := range map[string]bool{
		`(.*a){30}b`: true, `(a+)+$`: true, `(a|aa)*b`: true, `(a?b?)*c`: true, `.*.*.*.*.*b`: true, `(?=a)b`: true, `(a)\\1`: true, `a?a?a?a?a?b`: true,
		`([0-9]{2}-){2}`: false, `(a*){9}`: true, `^https?://([^/]+)/`: false, `(\\w+) (\\w+)`: false, `(ab)+`: false, `a|b|c+`: false, `,\\s*`: false, `[0-9]{1,3}`: false, `(?i)x`: false, ``: false,
	} {
		if _, err := Spark.Check("SELECT regexp_replace(a, '" + re + "', ''), split(a, ',') FROM t"); (err != nil) != refused {
			t.Errorf("%s: %v", re, err)
		}
	}
	if _, err := Spark.Check("SELECT regexp_like(a, concat('(a+', ')+b')) FROM t"); kindOf(err) != api.KindUnsupported {
		t.Error(err)
	}
	for like, refused := range map[string]bool{
		`LIKE '%a%b%c%d%'`: true, `LIKE concat('%', b)`: true, `ILIKE '%a' || b`: true, `LIKE ANY ('a%', '%b%c%d%e%')`: true, `LIKE b`: true, `LIKE ('a%' || b)`: true,
		`NOT LIKE '%a%b%' AND b = 'x'`: false, `LIKE ALL ('a%', '%b')`: false, `ILIKE 'a_%'`: false, `LIKE ('a%')`: false,
	} {
		if _, err := Spark.Check("SELECT a FROM t WHERE a " + like); (err != nil) != refused {
			t.Errorf("%s: %v", like, err)
		}
	}
	if _, whole := must(t, Spark, "SELECT to_json(struct(*)) FROM t").Named(); !whole {
		t.Error("a star among arguments names no columns")
	}
	if _, whole := must(t, Spark, "SELECT count(*) FROM t").Named(); whole {
		t.Error("count(*) reads no column")
	}
}
