package fanout

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// world is a set of random tables: parents with details of two kinds, codes that are
// unique and codes with versions, and a bridge with weights.
type world struct {
	*rand.Rand
	parent, child, other, dim, version, bridge string
	pk, fk, amount, code                       string
}

func newWorld(t *testing.T, conn *duckdb.Conn, seed uint64) *world {
	r := rand.New(rand.NewPCG(seed, 39))
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	w := &world{
		Rand: r, parent: pick("orders", "visits", "invoices", "trips"), child: pick("lines", "items", "steps"), other: pick("payments", "refunds", "notes"),
		dim: pick("regions", "currencies"), version: pick("prices", "rates"), bridge: pick("owners", "members"),
		pk: pick("id", "key", "number"), amount: pick("amount", "total", "cost"), code: pick("code", "region_code"),
	}
	w.fk = pick("parent_id", "of_id", w.pk)
	rows, key := 20+r.IntN(200), pick("i", "'K' || i", "i * 1000003")
	keyOf := strings.ReplaceAll(key, "i", "f.i")
	details := func(table, value string, n int) string {
		return fmt.Sprintf(`CREATE TABLE %s AS SELECT i AS detail, CASE WHEN hash(i, %d) %% 20 > 0 THEN %s END AS %s, (hash(i, %d) %% 90)::INT + 1 AS %s, 'k' || (hash(i, %d) %% 4) AS kind, DATE '2026-01-01' + (i %% 300)::INT AS day
			FROM (SELECT i, hash(i, %d) %% %d AS p FROM range(%d) t(i)) JOIN (SELECT i AS p, i FROM range(%d) t(i)) f(p, fi) USING (p)`,
			table, seed, strings.ReplaceAll(keyOf, "f.i", "fi"), w.fk, seed+1, value, seed+2, seed+3, rows, n, rows)
	}
	n := rows * (2 + r.IntN(3))
	for _, table := range []string{w.parent, w.child, w.other, w.dim, w.version, w.bridge} {
		run(t, conn, "DROP TABLE IF EXISTS "+table)
	}
	run(t, conn, fmt.Sprintf(`CREATE TABLE %s AS SELECT %s AS %s, (hash(i, %d) %% 50)::INT + 1 AS %s, CASE WHEN i %% 7 > 0 THEN 'c' || (i %% 6) END AS %s, 'a' || (hash(i, %d) %% 3) AS attr, DATE '2026-01-01' + (i %% 300)::INT AS made FROM range(%d) t(i)`,
		w.parent, key, w.pk, seed+4, w.amount, w.code, seed+5, rows))
	run(t, conn, details(w.child, "quantity", n))
	run(t, conn, details(w.other, "paid", n))
	run(t, conn, fmt.Sprintf("CREATE TABLE %s AS SELECT 'c' || i AS %s, 'n' || (i %% 3) AS name, i + 1 AS rate FROM range(6) t(i) UNION ALL SELECT NULL, 'none', 1", w.dim, w.code))
	run(t, conn, fmt.Sprintf(`CREATE TABLE %s AS SELECT CASE WHEN v > 0 OR i %% 2 = 0 THEN 'c' || i ELSE 'C' || i || ' ' END AS %s, v AS version, v = 2 AS current, DATE '2026-01-01' + (v * 100)::INT AS since, DATE '2026-01-01' + (v * 100 + 99)::INT AS until, i + v AS price
		FROM range(6) t(i), range(3) u(v) UNION ALL SELECT NULL, 9, false, DATE '2026-01-01', DATE '2026-01-02', 1 FROM range(2)`, w.version, w.code))
	run(t, conn, fmt.Sprintf("CREATE TABLE %s AS SELECT %s AS %s, o AS owner, 1.0 / 2 AS weight FROM %s, range(2) u(o)", w.bridge, w.pk, w.fk, w.parent))
	return w
}

