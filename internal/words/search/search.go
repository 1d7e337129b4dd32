// Package search finds tables by words in what is known of them, and says where
// each word was found and what that is worth. It reads nothing by itself: who
// may see which table and column is decided before.
package search

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
)

// Where a word was found, and in which form, decides what it is worth. A
// whole word in a description is worth less than a part of an id: ids are
// chosen with care, descriptions are long.
const (
	worthID          = 100
	worthName        = 90
	worthColumn      = 60
	worthDescription = 40
	worthColumnText  = 20

	// Of that, in tenths.
	whole  = 10 // the field is the word
	asWord = 7  // one of its words is
	begins = 5  // one of its words begins with it
	akin   = 4  // one of its words has the same stem
	inside = 3
)

// maxMatches is how many matches of one table are named, and maxMatchText how
// many runes of each.
const (
	maxMatches   = 5
	maxMatchText = 120
)

// Words splits a query into lower-case words.
func Words(query string) []string { return strings.Fields(strings.ToLower(query)) }

// standing says how a word is in a text, 0 if it does not. Both are lower
// case.
func standing(text, word string) int {
	best := 0
	for rest, offset := text, 0; ; {
		i := strings.Index(rest, word)
		if i < 0 {
			return best
		}
		i += offset
		end := i + len(word)
		starts := i == 0 || !isWordRune(lastRune(text[:i]))
		ends := end == len(text) || !isWordRune(firstRune(text[end:]))
		switch {
		case i == 0 && end == len(text):
			return whole
		case starts && ends:
			best = max(best, asWord)
		case starts:
			best = max(best, begins)
		default:
			best = max(best, inside)
		}
		offset = i + 1
		rest = text[offset:]
	}
}

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

func lastRune(s string) rune {
	r := []rune(s[max(0, len(s)-4):]) // the longest rune has 4 bytes
	return r[len(r)-1]
}

// term is a word that is searched, with its stem; empty: it has none.
type term struct{ word, stem string }

func termsOf(words []string) []term {
	terms := make([]term, len(words))
	for i, w := range words {
		terms[i] = term{w, stem(w)}
	}
	return terms
}

// standing is that of the word, or of its stem at the beginning of a word.
func (t term) standing(text string) int {
	best := standing(text, t.word)
	if best < akin && t.stem != "" && standing(text, t.stem) >= begins {
		return akin
	}
	return best
}

// rank looks for the terms in a table whose id, name and description hit holds,
// and fills in the rest of it. It returns which of them are there.
func rank(hit *api.SearchHit, columns []api.Column, terms []term) (has []bool, count int) {
	best, has := make([]int, len(terms)), make([]bool, len(terms))
	type scored struct {
		match api.SearchMatch
		score int
	}
	var found []scored
	look := func(field, column, text string, worth int) {
		lower, sum := strings.ToLower(text), 0
		for i, t := range terms {
			score := worth * t.standing(lower)
			sum += score
			best[i] = max(best[i], score)
		}
		if sum > 0 {
			m := api.SearchMatch{Field: field, Column: column, Text: api.Clip(text, maxMatchText)}
			found = append(found, scored{m, sum})
		}
	}
	look("id", "", hit.ID, worthID)
	if hit.Name != hit.ID {
		look("name", "", hit.Name, worthName)
	}
	look("description", "", hit.Description, worthDescription)
	eachColumn("", columns, func(path string, c api.Column) {
		look("column", path, c.Name, worthColumn)
		look("column_description", path, c.Description, worthColumnText)
	})
	for i, score := range best {
		if has[i] = score > 0; has[i] {
			count++
		}
		hit.Score += score
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	hit.MatchCount = len(found)
	hit.Matches = []api.SearchMatch{}
	for _, f := range found[:min(len(found), maxMatches)] {
		hit.Matches = append(hit.Matches, f.match)
	}
	return has, count
}

// Best is the answer to a query over tables: those that hold all its words, the
// best first, at most limit of them. If there are none, a word that is nowhere is
// searched as one that is nearly it; and then those tables that hold most of the
// words are the answer. Caveats say so. columns has what is known of each table,
// nil for nothing.
func Best(query string, tables []api.SearchHit, columns [][]api.Column, limit int) *api.SearchResult {
	result := &api.SearchResult{Query: query, Tables: len(tables), Caveats: []api.Caveat{}}
	for _, c := range columns {
		if c != nil {
			result.ColumnsKnown++
		}
	}
	words := Words(query)
	hits, most, anywhere := find(words, tables, columns)
	if most < len(words) {
		if near := nearest(words, anywhere, tables, columns); len(near) > 0 {
			for i, w := range words {
				if other := near[w]; other != "" {
					result.Caveats = append(result.Caveats, api.NewCaveat(api.CaveatGuessed, "no table has '%s': '%s' was searched instead", api.Clip(w, 60), api.Clip(other, 60)))
					words[i] = other
				}
			}
			hits, most, _ = find(words, tables, columns)
		}
	}
	if most < len(words) && len(hits) > 0 {
		result.Caveats = append(result.Caveats, api.NewCaveat(api.CaveatGuessed, "no table has all of these words: those that have most of them are shown"))
	}
	result.Total = len(hits)
	result.Hits = hits[:min(limit, result.Total)]
	return result
}

// find returns the tables that hold as many of the words as any table does, how
// many these are, and which words are anywhere. If no table holds all of them,
// tables that hold fewer follow.
func find(words []string, tables []api.SearchHit, columns [][]api.Column) (hits []api.SearchHit, most int, anywhere []bool) {
	type counted struct {
		hit   api.SearchHit
		count int
	}
	var all []counted
	terms := termsOf(words)
	anywhere = make([]bool, len(words))
	for i, hit := range tables {
		has, count := rank(&hit, columns[i], terms)
		if count == 0 {
			continue
		}
		for j := range has {
			anywhere[j] = anywhere[j] || has[j]
		}
		most = max(most, count)
		all = append(all, counted{hit, count})
	}
	slices.SortStableFunc(all, func(a, b counted) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(b.hit.Score, a.hit.Score))
	})
	hits = []api.SearchHit{}
	for _, c := range all {
		if most < len(words) || c.count == most {
			hits = append(hits, c.hit)
		}
	}
	return hits, most, anywhere
}
