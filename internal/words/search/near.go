package search

import (
	"slices"
	"strings"
	"unicode"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/suggest"
)

// minStem is the shortest stem, in bytes: shorter ones begin too many words.
const minStem = 3

// endings of English words, by what remains of them. The first that fits counts.
var endings = []struct{ end, rest string }{
	{"ies", ""}, {"ches", "ch"}, {"shes", "sh"}, {"xes", "x"}, {"sses", "ss"}, {"ings", ""}, {"ing", ""}, {"ed", ""}, {"ss", "ss"}, {"s", ""},
	{"y", ""},
}

// stem returns how the other forms of an English word begin; empty: it has no
// ending that is known.
func stem(word string) string {
	for _, e := range endings {
		rest, ok := strings.CutSuffix(word, e.end)
		if !ok {
			continue
		}
		if rest += e.rest; rest == word || len(rest) < minStem {
			return ""
		}
		if e.end == "y" && strings.ContainsRune("aeiou", rune(rest[len(rest)-1])) {
			return "" // delay
		}
		// shipping, planned
		if n := len(rest); (e.end == "ing" || e.end == "ed") && n > minStem && rest[n-1] == rest[n-2] && rest[n-1] != 'l' && rest[n-1] != 's' {
			rest = rest[:n-1]
		}
		return rest
	}
	return ""
}

// nearest returns for the words that are nowhere the word of the tables that is
// most like each, if one is.
func nearest(words []string, anywhere []bool, tables []api.SearchHit, columns [][]api.Column) map[string]string {
	var missing []string
	for i, w := range words {
		if !anywhere[i] {
			missing = append(missing, w)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	known := map[string]bool{}
	add := func(text string) {
		for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !isWordRune(r) }) {
			known[w] = true
		}
	}
	for i, t := range tables {
		add(t.ID)
		add(t.Name)
		add(t.Description)
		eachColumn("", columns[i], func(_ string, c api.Column) { add(c.Name) })
	}
	candidates := make([]string, 0, len(known))
	for w := range known {
		candidates = append(candidates, w)
	}
	slices.Sort(candidates) // of equals the first is taken, at each run the same
	near := map[string]string{}
	for _, w := range missing {
		if found := suggest.Near(w, candidates); len(found) > 0 {
			near[w] = found[0]
		}
	}
	return near
}

// eachColumn visits columns and the fields within, with their paths.
func eachColumn(prefix string, columns []api.Column, visit func(path string, c api.Column)) {
	for _, c := range columns {
		visit(prefix+c.Name, c)
		eachColumn(prefix+c.Name+".", c.Fields, visit)
	}
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
