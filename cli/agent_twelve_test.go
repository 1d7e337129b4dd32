package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/cli/demo"
)

// twelve are questions over the tables of da demo.
var twelve = []string{
	"SELECT count(*) AS flights FROM flights",
	"SELECT count(*) AS from_sfo, round(avg(delay), 1) AS mean FROM flights WHERE origin = 'SFO'",
	"SELECT month, count(*) AS n FROM flights GROUP BY month ORDER BY month",
	"SELECT origin, count(*) AS n FROM flights GROUP BY origin ORDER BY n DESC, origin LIMIT 5",
	"SELECT destination, round(avg(delay), 2) AS mean FROM flights GROUP BY destination HAVING count(*) > 2000 ORDER BY mean DESC, destination LIMIT 3",
	"SELECT count(*) FILTER (WHERE delay > 60) AS late, max(delay) AS worst FROM flights WHERE month = 6",
	"SELECT hour(date) AS h, round(avg(delay), 1) AS mean FROM flights GROUP BY h ORDER BY mean DESC, h LIMIT 3",
	"SELECT count(*) AS airports, count(DISTINCT state) AS states FROM airports WHERE country = 'USA'",
	"SELECT state, count(*) AS n FROM airports GROUP BY state ORDER BY n DESC, state LIMIT 3",
	"SELECT name, latitude FROM airports ORDER BY latitude DESC, name LIMIT 1",
	"SELECT a.state, count(*) AS n FROM flights f JOIN airports a ON a.iata = f.destination GROUP BY a.state ORDER BY n DESC, a.state LIMIT 3",
	"SELECT a.city, max(f.distance) AS miles FROM flights f JOIN airports a ON a.iata = f.destination WHERE f.origin = 'JFK' GROUP BY a.city ORDER BY miles DESC, a.city LIMIT 2",
}

// TestTwelveQuestions answers them one by one over snapshots that are fetched
// first, and all in one call that fetches what they need. docs/performance.md has
// what that took.
func TestTwelveQuestions(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	dir := filepath.Join(p.dir, "demo")
	if err := demo.Write(dir); err != nil {
		t.Fatal(err)
	}
	p = p.with("CLAUDECODE=1", "DA_INSTANCE="+filepath.Join(dir, demo.InstanceFile))
	type walk struct{ calls, bytes int }
	var before, after walk
	call := func(w *walk, args ...string) map[string]any {
		t.Helper()
		one := &walker{t: t, p: p}
		doc := one.must(nil, args...)
		w.calls, w.bytes = w.calls+1, w.bytes+one.bytes+len(strings.Join(args, " "))
		return doc
	}
	for _, w := range []*walk{&before, &after} { // what there is, either way
		call(w, "catalog")
		call(w, "schema", "flights")
		call(w, "schema", "airports")
	}
	answer := call(&after, "query", "--fetch", strings.Join(twelve, "; "))
	for _, table := range []string{"flights", "airports"} {
		call(&before, "fetch", table, "--estimate")
		call(&before, "fetch", table, "--as", table)
	}
	results := answer["results"].([]any)
	if len(results) != len(twelve) {
		t.Fatalf("%d results of %d", len(results), len(twelve))
	}
	for i, sql := range twelve {
		alone := call(&before, "query", sql)
		together := results[i].(map[string]any)
		for _, field := range []string{"columns", "constant", "rows", "truncated"} {
			if fmt.Sprint(alone[field]) != fmt.Sprint(together[field]) {
				t.Errorf("%s: %s is %v alone and %v together", sql, field, alone[field], together[field])
			}
		}
		if rows := together["rows"].([]any); len(rows) == 0 {
			t.Errorf("%s: no rows", sql)
		}
	}
	t.Logf("one by one: %d calls, %d bytes; together: %d calls, %d bytes", before.calls, before.bytes, after.calls, after.bytes)
	if after.calls > before.calls/2 || after.bytes > before.bytes {
		t.Errorf("together takes %+v, one by one %+v", after, before)
	}
}
