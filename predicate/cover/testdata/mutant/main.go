// Command mutant holds claims of the prover against values, and ends with 1 if one is
// wrong. Tests run it with a prover that has a mistake.
package main

import (
	"fmt"
	"os"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/cover"
)

// condition is a predicate as text, and what it is for a value.
type condition struct {
	text string
	of   func(x float64) bool
}

func conditions() (all []condition) {
	for c := range 4 {
		k := float64(c)
		all = append(all,
			condition{fmt.Sprintf("x < %d", c), func(x float64) bool { return x < k }},
			condition{fmt.Sprintf("x <= %d", c), func(x float64) bool { return x <= k }},
			condition{fmt.Sprintf("x > %d", c), func(x float64) bool { return x > k }},
			condition{fmt.Sprintf("x >= %d", c), func(x float64) bool { return x >= k }},
			condition{fmt.Sprintf("x = %d", c), func(x float64) bool { return x == k }},
			condition{fmt.Sprintf("x <> %d", c), func(x float64) bool { return x != k }})
	}
	for _, p := range all {
		for _, q := range all[:12] {
			all = append(all, condition{p.text + " AND " + q.text, func(x float64) bool { return p.of(x) && q.of(x) }})
		}
	}
	return all
}

// wrong reports whether a value contradicts a claim.
func wrong(r cover.Relation, p, q bool) bool {
	switch r {
	case cover.Equal:
		return p != q
	case cover.Within:
		return p && !q
	case cover.Disjoint:
		return p && q
	}
	return false
}

func main() {
	s, err := predicate.NewSchema(predicate.DuckDB, []api.Column{{Name: "x", Type: "DOUBLE"}})
	if err != nil {
		panic(err)
	}
	all := conditions()
	parsed := make([]predicate.Expr, len(all))
	for i, c := range all {
		if parsed[i], err = predicate.Parse(predicate.DuckDB, c.text, s); err != nil {
			panic(err)
		}
	}
	claims := 0
	for i, p := range all {
		for j, q := range all[:40] {
			r := cover.Compare(predicate.DuckDB, parsed[i], parsed[j])
			if r != cover.Unproven {
				claims++
			}
			for x := -1.0; x <= 5; x += 0.5 {
				if wrong(r, p.of(x), q.of(x)) {
					fmt.Printf("%s, of %s: claimed %d, and %v says otherwise\n", p.text, q.text, r, x)
					os.Exit(1)
				}
			}
		}
	}
	fmt.Println(claims, "claims hold")
}
