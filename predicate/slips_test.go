package predicate_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
)

// TestNamesThatNeedQuotes holds that someone who wrote a column's name with
// spaces as it stands is told how to write it.
func TestNamesThatNeedQuotes(t *testing.T) {
	for d, want := range map[predicate.Dialect]string{predicate.DuckDB: `"US Gross"`, predicate.Postgres: `"US Gross"`, predicate.GoogleSQL: "`US Gross`"} {
		number := map[predicate.Dialect]string{predicate.DuckDB: "BIGINT", predicate.Postgres: "bigint", predicate.GoogleSQL: "INT64"}[d]
		s, err := predicate.NewSchema(d, []api.Column{{Name: "Title", Type: number}, {Name: "US Gross", Type: number}})
		if err != nil {
			t.Fatal(err)
		}
		for _, where := range []string{"US Gross > 1e8", "us gross = 3", "Title = 1 AND US Gross IN (1)"} {
			_, err := predicate.Parse(d, where, s)
			var e *api.Error
			if !errors.As(err, &e) || !strings.Contains(e.Hint, want) {
				t.Errorf("%s: %s: %v (%+v), want a hint with %s", d, where, err, e, want)
			}
		}
	}
}
