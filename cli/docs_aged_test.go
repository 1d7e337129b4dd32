package cli

import (
	"fmt"
	"strings"
	"testing"
)

// drifts are changes of the demo's flights: one row of June each, so that what pages
// show stays.
const (
	driftSEA = "origin = 'SEA' AND delay BETWEEN 0 AND 9"
	driftORD = "origin = 'ORD' AND delay BETWEEN 0 AND 9"
	driftLAX = "origin = 'LAX' AND delay BETWEEN 0 AND 9"
)

// TestRecipesAged follows docs/scripting.md as TestDocs does, but a day passes before each
// command, there are copies, and the source changes between the recipes that refresh:
// without a server, and over HTTP from the first command on.
func TestRecipesAged(t *testing.T) {
	for _, p := range docPagesOf(t) {
		if p.name != "docs/scripting.md" {
			continue
		}
		for _, served := range []bool{false, true} {
			t.Run(map[bool]string{false: "embedded", true: "http"}[served], func(t *testing.T) {
				t.Parallel()
				copied := *p
				copied.follow(t, aging(served))
			})
		}
	}
}

// aging returns what happens around each command of the page.
func aging(served bool) func(r *reader) {
	return func(r *reader) {
		days := 0
		must := func(commands string) string {
			r.t.Helper()
			out, failed := r.typed(commands)
			if failed != "" || r.code != 0 {
				r.t.Fatalf("%s failed: %s (exit %d)\n%s", commands, failed, r.code, out)
			}
			return strings.TrimSpace(out.String())
		}
		wants := func(commands, want string) {
			r.t.Helper()
			if got := must(commands); got != want {
				r.t.Errorf("aged: %s\nprints %s\nand not %s", commands, got, want)
			}
		}
		changes := func(rows, delay string) {
			r.t.Helper()
			must(`f=$(ls ~/flights/data/flights/month=6/*.parquet) && da table query $f "WITH n AS (SELECT *, row_number() OVER () AS i FROM data)
SELECT * EXCLUDE (i) REPLACE (CASE WHEN i = (SELECT min(i) FROM n WHERE ` + rows + `) THEN ` + delay + ` ELSE delay END AS delay) FROM n" --out ~/changed.parquet --force --quiet && mv ~/changed.parquet $f`)
		}
		r.before = func(commands string) {
			days++
			must(fmt.Sprintf("export DA_TEST_LATER=%dh", 24*days))
			switch {
			case strings.HasPrefix(commands, "da doctor"):
				must("unset DA_TEST_LATER") // it would say that the clocks differ
			case served && strings.Contains(commands, "da serve"):
				must("kill $server && wait $server; unset DA_SERVER DA_TOKEN")
			case strings.HasPrefix(commands, "da run nightly.yaml --json"):
				must("da snapshot copy sea audit --quiet && da snapshot show audit --json | jq -r .content_hash > audit.txt")
				changes(driftSEA, "delay + 1")
			}
		}
		r.after = func(commands string) {
			switch {
			case served && strings.HasPrefix(commands, "da demo"):
				must(`DA_TEST_LATER= da serve --listen 127.0.0.1:8450 2> ../serve.log & server=$!
until curl -sf http://127.0.0.1:8450/readyz > /dev/null; do sleep 0.1; done
export DA_TOKEN=$(da admin token create --user admin --json | jq -r .token) DA_SERVER=http://127.0.0.1:8450`)
			case strings.HasSuffix(commands, "./late.sh"):
				must("cp late.csv before.csv")
				changes(driftORD, "300")
				must("./late.sh && ! cmp -s late.csv before.csv")
			case strings.HasPrefix(commands, "da run nightly.yaml --json"):
				wants("jq -c '[.added, .removed]' night/changes.json", "[1,1]")
				wants("da snapshot show audit --json | jq -r .content_hash | cmp - audit.txt && echo same", "same")
			case commands == "sh answer.sh":
				changes(driftLAX, "2000")
				if out, _ := r.typed(commands); r.code != 10 || !strings.Contains(out.String(), "moved: snapshot lax") {
					r.t.Errorf("aged: %s ended with %d and said\n%s", commands, r.code, out)
				}
			}
		}
	}
}
