package predicate_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
)

// TestPredicatesOutliveTheirTokens reads predicates, short and long ones and some
// that are refused, from several goroutines, and prints them when the memory of
// their tokens has others.
func TestPredicatesOutliveTheirTokens(t *testing.T) {
	t.Parallel()
	s := predicate.CorpusSchema(t, predicate.Postgres)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			var trees []predicate.Expr
			var want []string
			for i := range 200 {
				terms := make([]string, 1+i%40)
				for j := range terms {
					terms[j] = fmt.Sprintf(`"name" <> 'it''s %d %d %d'`, g, i, j)
				}
				text := strings.Join(terms, " AND ")
				e, err := predicate.Parse(predicate.Postgres, text, s)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := predicate.Parse(predicate.Postgres, text+" AND", s); err == nil {
					t.Error("accepted a predicate that ends too early")
				}
				trees, want = append(trees, e), append(want, text)
			}
			for i, e := range trees {
				if got, err := print.SQL(predicate.Postgres, e, predicate.Env{}); err != nil || got != want[i] {
					t.Errorf("got %s, %v, want %s", got, err, want[i])
				}
			}
		})
	}
	wg.Wait()
}

// TestFewAllocations holds what makes most of the time of a short predicate.
func TestFewAllocations(t *testing.T) {
	most := map[string]float64{"plain": 40, "interval": 50, "calls": 60}
	env := predicate.Env{Now: time.Unix(1767225600, 0)}
	for name, texts := range benchmarked {
		for d, text := range texts {
			s := predicate.CorpusSchema(t, d)
			got := testing.AllocsPerRun(100, func() {
				e, err := predicate.Parse(d, text, s)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := print.SQL(d, e, env); err != nil {
					t.Fatal(err)
				}
			})
			if got > most[name] {
				t.Errorf("%s of %s: %.0f allocations, at most %.0f are expected", name, d, got, most[name])
			}
		}
	}
}
