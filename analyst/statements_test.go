package analyst_test

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/statement"
)

// written is a generator of statements over the tables flights and airports, the
// snapshot late of some flights, and a view of it.
type written struct{ *rand.Rand }

func (w written) pick(of ...string) string { return of[w.IntN(len(of))] }

func (w written) cond(q string) string {
	var terms []string
	for range 1 + w.IntN(3) {
		terms = append(terms, w.pick(q+"delay > 2", q+"delay <= -1", q+"origin = 'SEA'", q+"origin LIKE 'S%'", q+"origin IS NULL", q+"origin IN ('SEA', 'JFK', NULL)", "NOT "+q+"late", q+"late",
			q+"price > 5.25", q+"price BETWEEN 2 AND 9", q+"ratio < 3", q+"ratio >= 0.1", q+"day >= DATE '2026-01-05'", "date_trunc('month', "+q+"day) = DATE '2026-01-01'", q+"id % 3 = 1",
			"upper("+q+"origin) < 'M'", "coalesce("+q+"delay, 0) = 0", q+"moment < TIMESTAMP '2026-01-09 10:00:00'", q+"delay IS DISTINCT FROM 1", q+"id > 100", q+"id BETWEEN 40 AND 160"))
	}
	return "(" + strings.Join(terms, w.pick(" AND ", " OR ")) + ")"
}

func (w written) statement() string {
	from := w.pick("flights f", "(SELECT * FROM flights WHERE "+w.cond("")+") f", "late f", "flights f "+w.pick("", "LEFT ", "RIGHT ", "FULL ")+"JOIN airports a ON f.origin = a.iata AND "+w.cond("f."),
		"flights f "+w.pick("", "LEFT ")+"JOIN airports a ON f.origin = a.iata", "flights f, airports a", "flights f SEMI JOIN airports a ON f.origin = a.iata AND a.size > 2",
		"flights f ANTI JOIN airports a ON f.origin = a.iata", "flights f JOIN flights g ON f.delay = g.delay AND "+w.cond("g."), "flights f JOIN late l ON f.id = l.id AND "+w.cond("l."), "late f JOIN airports a ON f.origin = a.iata")
	where := w.pick("", " WHERE "+w.cond("f."), " WHERE f.delay > (SELECT min(delay) FROM flights x WHERE x.origin = f.origin AND "+w.cond("x.")+")",
		" WHERE EXISTS (SELECT 1 FROM airports b WHERE b.iata = f.origin AND b.size > 1) AND "+w.cond("f."), " WHERE f.origin IN (SELECT iata FROM airports WHERE state = 'WA')", " WHERE f.id IN (SELECT id FROM late WHERE delay > 3)")
	if from == "flights f, airports a" {
		where = " WHERE f.origin = a.iata AND a.size > 2 AND " + w.cond("f.")
	}
	return w.pick(
		"SELECT f.* FROM "+from+where,
		"SELECT count(*), sum(f.id)::BIGINT, min(f.moment) FROM "+from+where,
		"SELECT f.origin, count(*) AS n FROM "+from+where+" GROUP BY ALL HAVING count(*) > 2",
		"SELECT f.delay, row_number() OVER (PARTITION BY f.origin ORDER BY f.moment, f.id) FROM "+from+where+" QUALIFY row_number() OVER (PARTITION BY f.origin ORDER BY f.id) < 3",
		"WITH x AS (SELECT f.delay, f.price FROM "+from+where+") SELECT x.delay, y.price FROM x JOIN x y USING (delay) WHERE x.price > 3",
		"SELECT f.delay FROM "+from+where+w.pick(" UNION ", " INTERSECT ", " EXCEPT ", " UNION ALL ")+"SELECT delay FROM flights WHERE "+w.cond(""),
		"WITH v AS (SELECT * FROM late WHERE "+w.cond("")+") SELECT v.id, f.price FROM v JOIN "+strings.NewReplacer("late f", "flights f", ", airports a", " JOIN airports a ON f.origin = a.iata").Replace(from)+" ON v.id = f.id"+where,
		"SELECT DISTINCT f.origin FROM "+from+where+" ORDER BY 1 LIMIT 3",
	)
}

