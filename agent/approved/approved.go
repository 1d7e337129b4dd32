// Package approved finds, without a model, the approved question that another one asks
// again: in other words, or with other values of its parameters.
//
// It answers only what it can prove by the words: every word of the one question must
// have its place in the other. A word that it does not know is compared as it is, so
// another measure, a negation or one more condition is another question.
package approved

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
)

// Match is an approved question with the values that the words give its parameters.
type Match struct {
	Question api.SavedQuestion
	Values   map[string]json.RawMessage
}

// Find returns the one approved question that the words ask; nil if there is none, or
// more than one.
func Find(known []api.SavedQuestion, words string) *Match {
	asked, ok := read(words, nil)
	if !ok {
		return nil
	}
	var found *Match
	for _, q := range known {
		if !q.IsApproved() || len(q.Changed) > 0 {
			continue
		}
		for _, wording := range append([]string{q.Question}, q.Also...) {
			values, ok := match(q, wording, asked)
			if !ok {
				continue
			}
			if found != nil && (found.Question.Name != q.Name || !maps.EqualFunc(found.Values, values, slices.Equal)) {
				return nil // which of them is asked is not sure
			}
			found = &Match{q, values}
		}
	}
	return found
}

// maxDigits is how long a number may be: longer ones would be rounded.
const maxDigits = 15

// match reports whether the words ask a wording of a question, and with which values.
func match(q api.SavedQuestion, wording string, asked []phrase) (map[string]json.RawMessage, bool) {
	slots := map[string]string{} // the parameter by how its value is written
	for name, value := range q.Params {
		text := strings.Trim(string(value), `"`)
		if _, twice := slots[text]; twice {
			return nil, false // which of them a word means is not sure
		}
		slots[text] = name
	}
	template, ok := read(wording, slots)
	if !ok || len(template) != len(asked) || ordered(template) != ordered(asked) {
		return nil, false
	}
	values := maps.Clone(q.Params)
	if values == nil {
		values = map[string]json.RawMessage{}
	}
	taken := make([]bool, len(asked))
	for i, p := range template {
		at := -1
		for j, other := range asked {
			if taken[j] || ordered(template) && i != j || !p.fits(other) {
				continue
			}
			if at >= 0 && !slices.Equal(other, asked[at]) {
				return nil, false // either may be meant
			}
			at = j
		}
		if at < 0 {
			return nil, false
		}
		taken[at] = true
		for k, w := range p {
			if w.slot == "" {
				continue
			}
			value := json.RawMessage(asked[at][k].text)
			if was := q.Params[w.slot]; was[0] == '"' {
				value, _ = json.Marshal(asked[at][k].text) // never fails: it is text
			} else if !json.Valid(value) || len(value) > maxDigits {
				return nil, false
			}
			values[w.slot] = value
		}
	}
	return values, true
}
