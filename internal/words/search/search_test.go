package search

import (
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

func TestHowAWordStandsInAText(t *testing.T) {
	for _, x := range []struct {
		text, word string
		want       int
	}{
		{"delay", "delay", whole}, {"arr_delay", "delay", asWord}, {"delays per day", "delay", begins},
		{"undelayed", "delay", inside}, {"undelayed, delay", "delay", asWord}, {"x", "delay", 0}, {"", "delay", 0},
		{"zpoždění letů", "letů", asWord}, {"časů", "č", begins}, {"počasí", "č", inside}, {"aaa", "aa", begins},
	} {
		if got := standing(x.text, x.word); got != x.want {
			t.Errorf("%q in %q: %d, want %d", x.word, x.text, got, x.want)
		}
	}
}

// TestWordsFindTables: forms and misspellings of words find what was meant, and
// words that are in several tables find each of them.
func TestWordsFindTables(t *testing.T) {
	tables := []api.SearchHit{{ID: "airports", Name: "airports", Description: "Airports of the United States"}, {ID: "flights", Name: "flights", Description: "Flights of one year"},
		{ID: "movies", Name: "movies"}, {ID: "countries", Name: "countries"}, {ID: "sales", Name: "sales"}, {ID: "salaries", Name: "salaries"}}
	columns := [][]api.Column{{{Name: "iata"}, {Name: "city"}}, {{Name: "delay"}, {Name: "origin"}, {Name: "distance"}}, {{Name: "IMDB Rating"}}, {{Name: "region"}}, nil, nil}
	for _, x := range []struct{ query, first, said string }{
		{"delay", "flights", ""}, {"flight airport", "airports", "most of them"}, {"delayed flights", "flights", ""}, {"fligths", "flights", "'flights' was searched instead"},
		{"IATA code", "airports", "most of them"}, {"cities", "airports", ""}, {"country", "countries", ""}, {"sale", "sales", ""}, {"sales", "sales", ""},
		{"imdb ratings", "movies", ""}, {"distnace of fligths", "flights", "'distance' was searched instead"},
	} {
		got := Best(x.query, tables, columns, 10)
		said := strings.Join(api.Texts(got.Caveats), "; ")
		if len(got.Hits) == 0 || got.Hits[0].ID != x.first || !strings.Contains(said, x.said) || (x.said == "") != (said == "") {
			t.Errorf("%s: %+v, %s", x.query, got.Hits, said)
		}
	}
	both := Best("flight airport", tables, columns, 10)
	if ids := []string{both.Hits[0].ID, both.Hits[1].ID}; !slices.Contains(ids, "flights") || !slices.Contains(ids, "airports") {
		t.Errorf("two words in two tables: %v", ids)
	}
	if got := Best("sales", tables, columns, 10); got.Total != 1 {
		t.Errorf("sales: %+v", got.Hits)
	}
	if got := Best("zzzzqq", tables, columns, 10); got.Total != 0 || len(got.Caveats) != 0 {
		t.Errorf("nothing: %+v", got)
	}
}

func TestStem(t *testing.T) {
	for word, want := range map[string]string{"delayed": "delay", "delays": "delay", "flights": "flight", "shipping": "ship", "planned": "plan", "cities": "cit", "city": "cit", "boxes": "box",
		"glass": "", "billing": "bill", "is": "", "sales": "sale", "as": "", "delay": "", "year": ""} {
		if got := stem(word); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

// TestTermsAreInWhatIsFound: what Terms counts is what Best finds.
func TestTermsAreInWhatIsFound(t *testing.T) {
	columns := []api.Column{{Name: "Delay", Description: "Minutes"}, {Name: "place", Fields: []api.Column{{Name: "City"}}}}
	for query, want := range map[string]int{"flights": 1, "flight": 1, "delays minute": 2, "city": 1, "late": 1, "nothing": 0, "flight nothing delay": 2, "light": 1} {
		got := NewTerms(query).In("flights\nall flights\nwhat flew", "Late ones", columns)
		hits, _, most, _ := find(Words(query), []api.SearchHit{{ID: "flights", Name: "All flights", Description: "What flew. Late ones"}}, [][]api.Column{columns}, 9)
		if got != want || most != want || len(hits) != min(want, 1) {
			t.Errorf("%s: %d words, %d found", query, got, most)
		}
	}
}
