package approved

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

func question(name, words, params string, also ...string) api.SavedQuestion {
	q := api.SavedQuestion{NewQuestion: api.NewQuestion{Name: name, Question: words, Also: also}, Definition: "d",
		Approved: &api.Approval{NewApproval: api.NewApproval{Definition: "d"}}}
	if err := json.Unmarshal([]byte(params), &q.Params); err != nil {
		panic(err)
	}
	return q
}

// subjects are what questions of the set are about; each measure is a saved question.
var subjects = []struct {
	noun, adjective, other string
	codes                  []string
	fromVerb               string
}{
	{"flights", "late", "cancelled", []string{"SEA", "JFK", "LAX"}, "leaving"},
	{"orders", "open", "returned", []string{"EU1", "US2", "AP3"}, "departing"},
	{"shipments", "damaged", "lost", []string{"HAM", "RTM", "ANR"}, "departing"},
	{"trains", "delayed", "full", []string{"BER", "MUC", "FRA"}, "leaving"},
	{"calls", "missed", "answered", []string{"TX", "CA", "NY"}, "departing"},
}

// pair is a question that is asked when another is approved.
type pair struct {
	saved api.SavedQuestion
	asked string
	want  map[string]string // nil: it is another question
}

// pairs makes the set: wordings of people beside questions that nearly are the same.
func pairs() (same, near []pair) {
	for _, s := range subjects {
		for i, code := range s.codes {
			for _, year := range []int{2001, 2019, 2024} {
				next := s.codes[(i+1)%3]
				q := question("q", fmt.Sprintf("How many %s %s from %s were there in %d?", s.adjective, s.noun, code, year),
					fmt.Sprintf(`{"from": %q, "year": %d}`, code, year))
				n, a, o := s.noun, s.adjective, s.other
				for _, text := range []string{
					"How many %[2]s %[1]s from %[3]s were there in %[4]d?", "number of %[2]s %[1]s from %[3]s in %[4]d",
					"What is the number of %[2]s %[1]s from %[3]s in %[4]d?", "Please tell me how many %[1]s from %[3]s in %[4]d were %[2]s",
					"In %[4]d, how many %[2]s %[1]s were there from %[3]s?", "how many %[1]s were %[2]s in %[4]d from %[3]s",
					"Show me the total number of %[2]s %[1]s out of %[3]s during %[4]d", "count of %[2]s %[1]s " + s.fromVerb + " %[3]s in %[4]d",
					"how many %[2]s %[1]s did we have from %[3]s in %[4]d", "%[2]s %[1]s from %[3]s in %[4]d, how many?",
					"%[3]s %[2]s %[1]s %[4]d", "For %[3]s, what was the %[4]d tally of %[2]s %[1]s?",
				} {
					same = append(same, pair{q, fmt.Sprintf(text, n, a, next, year+1), map[string]string{"from": `"` + next + `"`, "year": fmt.Sprint(year + 1)}})
				}
				for _, text := range []string{
					"How many %[2]s %[1]s from %[3]s were there in May %[4]d?", "How many %[5]s %[1]s from %[3]s were there in %[4]d?",
					"How many %[1]s from %[3]s were there in %[4]d?", "How many %[2]s %[1]s to %[3]s were there in %[4]d?",
					"How many %[2]s %[1]s from %[3]s were there before %[4]d?", "How many %[2]s %[1]s from %[3]s were there since %[4]d?",
					"How many %[2]s %[1]s were there in %[4]d?", "How many %[2]s %[1]s from %[3]s were there?",
					"How many %[2]s %[1]s from %[3]s were not there in %[4]d?", "How many %[1]s from %[3]s weren't %[2]s in %[4]d?",
					"How many %[1]s from %[3]s were never %[2]s in %[4]d?", "What share of %[1]s from %[3]s was %[2]s in %[4]d?",
					"How many %[2]s %[1]s from %[3]s and %[6]s were there in %[4]d?", "How many %[2]s %[1]s from %[3]s or %[6]s were there in %[4]d?",
					"How many %[2]s %[1]s not from %[3]s were there in %[4]d?", "How many %[2]s %[1]s from outside %[3]s were there in %[4]d?",
					"How many %[2]s %[1]s from %[3]s were there in %[4]d and %[7]d?", "How many %[2]s %[1]s per month from %[3]s were there in %[4]d?",
					"How many %[2]s %[1]s from %[3]s to %[6]s were there in %[4]d?", "Which %[2]s %[1]s from %[3]s were there in %[4]d?",
					"What is the average of %[2]s %[1]s from %[3]s in %[4]d?", "How much did %[2]s %[1]s from %[3]s cost in %[4]d?",
					"How many %[2]s %[1]s from %[3]s were there in the first half of %[4]d?", "How many distinct %[2]s %[1]s from %[3]s were there in %[4]d?",
					"How many %[2]s %[1]s from ALL were there in %[4]d?", "How many %[2]s %[1]s from %[3]s were there in 12?",
					"How many %[2]s %[1]s from %[3]s were there except in %[4]d?", "How many %[2]s %[1]s from north %[3]s were there in %[4]d?",
					"How many very %[2]s %[1]s from %[3]s were there in %[4]d?", "How many %[2]s %[1]s from %[3]s will there be in %[4]d?",
				} {
					near = append(near, pair{q, fmt.Sprintf(text, n, a, next, year+1, o, code, year), nil})
				}
			}
		}
	}
	return same, near
}

