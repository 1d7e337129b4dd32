package search

import (
	"math/bits"
	"slices"

	"github.com/agnes-data/da/internal/words/suggest"
)

// mostSlips is how many letters a misspelt word may lack or have too many.
const mostSlips = 3

// nearest returns the term that a misspelt word probably means, of those that are
// seen; empty: none. The first letter is seldom wrong.
func (l *looking) nearest(w string) string {
	if len(w) <= minStem {
		return ""
	}
	letters := mask(w)
	var candidates []string
	for id, m := range l.masks {
		t := l.Index.words[id]
		if bits.OnesCount32(m^letters) <= 2*mostSlips && t[0] == w[0] && len(t) <= len(w)+mostSlips && len(w) <= len(t)+mostSlips &&
			l.isSeen(uint32(id)) {
			candidates = append(candidates, t)
		}
	}
	slices.Sort(candidates) // of equals the first is taken, at each run the same
	if found := suggest.Near(w, candidates); len(found) > 0 {
		return found[0]
	}
	return ""
}
