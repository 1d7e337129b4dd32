package search

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

func all(string) Sight { return Sight{Any: true, Whole: true} }

// shop is an index of a few tables, as sources call them.
func shop() *Index {
	x := NewIndex()
	for _, t := range []struct{ id, about, columns string }{
		{"airports", "Airports of the United States", "iata city"}, {"flights", "Flights of one year", "delay origin distance"},
		{"movies", "", "IMDBRating"}, {"countries", "", "region"}, {"sales", "", "l_shipdate"}, {"salaries", "", ""},
		{"crm_cust", "", "custName zip_code dt_created qty"}, {"objednavky", "Objednávky zákazníků", "město"}, {"заказы", "", "город"},
	} {
		x.Declare(Declared{ID: t.id, Name: t.id, Description: t.about})
		columns := []api.Column{}
		for name := range strings.FieldsSeq(t.columns) {
			columns = append(columns, api.Column{Name: name})
		}
		x.Learn(t.id, Learnt{Columns: columns})
	}
	return x
}

func ids(a *Answer) (ids []string) {
	for _, f := range a.Found {
		ids = append(ids, f.ID)
	}
	return ids
}

// TestWordsFindTables: forms, abbreviations and misspellings of words find what was
// meant, in the letters of several languages, and words that are in several tables find
// each of them.
func TestWordsFindTables(t *testing.T) {
	for _, c := range []struct{ query, first, said string }{
		{"delay", "flights", ""}, {"flight airport", "flights", "most of them"}, {"delayed flights", "flights", ""},
		{"fligths", "flights", "'flights' was searched instead"}, {"cities", "airports", ""}, {"country", "countries", ""}, {"sales", "sales", ""},
		{"imdb ratings", "movies", ""}, {"distnace of fligths", "flights", "'distance' was searched instead"}, {"customer", "crm_cust", ""},
		{"customers created", "crm_cust", ""}, {"zipcode", "crm_cust", ""}, {"quantity", "crm_cust", ""}, {"ship date", "sales", ""},
		{"mesto", "objednavky", ""}, {"ZÁKAZNÍKŮ", "objednavky", ""}, {"zakazy gorod", "заказы", ""}, {"film", "movies", ""},
	} {
		got := shop().Search(c.query, 10, false, all)
		said := strings.Join(api.Texts(got.Caveats), "; ")
		if len(got.Found) == 0 || got.Found[0].ID != c.first || !strings.Contains(said, c.said) || (c.said == "") != (said == "") {
			t.Errorf("%s: %v, %s", c.query, ids(got), said)
		}
	}
	if got := shop().Search("flight airport", 10, false, all); !slices.Contains(ids(got), "airports") {
		t.Errorf("two words in two tables: %v", ids(got))
	}
	// A table that a word names comes behind one that has all of them.
	both := shop()
	both.Declare(Declared{ID: "flights", Description: "Flights between airports"})
	both.Declare(Declared{ID: "old.airports"})
	both.Declare(Declared{ID: "crm_airport"})
	if got := ids(both.Search("flight airport", 10, false, all)); !slices.Equal(got, []string{"flights", "airports", "old.airports"}) {
		t.Errorf("one table has both words: %v", got)
	}
	if got := shop().Search("zzzzqq", 10, false, all); got.Total != 0 || len(got.Caveats) != 0 {
		t.Errorf("nothing: %+v", got)
	}
}

// TestSightComesFirst: nothing is found, corrected or ranked by what may not be seen.
func TestSightComesFirst(t *testing.T) {
	x := NewIndex()
	x.Declare(Declared{ID: "staff", Description: "people", Also: []Also{{Field: "metric", Text: "headcount"}, {Field: "metric", Text: "bonuses", Tables: []string{"pay"}}}})
	x.Learn("staff", Learnt{About: "hidden words", Columns: []api.Column{{Name: "name"}, {Name: "salary", Description: "with bonus"},
		{Name: "state", Type: "x"}}, Also: []Also{{Field: "value", Column: "state", Text: "retired, active"}}})
	x.Declare(Declared{ID: "pay"})
	x.Learn("pay", Learnt{Columns: []api.Column{{Name: "salary"}}})
	see := func(whole bool, columns ...string) func(string) Sight {
		return func(id string) Sight {
			return Sight{Any: id == "staff", Whole: whole && id == "staff", Column: func(c string) bool { return slices.Contains(columns, c) }}
		}
	}
	for _, c := range []struct {
		query string
		sight func(string) Sight
		want  string
	}{
		{"people", see(false), "[staff]"}, {"name", see(false, "name"), "[staff]"}, {"salary", see(false, "name"), "[]"}, {"bonus", see(false, "name"), "[]"},
		{"hidden", see(false, "name"), "[]"}, {"headcount", see(false, "name"), "[]"}, {"retired", see(false, "name"), "[]"},
		{"salry", see(false, "name"), "[]"}, {"wage", see(false, "name"), "[]"}, {"pay", see(false, "name", "salary"), "[staff]"},
		{"retired", see(false, "state"), "[staff]"}, {"headcount", see(true), "[staff]"}, {"bonuses", see(true, "name"), "[staff]"}, {"salary", see(true), "[staff]"},
		{"salary", all, "[pay staff]"}, {"hidden", all, "[staff]"},
	} {
		got := x.Search(c.query, 10, false, c.sight)
		if fmt.Sprint(ids(got)) != c.want {
			t.Errorf("%s: %v, want %s", c.query, ids(got), c.want)
		}
		if len(got.Caveats) > 0 && c.want == "[]" {
			t.Errorf("%s: %v", c.query, got.Caveats)
		}
	}
	// salary of pay counts no more than if it were not there
	mine := x.Search("salary name", 10, true, see(true)).Found[0].Score
	x.Remove("pay")
	if got := x.Search("salary name", 10, true, see(true)).Found[0].Score; got != mine {
		t.Errorf("a hidden table changes the score: %v, %v", mine, got)
	}
}

