package predicate_test

import (
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
)

// crossing is a predicate and what it becomes in the other dialects; "" means
// that it is refused there.
type crossing struct {
	From   predicate.Dialect            `json:"from"`
	Where  string                       `json:"where"`
	Prints map[predicate.Dialect]string `json:"prints"`
}

func TestCrossings(t *testing.T) {
	all := readJSON[[]crossing](t, "crossings.json")
	s := schemas(t)
	for _, c := range all {
		e, err := predicate.Parse(c.From, c.Where, s[c.From])
		if err != nil {
			t.Errorf("%s: %s: %s", c.From, c.Where, explain(err))
			continue
		}
		for to, want := range c.Prints {
			got, err := print.SQL(to, e, predicate.Env{})
			switch {
			case *update:
				c.Prints[to] = got
			case want == "" && err == nil:
				t.Errorf("%s: %s is printed for %s: %s", c.From, c.Where, to, got)
			case want == "" && rejection(t, err).Kind != api.KindNotPortable:
				t.Errorf("%s: %s for %s: %v", c.From, c.Where, to, err)
			case want != "" && (err != nil || got != want):
				t.Errorf("%s: %s\nprints for %s %s (%v)\nwant %s", c.From, c.Where, to, got, err, want)
			}
			if err != nil && !api.CodeRejected.Is(err) {
				t.Errorf("%s: %s for %s: %v", c.From, c.Where, to, err)
			}
		}
	}
	if *update {
		writeJSON(t, "crossings.json", all)
	}
}