// views defines views over the snapshot, and over them and a table, for both.
func (w written) views(t *testing.T, a *analyst.Analyst, conn *duckdb.Conn) *query.Views {
	t.Helper()
	views := query.NewViews(a)
	for _, v := range [][2]string{
		{"early", "SELECT * FROM late WHERE " + w.cond("") + " OR id > 20"},
		{"seen", "SELECT * FROM " + w.pick("early", "late") + " WHERE " + w.cond("") + " OR origin IS NOT NULL"},
		{"ports", "SELECT * FROM airports WHERE size " + w.pick("> 1", "< 5", "IS NOT NULL")},
	} {
		if err := conn.Exec(t.Context(), "CREATE OR REPLACE VIEW "+v[0]+" AS "+v[1]); err != nil {
			t.Fatal(err)
		}
		d, ok, err := statement.Defines("CREATE TEMP VIEW " + v[0] + " AS " + v[1])
		if err == nil && ok {
			err = views.Define(t.Context(), d)
		}
		if err != nil {
			t.Fatalf("%s: %v", v[1], err)
		}
	}
	return views
}

// TestStatementsThatFetch gives random statements what the engine gives over the whole
// tables, and reads no more than the plan has said. DA_STATEMENTS sets how many there
// are; `make statements` takes 500.
func TestStatementsThatFetch(t *testing.T) {
	count := 9
	if text := os.Getenv("DA_STATEMENTS"); text != "" {
		var err error
		if count, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	a, conn := tabled(t, map[string]string{
		"flights": `SELECT i AS id, TIMESTAMP '2026-01-01' + INTERVAL (i * 7) HOUR AS moment, DATE '2026-01-01' + (i % 60)::INTEGER AS day, (i % 9 - 3)::INTEGER AS delay,
			['SEA', 'SFO', 'JFK', NULL, 'sfo', ''][i % 6 + 1] AS origin, (i % 13)::DECIMAL(9, 2) AS price, CASE i % 5 WHEN 0 THEN 'nan' ELSE i / 10 END::DOUBLE AS ratio,
			CASE WHEN i % 4 > 0 THEN i % 3 = 0 END AS late FROM range(200) t(i) UNION ALL SELECT 7, NULL, NULL, 1, 'SEA', 1, 1, true FROM range(2)`,
		"airports": "SELECT * FROM (VALUES ('SEA', 'WA', 3), ('SFO', 'CA', 5), ('XXX', NULL, 1), (NULL, 'OR', 2), ('SEA', 'WA', 4)) t(iata, state, size)",
	})
	if _, err := fetch.Run(t.Context(), a, fetch.Request{Scan: api.ScanRequest{TableID: "flights", Where: "delay > 1"}, Name: "late"}); err != nil {
		t.Fatal(err)
	}
	if err := conn.Exec(t.Context(), "CREATE VIEW late AS FROM flights WHERE delay > 1"); err != nil {
		t.Fatal(err)
	}
	a.PartsQuota = 40 << 10 // some go while others come
	taken := noteScans(a)
	w := written{rand.New(rand.NewPCG(11, 12))}
	sorted := func(text string) string {
		lines := strings.Split(text, "\n")
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	from := map[string]int{}
	for i := range count {
		sql := w.statement()
		var made *plan.Plan
		o := plan.Options{OnPlan: func(p *plan.Plan) { made = p }}
		if i%3 == 0 {
			sql = strings.NewReplacer("late f", "seen f", "late l", "seen l", "FROM late", "FROM seen", "airports b", "ports b").Replace(sql)
			o.Views = w.views(t, a, conn)
		}
		got := sorted(fetched(t, a, sql, o))
		if want := sorted(whole(t, conn, sql)); got != want {
			t.Fatalf("%s gives\n%s\nwant\n%s", sql, got, want)
		}
		for _, p := range made.Tables {
			from[p.From]++
		}
		if said, read := *made.ScanBytes, readBytes(t, a, taken()); read > said {
			t.Errorf("%s reads %d bytes, and the plan has said %d", sql, read, said)
		}
	}
	t.Logf("%d statements, tables from %v", count, from)
	if from[plan.FromHere] == 0 || from[plan.FromFetch] == 0 || from[plan.FromReuse] == 0 {
		t.Error("too little of what there is was used")
	}
}

// readBytes is what scans were estimated to read.
func readBytes(t *testing.T, a *analyst.Analyst, scans []api.ScanRequest) (total int64) {
	t.Helper()
	remote, err := a.Connect()
	if err != nil {
		t.Fatal(err)
	}
	for _, req := range scans {
		est, err := remote.Estimate(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		total += *est.ScanBytes
	}
	return total
}