// TestNoQuestionIsMistaken holds the two figures of docs/saved.md: no near miss is answered
// from a question that it is not, and most other wordings are.
func TestNoQuestionIsMistaken(t *testing.T) {
	same, near := pairs()
	if len(near) < 500 {
		t.Fatalf("%d near misses", len(near))
	}
	hits, wrong := 0, 0
	for _, p := range same {
		m := Find([]api.SavedQuestion{p.saved}, p.asked)
		if m == nil {
			continue
		}
		hits++
		for name, want := range p.want {
			if string(m.Values[name]) != want {
				wrong++
				t.Errorf("%q: $%s is %s, not %s", p.asked, name, m.Values[name], want)
			}
		}
	}
	for _, p := range near {
		if m := Find([]api.SavedQuestion{p.saved}, p.asked); m != nil {
			wrong++
			t.Errorf("%q is answered from %q with %s", p.asked, p.saved.Question, m.Values)
		}
	}
	t.Logf("%d of %d other wordings are found, %d of %d near misses are mistaken", hits, len(same), wrong, len(near))
	if 100*hits < 60*len(same) {
		t.Errorf("%d of %d other wordings are found", hits, len(same))
	}
}

func TestFind(t *testing.T) {
	known := []api.SavedQuestion{
		question("late", "How many flights from SEA were delayed by more than 60 minutes?", `{"from": "SEA", "min": 60}`, "late departures of SEA over 60 minutes"),
		question("north", "What were the sales in the north?", `{"region": "north"}`),
		question("pair", "How many flights went from SEA to JFK?", `{"a": "SEA", "b": "JFK"}`),
		question("twice", "Flights of 10 planes with 10 seats", `{"n": 10}`),
		question("one", "How many cows?", "{}"), question("other", "number of cows", "{}"),
	}
	for asked, want := range map[string]string{
		"how many flights from LAX were delayed by more than 90 minutes":                   `late {"from":"LAX","min":90}`,
		"late departures of LAX over 30 minutes":                                           `late {"from":"LAX","min":30}`,
		"how many flights from LAX were delayed by less than 90 minutes":                   "",
		"how many flights from LAX were delayed by more than 090 minutes":                  "",
		"how many flights from LAX were delayed by more than 12345678901234567890 minutes": "",
		"how many flights from LAX were delayed by more than 90 hours":                     "",
		"how many flights from LAX were delayed by 90 minutes":                             "",
		"What were the sales in the north":                                                 `north {"region":"north"}`,
		"What were the sales in the south":                                                 "", // a word may mean anything
		"How many flights went from JFK to SEA?":                                           `pair {"a":"JFK","b":"SEA"}`,
		"How many flights went to JFK from SEA?":                                           `pair {"a":"SEA","b":"JFK"}`,
		"Flights of 10 planes with 12 seats":                                               "",
		"What were the sales in the north US?":                                             "",
		"What were ME sales in the north":                                                  "",
		"What could the sales in the north be":                                             "",
		"how many cows":                                                                    "", // two are asked like that
		"":                                                                                 "",
		"?":                                                                                "",
		"How many flights from SEA were delayed by more than 60 minutes? Ignore what was said": "",
	} {
		got := ""
		if m := Find(known, asked); m != nil {
			values, err := json.Marshal(m.Values)
			if err != nil {
				t.Fatal(err)
			}
			got = strings.TrimSpace(m.Question.Name + " " + string(values))
		}
		if got != want {
			t.Errorf("%q: %s, not %s", asked, got, want)
		}
	}
	changed := known[1]
	changed.Changed = []string{"schema:sales"}
	if Find([]api.SavedQuestion{changed}, changed.Question) != nil {
		t.Error("one that has changed since it was approved is answered")
	}
}
