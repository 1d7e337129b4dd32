// Package search finds tables by words in what is known of them, and says where
// each word was found and what that is worth. It reads nothing by itself: who
// may see which table and column is decided before.
package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

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

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

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

// rank looks for all words in a table whose id, name and description hit holds,
// and fills in the rest of it; ok is false if a word is nowhere.
func rank(hit *api.SearchHit, columns []api.Column, words []string) (ok bool) {
	best := make([]int, len(words))
	type scored struct {
		match api.SearchMatch
		score int
	}
	var found []scored
	look := func(field, column, text string, worth int) {
		lower, sum := strings.ToLower(text), 0
		for i, w := range words {
			score := worth * standing(lower, w)
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
	for _, score := range best {
		if score == 0 {
			return false
		}
		hit.Score += score
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	hit.MatchCount = len(found)
	hit.Matches = []api.SearchMatch{}
	for _, f := range found[:min(len(found), maxMatches)] {
		hit.Matches = append(hit.Matches, f.match)
	}
	return true
}

// eachColumn visits columns and the fields within, with their paths.
func eachColumn(prefix string, columns []api.Column, visit func(path string, c api.Column)) {
	for _, c := range columns {
		visit(prefix+c.Name, c)
		eachColumn(prefix+c.Name+".", c.Fields, visit)
	}
}

// Best is the answer to a query over tables: those that hold all its words, the
// best first, at most limit of them. columns has what is known of each table,
// nil for nothing.
func Best(query string, tables []api.SearchHit, columns [][]api.Column, limit int) *api.SearchResult {
	words := Words(query)
	result := &api.SearchResult{Query: query, Hits: []api.SearchHit{}, Tables: len(tables)}
	for i, hit := range tables {
		if columns[i] != nil {
			result.ColumnsKnown++
		}
		if rank(&hit, columns[i], words) {
			result.Hits = append(result.Hits, hit)
		}
	}
	slices.SortStableFunc(result.Hits, func(a, b api.SearchHit) int { return cmp.Compare(b.Score, a.Score) })
	result.Total = len(result.Hits)
	result.Hits = result.Hits[:min(limit, result.Total)]
	return result
}
