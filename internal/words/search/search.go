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

// Terms are the words of a query, to tell quickly which tables hold them.
type Terms []term

// NewTerms returns the terms of a query.
func NewTerms(query string) Terms { return termsOf(Words(query)) }

// In returns how many of the words, or their stems, are in a text in lower case, in
// another text, or in what is said of columns.
func (t Terms) In(lower, text string, columns []api.Column) (n int) {
	text = strings.ToLower(text)
	for _, term := range t {
		in := term.in(lower) || text != "" && term.in(text)
		if !in && columns != nil {
			eachColumn("", columns, func(_ string, c api.Column) {
				in = in || term.in(strings.ToLower(c.Name)) || c.Description != "" && term.in(strings.ToLower(c.Description))
			})
		}
		if in {
			n++
		}
	}
	return n
}

// in reports whether standing is above 0.
func (t term) in(lower string) bool {
	return strings.Contains(lower, t.word) || t.stem != "" && standing(lower, t.stem) >= begins
}

// rank looks for the terms in a table whose id, name and description hit holds,
// and returns its score and how many of them are there, which it notes in anywhere.
// If name is set, it names the places in hit.
func rank(hit *api.SearchHit, columns []api.Column, terms []term, anywhere []bool, name bool) (total, count int) {
	best := make([]int, len(terms))
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
		if sum > 0 && name {
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
		if score > 0 {
			anywhere[i] = true
			count++
		}
		total += score
	}
	if !name {
		return total, count
	}
	hit.Score = total
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	hit.MatchCount = len(found)
	hit.Matches = []api.SearchMatch{}
	for _, f := range found[:min(len(found), maxMatches)] {
		hit.Matches = append(hit.Matches, f.match)
	}
	return total, count
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
	hits, total, most, anywhere := find(words, tables, columns, limit)
	if most < len(words) {
		if near := nearest(words, anywhere, tables, columns); len(near) > 0 {
			for i, w := range words {
				if other := near[w]; other != "" {
					result.Caveats = append(result.Caveats, api.NewCaveat(api.CaveatGuessed, "no table has '%s': '%s' was searched instead",
						api.Clip(w, 60), api.Clip(other, 60)))
					words[i] = other
				}
			}
			hits, total, most, _ = find(words, tables, columns, limit)
		}
	}
	if most < len(words) && len(hits) > 0 {
		result.Caveats = append(result.Caveats, api.NewCaveat(api.CaveatGuessed,
			"no table has all of these words: those that have most of them are shown"))
	}
	result.Total, result.Hits = total, hits
	return result
}

// find returns up to limit of the tables that hold as many of the words as any table
// does, their number, how many words these are, and which are anywhere. If no table
// holds all of them, tables that hold fewer follow.
func find(words []string, tables []api.SearchHit, columns [][]api.Column,
	limit int) (hits []api.SearchHit, total, most int, anywhere []bool) {
	type counted struct{ at, score, count int }
	var all []counted
	terms := termsOf(words)
	anywhere = make([]bool, len(words))
	for i := range tables {
		if score, count := rank(&tables[i], columns[i], terms, anywhere, false); count > 0 {
			most = max(most, count)
			all = append(all, counted{i, score, count})
		}
	}
	if most == len(words) {
		all = slices.DeleteFunc(all, func(c counted) bool { return c.count < most })
	}
	slices.SortFunc(all, func(a, b counted) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(b.score, a.score), cmp.Compare(a.at, b.at))
	})
	hits = []api.SearchHit{}
	for _, c := range all[:min(limit, len(all))] {
		hit := tables[c.at]
		rank(&hit, columns[c.at], terms, anywhere, true)
		hits = append(hits, hit)
	}
	return hits, len(all), most, anywhere
}

// filler are words of questions that name nothing.
const filler = " a all also an and any are as at be been but by can did do does each every find for from get give had has have how i if in into is it its " +
	"list many me more most much my no not of on one only or our out over per please show tell than that the their them then there these they this " +
	"to under us was we were what when where which who whose will with without would you your "

// Content returns the words of a question that may name something; all of them if none
// does.
func Content(question string) []string {
	all := strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return !isWordRune(r) && r != '_' })
	words := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return strings.Contains(filler, " "+w+" ") })
	if len(words) == 0 {
		return all
	}
	return words
}
