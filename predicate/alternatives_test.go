package predicate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
)

// TestManyAlternatives holds that DuckDB is given long chains of alternatives
// in a form that its optimizer does not take apart, and others as they stand.
func TestManyAlternatives(t *testing.T) {
	s := schemas(t)[predicate.DuckDB]
	chain := func(n int) string {
		var terms []string
		for i := range n {
			terms = append(terms, fmt.Sprintf("id = %d AND n = %d", i, i%7))
		}
		return strings.Join(terms, " OR ")
	}
	for where, want := range map[string]bool{
		chain(2): false, chain(1500): true, "ok AND (" + chain(1500) + ")": true, "NOT (" + chain(1500) + ")": false,
	} {
		e, err := predicate.Parse(predicate.DuckDB, where, s)
		if err != nil {
			t.Fatal(err)
		}
		printed, err := print.SQL(predicate.DuckDB, e, predicate.Env{})
		if err != nil || strings.Contains(printed, " IS TRUE") != want {
			t.Errorf("%.60s: printed %.60s … %s, %v", where, printed, printed[max(0, len(printed)-30):], err)
		}
		checkFixedPointOf(t, s, printed)
	}
}

func checkFixedPointOf(t *testing.T, s *predicate.Schema, printed string) {
	t.Helper()
	e, err := predicate.Parse(predicate.DuckDB, printed, s)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := print.SQL(predicate.DuckDB, e, predicate.Env{}); err != nil || again != printed {
		t.Errorf("printed %.80s, then %.80s (%v)", printed, again, err)
	}
}