// TestBestIsTheFrontOfASort holds the choice of a few against a sort of all.
func TestBestIsTheFrontOfASort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		all := make([]uint32, r.IntN(200))
		for i := range all {
			all[i] = uint32(r.IntN(50))
		}
		n := 1 + r.IntN(30)
		sorted := slices.Sorted(slices.Values(all))
		if got := best(all, n, cmp.Compare[uint32]); !slices.Equal(got, sorted[:min(n, len(sorted))]) {
			t.Fatalf("the first %d of %v: %v", n, all, got)
		}
	}
}

// TestIndexFollowsChanges: an index that was changed finds what one finds that is made
// anew, also after it was compacted.
func TestIndexFollowsChanges(t *testing.T) {
	x, fresh, looked := NewIndex(), NewIndex(), &Looked{}
	odd := func(id string) Sight { // half of the tables, and of each other one a column
		n, _ := strconv.Atoi(strings.TrimPrefix(id, "t"))
		return Sight{Any: n%3 > 0, Whole: n%3 == 1, Column: func(name string) bool { return name == "who" }}
	}
	for round := range 40 {
		for i := range 100 {
			id := fmt.Sprintf("t%d", i)
			x.Declare(Declared{ID: id, Description: fmt.Sprintf("round%d about%d", round, i)})
			x.Learn(id, Learnt{Columns: []api.Column{{Name: fmt.Sprintf("col_%d", i*round%7)}, {Name: "who", Fields: []api.Column{{Name: "age"}}}}})
			if i%10 == round%10 {
				x.Remove(id)
			}
		}
		x.SearchAgain("about", 1, false, odd, looked, nil)
	}
	for i := range 100 {
		if i%10 != 39%10 {
			id := fmt.Sprintf("t%d", i)
			fresh.Learn(id, Learnt{Columns: []api.Column{{Name: fmt.Sprintf("col_%d", i*39%7)}, {Name: "who", Fields: []api.Column{{Name: "age"}}}}})
			fresh.Declare(Declared{ID: id, Description: fmt.Sprintf("round39 about%d", i)})
		}
	}
	if len(x.owner) > 2000 {
		t.Errorf("%d units of 90 tables", len(x.owner))
	}
	for _, q := range []string{"round39", "round3", "about", "col 3", "who age", "age", "t5"} {
		if got, want := x.Search(q, 100, false, all), fresh.Search(q, 100, false, all); fmt.Sprint(got) != fmt.Sprint(want) || got.Known != 90 {
			t.Errorf("%s: %v, want %v", q, ids(got), ids(want))
		}
		if got, want := x.SearchAgain(q, 7, true, odd, looked, nil), fresh.Search(q, 7, true, odd); fmt.Sprint(got) != fmt.Sprint(want) || got.Tables >= 90 {
			t.Errorf("again, %s: %v, want %v", q, got, want)
		}
	}
	if got := x.Search("age", 1, false, all).Found[0].Matches[0]; got.Column != "who.age" {
		t.Errorf("%+v", got)
	}
}

func TestSplit(t *testing.T) {
	for text, want := range map[string]string{"orderDate": "order date", "IMDBRating": "imdb rating", "CustomerIDs": "customer ids", "l_ship2": "l ship 2",
		"Größe (ß)": "grosse ss", "časů": "casu", "Łódź": "lodz", "заказы": "zakazy", "": ""} {
		if got := strings.Join(split(text), " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestStem(t *testing.T) {
	for _, forms := range []string{"delay delayed delays", "flight flights", "ship shipping shipped shipment", "plan planned", "city cities", "box boxes",
		"sale sales", "rent rental rented", "arrive arrival arrived", "country countries", "create creation created"} {
		words := strings.Fields(forms)
		for _, w := range words {
			if stem(w) != stem(words[0]) {
				t.Errorf("%s: %q, %s: %q", w, stem(w), words[0], stem(words[0]))
			}
		}
	}
	for _, two := range []string{"sale salary", "glass glad", "as a", "total tot", "status state"} {
		if a, b, _ := strings.Cut(two, " "); stem(a) == stem(b) {
			t.Errorf("%s and %s: %q", a, b, stem(a))
		}
	}
}