func run(t *testing.T, conn *duckdb.Conn, sql string) {
	t.Helper()
	if err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func (w *world) pick(all ...string) string { return all[w.IntN(len(all))] }

// fill writes the names of the world into a text, where p, c and o are the aliases of
// parent and details.
func (w *world) fill(text string) string {
	return strings.NewReplacer("{P}", w.parent, "{C}", w.child, "{O}", w.other, "{D}", w.dim, "{V}", w.version, "{B}", w.bridge,
		"{pk}", w.pk, "{fk}", w.fk, "{amount}", w.amount, "{code}", w.code).Replace(text)
}

// ofParent is an aggregate that counts rows of the parent.
func (w *world) ofParent() string {
	return w.pick("sum(p.{amount})", "sum(p.{amount})", "round(avg(p.{amount}), 6)", "count(p.{pk})", "sum(p.{amount} * 2 + 1)", "sum(CASE WHEN p.attr <> 'a1' THEN p.{amount} ELSE 0 END)",
		"sum(p.{amount}) FILTER (WHERE p.attr <> 'a2')", "round(sum(p.{amount}) / count(p.{pk}), 6)", "sum(p.{amount}::DOUBLE)")
}

// grouping is a way to group parents: the table that it needs, the items, the clause.
func (w *world) grouping() (join, item, clause string) {
	switch w.IntN(4) {
	case 0:
		return "", "p.attr, ", " GROUP BY p.attr"
	case 1:
		return " JOIN {D} d ON d.{code} = p.{code}", "d.name, ", w.pick(" GROUP BY d.name", " GROUP BY 1", " GROUP BY ALL")
	case 2:
		return " LEFT JOIN {D} d ON d.{code} = p.{code}", "d.name AS label, ", " GROUP BY label"
	}
	return "", "", ""
}

// seeded is a statement with a wrong join, and one that computes what was meant.
type seeded struct{ kind, sql, meant string }

// wrong are the kinds of wrong joins.
var wrong = []func(w *world) seeded{
	func(w *world) seeded { // details repeat their parent
		join, item, clause := w.grouping()
		agg := w.ofParent()
		filter := w.pick("", "", " AND c.kind <> 'k0'", " AND c.quantity > 20")
		having := w.pick("", "", " AND p.attr <> 'a0'")
		meant := "SELECT " + item + agg + " FROM {P} p" + join + " WHERE EXISTS (SELECT 1 FROM {C} c WHERE c.{fk} = p.{pk}" + filter + ")" + having + clause
		switch w.IntN(6) {
		case 0:
			return seeded{"one-to-many", "SELECT " + item + agg + " FROM {C} c, {P} p" + join + " WHERE c.{fk} = p.{pk}" + filter + having + clause, meant}
		case 1:
			return seeded{"one-to-many", "SELECT " + item + agg + " FROM {P} p LEFT JOIN {C} c ON c.{fk} = p.{pk}" + filter + join + " WHERE true" + having + clause,
				"SELECT " + item + agg + " FROM {P} p" + join + " WHERE true" + having + clause}
		case 2:
			return seeded{"one-to-many", "WITH d AS (SELECT * FROM {D}), joined AS (SELECT p.*, c.kind, c.quantity FROM {P} p JOIN {C} c ON p.{pk} = c.{fk} WHERE true" + filter + ") SELECT " + item + agg + " FROM joined p" + strings.ReplaceAll(join, "{D} d", "d") + " WHERE true" + having + clause, meant}
		case 3:
			return seeded{"one-to-many", "SELECT " + item + agg + ", count(*) FROM {C} c INNER JOIN {P} p ON p.{pk} = c.{fk}" + join + " WHERE true" + filter + having + clause,
				"SELECT " + item + agg + ", sum(n) FROM {P} p JOIN (SELECT {fk} AS f, count(*) AS n FROM {C} c WHERE true" + filter + " GROUP BY 1) ON f = p.{pk}" + join + " WHERE true" + having + clause}
		case 4:
			return seeded{"one-to-many", "SELECT * FROM (SELECT " + item + agg + ", sum(c.quantity) AS q FROM {P} p JOIN {C} c ON p.{pk} = c.{fk}" + join + " WHERE true" + filter + having + clause + ") ORDER BY q",
				"SELECT " + item + agg + ", sum(n) FROM {P} p JOIN (SELECT {fk} AS f, sum(quantity) AS n FROM {C} c WHERE true" + filter + " GROUP BY 1) ON f = p.{pk}" + join + " WHERE true" + having + clause}
		}
		return seeded{"one-to-many", "SELECT " + item + agg + " FROM {P} p JOIN {C} c ON p.{pk} = c.{fk}" + join + " WHERE true" + filter + having + clause, meant}
	},
	func(w *world) seeded { // neither key is unique
		agg := w.ofParent()
		if w.IntN(3) == 0 {
			return seeded{"many-to-many", "SELECT p.attr, " + agg + " FROM {P} p JOIN {V} v ON v.{code} = p.{code} GROUP BY p.attr",
				"SELECT p.attr, " + agg + " FROM {P} p WHERE p.{code} IN (SELECT {code} FROM {V}) GROUP BY p.attr"}
		}
		if w.IntN(2) == 0 {
			return seeded{"many-to-many", "SELECT sum(c.quantity) FROM {C} c JOIN {O} o ON c.{fk} = o.{fk}", "SELECT sum(c.quantity) FROM {C} c WHERE c.{fk} IN (SELECT {fk} FROM {O})"}
		}
		return seeded{"many-to-many", "SELECT " + agg + " FROM {P} p JOIN {C} c ON c.day = p.made", "SELECT " + agg + " FROM {P} p WHERE p.made IN (SELECT day FROM {C})"}
	},
	func(w *world) seeded { // two kinds of details repeat each other
		group, item := w.pick("", " GROUP BY p.attr"), ""
		if group != "" {
			item = "p.attr, "
		}
		kind := w.pick("JOIN", "LEFT JOIN")
		a, b := w.pick("sum(c.quantity)", "sum(c.quantity + 1)", "count(c.detail)"), w.pick("sum(o.paid)", "count(o.kind)", "sum(o.paid) FILTER (WHERE o.kind <> 'k1')")
		on := w.pick("o.{fk} = p.{pk}", "o.{fk} = c.{fk}")
		if kind == "LEFT JOIN" {
			on = "o.{fk} = p.{pk}"
		}
		return seeded{"chasm", "SELECT " + item + a + ", " + b + " FROM {P} p " + kind + " {C} c ON c.{fk} = p.{pk} " + kind + " {O} o ON " + on + group,
			"SELECT " + item + "sum(a), sum(b) FROM {P} p " + kind + " (SELECT {fk} AS f, " + a + " AS a FROM {C} c GROUP BY 1) x ON x.f = p.{pk} " + kind + " (SELECT {fk} AS f, " + b + " AS b FROM {O} o GROUP BY 1) y ON y.f = p.{pk}" + group}
	},
	func(w *world) seeded { // what was to make it unique does not
		agg := w.ofParent()
		meant := "SELECT " + agg + " FROM {P} p WHERE p.{pk} IN (SELECT {fk} FROM {C})"
		switch w.IntN(5) {
		case 0:
			return seeded{"wrong key", "SELECT " + agg + " FROM {P} p JOIN (SELECT DISTINCT {fk}, kind FROM {C}) c ON c.{fk} = p.{pk}", meant}
		case 1:
			return seeded{"wrong key", "WITH c AS (SELECT {fk} AS f, kind, sum(quantity) AS q FROM {C} GROUP BY f, kind) SELECT " + agg + ", sum(q) FROM {P} p JOIN c ON c.f = p.{pk}",
				"SELECT " + agg + ", sum(q) FROM {P} p JOIN (SELECT {fk} AS f, sum(quantity) AS q FROM {C} GROUP BY 1) ON f = p.{pk}"}
		case 2:
			return seeded{"wrong key", "SELECT " + agg + " FROM {P} p JOIN (SELECT * FROM {C} QUALIFY row_number() OVER (PARTITION BY {fk}, kind ORDER BY day) = 1) c ON c.{fk} = p.{pk}", meant}
		case 3:
			return seeded{"wrong key", "SELECT sum(DISTINCT p.{amount}) FROM {P} p JOIN {C} c ON c.{fk} = p.{pk}", "SELECT sum(p.{amount}) FROM {P} p WHERE p.{pk} IN (SELECT {fk} FROM {C})"}
		}
		return seeded{"wrong key", "SELECT " + agg + " FROM {P} p JOIN {V} v ON v.{code} = p.{code} AND v.version > 0", "SELECT " + agg + " FROM {P} p WHERE p.{code} IN (SELECT {code} FROM {V} WHERE version > 0)"}
	},
	func(w *world) seeded { // NULLs and spaces make keys the same
		agg := w.ofParent()
		on := w.pick("coalesce(v.{code}, '') = coalesce(p.{code}, '')", "v.{code} IS NOT DISTINCT FROM p.{code}", "lower(trim(v.{code})) = p.{code}", "trim(v.{code}) = trim(p.{code})", "v.{code} ILIKE p.{code}")
		filter := w.pick("v.version IN (1, 9)", "v.version <> 1", "true")
		if strings.Contains(on, "lower") || strings.Contains(on, "ILIKE") {
			filter = "v.version < 9"
		}
		return seeded{"null or padded", "SELECT p.attr, " + agg + " FROM {P} p JOIN {V} v ON " + on + " WHERE " + filter + " GROUP BY 1",
			"SELECT p.attr, " + agg + " FROM {P} p WHERE EXISTS (SELECT 1 FROM {V} v WHERE " + on + " AND " + filter + ") GROUP BY 1"}
	},
}

// rights are ways to join that repeat nothing that is summed.
var rights = []struct {
	kind string
	make func(w *world) string
}{
	{"details", func(w *world) string {
		join, item, clause := w.grouping()
		return "SELECT " + item + w.pick("sum(c.quantity)", "count(*)", "avg(c.quantity)", "count(c.kind)", "sum(c.quantity * p.{amount})", "sum(CASE WHEN p.attr = 'a1' THEN c.quantity END)", "sum(CASE WHEN c.kind = 'k1' THEN 1 ELSE 0 END)") +
			" FROM {C} c " + w.pick("JOIN", "LEFT JOIN") + " {P} p ON p.{pk} = c.{fk}" + join + w.pick("", " WHERE c.kind <> 'k3'", " WHERE p.attr <> 'a0'") + clause
	}},
	{"lookup", func(w *world) string {
		return "SELECT d.name, " + w.ofParent() + ", count(*) FROM {P} p " + w.pick("JOIN {D} d ON d.{code} = p.{code}", "JOIN {D} d USING ({code})", "LEFT JOIN {D} d ON p.{code} = d.{code}", "FULL JOIN {D} d ON p.{code} = d.{code}", "NATURAL JOIN {D} d") + " GROUP BY 1"
	}},
	{"distinct", func(w *world) string {
		return "SELECT p.attr, " + w.pick("count(DISTINCT p.{pk})", "max(p.{amount})", "min(p.made)", "bool_or(p.{amount} > 3)", "count(DISTINCT p.{pk}), sum(c.quantity)", "any_value(p.{amount})") + " FROM {P} p JOIN {C} c ON c.{fk} = p.{pk} GROUP BY p.attr"
	}},
	{"semi", func(w *world) string {
		return "SELECT " + w.ofParent() + " FROM {P} p " + w.pick("WHERE EXISTS (SELECT 1 FROM {C} c WHERE c.{fk} = p.{pk})", "WHERE p.{pk} IN (SELECT {fk} FROM {C})", "SEMI JOIN {C} c ON c.{fk} = p.{pk}", "ANTI JOIN {C} c ON c.{fk} = p.{pk}", "JOIN {D} d USING ({code}) WHERE p.{pk} NOT IN (SELECT {fk} FROM {C} WHERE {fk} IS NOT NULL)")
	}},
	{"pre-aggregated", func(w *world) string {
		return w.pick(
			"SELECT "+w.ofParent()+", sum(q) FROM {P} p JOIN (SELECT {fk} AS f, sum(quantity) AS q FROM {C} GROUP BY {fk}) c ON c.f = p.{pk}",
			"WITH a AS (SELECT {fk}, sum(quantity) AS q FROM {C} GROUP BY 1), b AS (SELECT {fk}, sum(paid) AS s FROM {O} GROUP BY 1) SELECT p.attr, "+w.ofParent()+", sum(q), sum(s) FROM {P} p LEFT JOIN a ON a.{fk} = p.{pk} LEFT JOIN b ON b.{fk} = p.{pk} GROUP BY 1",
			"SELECT "+w.ofParent()+" FROM {P} p JOIN (SELECT DISTINCT {fk} FROM {C}) c ON c.{fk} = p.{pk}",
			"SELECT "+w.ofParent()+" FROM {P} p JOIN (SELECT * FROM {C} QUALIFY row_number() OVER (PARTITION BY {fk} ORDER BY detail) = 1) c ON c.{fk} = p.{pk}",
			"SELECT "+w.ofParent()+" FROM {P} p JOIN (SELECT *, row_number() OVER (PARTITION BY {fk} ORDER BY detail) AS nth FROM {C}) c ON c.{fk} = p.{pk} AND nth = 1",
			"SELECT "+w.ofParent()+" FROM {P} p JOIN (SELECT *, row_number() OVER (PARTITION BY {fk} ORDER BY detail) AS nth FROM {C}) c ON c.{fk} = p.{pk} WHERE c.nth = 1")
	}},
	{"bridge", func(w *world) string {
		return "SELECT b.owner, " + w.pick("sum(p.{amount} * b.weight)", "sum(b.weight * p.{amount})", "sum(p.{amount}), count(p.{pk})") + " FROM {P} p JOIN {B} b ON b.{fk} = p.{pk} GROUP BY b.owner"
	}},
	{"version", func(w *world) string {
		return "SELECT " + w.pick("", "v.price, ") + w.ofParent() + " FROM {P} p JOIN {V} v ON v.{code} = p.{code} " + w.pick("AND v.current", "AND p.made BETWEEN v.since AND v.until", "WHERE v.version = 2", "AND v.since <= p.made WHERE v.until >= p.made", "AND v.version = 1") + " GROUP BY ALL"
	}},
	{"by its key", func(w *world) string {
		return "SELECT c.detail, " + w.ofParent() + " FROM {P} p JOIN {C} c ON c.{fk} = p.{pk} GROUP BY " + w.pick("1", "c.detail", "ALL")
	}},
	{"one row", func(w *world) string {
		return "SELECT p.attr, sum(p.{amount}), " + w.pick("any_value(x.top)", "max(top)") + " FROM {P} p CROSS JOIN (SELECT max(quantity) AS top FROM {C}) x GROUP BY 1"
	}},
	{"as of", func(w *world) string {
		return "SELECT " + w.ofParent() + " FROM {P} p ASOF JOIN (SELECT * FROM {V} WHERE {code} IS NOT NULL AND {code} NOT LIKE 'C%') v ON v.{code} = p.{code} AND v.since <= p.made"
	}},
	{"scalar", func(w *world) string {
		return "SELECT p.attr, sum(p.{amount}), sum((SELECT sum(c.quantity) FROM {C} c WHERE c.{fk} = p.{pk})) FROM {P} p JOIN {D} d ON d.{code} = p.{code} GROUP BY 1"
	}},
	{"pairs", func(w *world) string {
		return "SELECT count(*) FROM {C} a JOIN {C} b ON a.{fk} = b.{fk} AND a.detail < b.detail"
	}},
	{"stacked", func(w *world) string {
		return "SELECT p.attr, sum(x.v) FROM {P} p JOIN (SELECT {fk} AS f, quantity AS v FROM {C} UNION ALL SELECT {fk}, -paid FROM {O}) x ON x.f = p.{pk} GROUP BY 1"
	}},
	{"first only", func(w *world) string {
		return "SELECT sum(CASE WHEN nth = 1 THEN {amount} END), sum(quantity) FROM (SELECT p.{amount}, c.quantity, row_number() OVER (PARTITION BY p.{pk} ORDER BY c.detail) AS nth FROM {P} p JOIN {C} c ON c.{fk} = p.{pk})"
	}},
	{"details of details", func(w *world) string {
		return "SELECT d.name, sum(c.quantity), count(*), count(DISTINCT p.{pk}) FROM {C} c JOIN {P} p ON p.{pk} = c.{fk} JOIN {D} d ON d.{code} = p.{code} JOIN {V} v ON v.{code} = d.{code} AND v.current GROUP BY d.name HAVING count(*) > 1 ORDER BY 2 DESC"
	}},
}

// figures are the rows of a statement as one text.
func figures(t *testing.T, conn *duckdb.Conn, sql string) string {
	t.Helper()
	columns, err := conn.Describe(t.Context(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	names := make([]string, len(columns))
	for i := range names {
		names[i] = fmt.Sprintf("c%d", i)
	}
	var out any
	if err := conn.QueryRow(t.Context(), "SELECT string_agg(t::VARCHAR, chr(10) ORDER BY t::VARCHAR) FROM ("+sql+") AS t("+strings.Join(names, ", ")+")", nil, &out); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return fmt.Sprint(out)
}

// tally counts what is told of statements of a kind, and for how many of them the right
// one is offered.
type tally struct {
	kind             string
	n, told, offered int
}

type tallies []tally

func (all *tallies) of(kind string) *tally {
	for i := range *all {
		if (*all)[i].kind == kind {
			return &(*all)[i]
		}
	}
	*all = append(*all, tally{kind: kind})
	return &(*all)[len(*all)-1]
}

// total sums up.
func (all tallies) total() (sum tally) {
	for _, t := range all {
		sum.n, sum.told, sum.offered = sum.n+t.n, sum.told+t.told, sum.offered+t.offered
	}
	return sum
}

// TestSeeded runs statements with wrong joins and with right ones over random tables.
// DA_SEEDED is how many of each; with 300 its table is that of docs/joins.md, which
// UPDATE_DOCS=1 writes.
func TestSeeded(t *testing.T) {
	each := 60
	if n, err := strconv.Atoi(os.Getenv("DA_SEEDED")); err == nil {
		each = n
	}
	t.Run("tables of any size", func(t *testing.T) { seededStatements(t, each, each == 300) })
	t.Run("as of large tables", func(t *testing.T) {
		defer func(before int64) { manyRows = before }(manyRows)
		manyRows = 1
		seededStatements(t, each, false)
	})
}

// seededStatements counts which are told, for the page too.
func seededStatements(t *testing.T, each int, page bool) {
	t.Helper()
	conn := engine(t)
	var bad, good tallies
	var w *world
	for try := 0; bad.total().n < each; try++ {
		if try%10 == 0 {
			w = newWorld(t, conn, uint64(try))
		}
		s := wrong[try%len(wrong)](w)
		sql, meant := w.fill(s.sql), w.fill(s.meant)
		want := figures(t, conn, meant)
		if figures(t, conn, sql) == want {
			continue // these rows hide it
		}
		c := bad.of(s.kind)
		c.n++
		said, right := find(t, conn, sql)
		if len(said) > 0 {
			c.told++
		} else {
			t.Log("not told: ", sql)
		}
		if right != "" {
			c.offered++
			if got := figures(t, conn, right); got != want {
				t.Errorf("for %s\nis offered %s\nwhich gives %s\nand not %s", sql, right, got, want)
			}
		}
	}
	for n := range each {
		if n%10 == 0 {
			w = newWorld(t, conn, uint64(1000+n))
		}
		s := rights[n%len(rights)]
		sql := w.fill(s.make(w))
		figures(t, conn, sql) // it runs
		c := good.of(s.kind)
		c.n++
		if said, _ := find(t, conn, sql); len(said) > 0 {
			c.told++
			t.Log("told of a right one: ", sql, said)
		}
	}
	t.Logf("told: %d of %d wrong joins, %d of %d right ones", bad.total().told, each, good.total().told, each)
	if told := bad.total().told; told*100 < each*95 {
		t.Errorf("%d of %d wrong joins are told", told, each)
	}
	if told := good.total().told; told*100 > each*2 {
		t.Errorf("%d of %d right joins are told", told, each)
	}
	if page {
		checkPage(t, bad, good)
	}
}

// checkPage compares the table of the page.
func checkPage(t *testing.T, bad, good tallies) {
	t.Helper()
	var b strings.Builder
	b.WriteString("<!-- seeded -->\n| statements | in all | told | not told | right one offered |\n|---|--:|--:|--:|--:|\n")
	for _, s := range bad {
		fmt.Fprintf(&b, "| wrong: %s | %d | %d | %d | %d |\n", s.kind, s.n, s.told, s.n-s.told, s.offered)
	}
	sum := bad.total()
	fmt.Fprintf(&b, "| **wrong** | **%d** | **%d** | **%d** | **%d** |\n", sum.n, sum.told, sum.n-sum.told, sum.offered)
	var kinds []string
	for _, s := range good {
		kinds = append(kinds, s.kind)
	}
	sum = good.total()
	fmt.Fprintf(&b, "| **right**: %s | **%d** | **%d** | **%d** | |\n", strings.Join(kinds, ", "), sum.n, sum.told, sum.n-sum.told)
	const page = "../../docs/joins.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), "<!-- seeded -->\n")
	_, after, found := strings.Cut(rest, "<!-- end -->")
	switch want := before + b.String() + "<!-- end -->" + after; {
	case !found:
		t.Fatal(page + " has no place for the table")
	case want == string(text):
	case os.Getenv("UPDATE_DOCS") != "":
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error(page + " has another table; UPDATE_DOCS=1 writes this one")
	}
}
