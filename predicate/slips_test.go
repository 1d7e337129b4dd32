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

// TestNamesOfSeveralWords holds that the hint is the quoted form of the column
// that the place of the error belongs to, whatever the words mean on their own,
// for conditions, columns and orders.
func TestNamesOfSeveralWords(t *testing.T) {
	names := []string{"order id", "order", "US Gross", "select all", "due-date", "% of total", "price (EUR)", "a.b", "2024 sales", "date of birth", "Größe in m",
		"is new", "end date", "in stock", "left over", "tax #", "Customer: name", "a?", "x[0]", "r;s"}
	for _, d := range []predicate.Dialect{predicate.DuckDB, predicate.Postgres, predicate.GoogleSQL} {
		number, quote := "bigint", `"`
		if d == predicate.GoogleSQL {
			number, quote = "INT64", "`"
		}
		var columns []api.Column
		for _, name := range names {
			columns = append(columns, api.Column{Name: name, Type: number})
		}
		s, err := predicate.NewSchema(d, columns)
		if err != nil {
			t.Fatal(err)
		}
		hint := func(err error) string {
			var e *api.Error
			if !errors.As(err, &e) {
				return ""
			}
			return e.Hint
		}
		quoted := func(name string) string { return quote + name + quote }
		for _, name := range names {
			if name == "order" {
				continue
			}
			for _, text := range []string{name + " > 5", quoted("US Gross") + " = 1 AND " + strings.ToLower(name) + " IS NULL"} {
				if _, err := predicate.Parse(d, text, s); !strings.Contains(hint(err), quoted(name)) {
					t.Errorf("%s: %s: %v: %s", d, text, err, hint(err))
				}
			}
			if _, err := predicate.ParseOrder(d, name+" desc", s); !strings.Contains(hint(err), quoted(name)) {
				t.Errorf("%s: order by %s: %v: %s", d, name, err, hint(err))
			}
		}
		// A name that is near is written as it has to be.
		if _, err := predicate.Parse(d, "order_id > 5", s); !strings.Contains(hint(err), "Did you mean "+quoted("order id")) {
			t.Errorf("%s: %v: %s", d, err, hint(err))
		}
		// What is not about the name keeps its own hint.
		for _, text := range []string{quoted("order id") + " = 'a", quoted("order id") + " = 1 order by 2", quoted("order id") + " LIKE 'order id' LIMIT 3"} {
			if _, err := predicate.Parse(d, text, s); err == nil || strings.Contains(hint(err), "spaces or signs") {
				t.Errorf("%s: %s: %v: %s", d, text, err, hint(err))
			}
		}
	}
}
