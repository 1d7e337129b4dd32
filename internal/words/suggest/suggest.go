// Package suggest finds the names that somebody probably meant. It compares
// names only: what may be shown to whom is decided by those who bring the
// candidates, so pass none that the caller may not know of.
package suggest

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// most is how many names are suggested: more than a few is a list, not a
	// suggestion.
	most = 3
	// longest is how many runes of a name are compared. Names are shorter;
	// what is longer is not a misspelt one.
	longest = 128
)

// Near returns those candidates that name may stand for, best first, at most
// three; none if nothing is close. Case does not count. Ties keep the order of
// the candidates.
func Near(name string, candidates []string) []string {
	want := fold(name)
	if want == nil || len(want) > longest {
		return nil
	}
	type scored struct {
		name string
		cost int
	}
	var found []scored
	for _, c := range candidates {
		have := fold(c)
		if len(have) == 0 || len(have) > longest {
			continue
		}
		if cost, ok := compare(want, have); ok {
			found = append(found, scored{c, cost})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(a.cost, b.cost) })
	var names []string
	for _, f := range found[:min(len(found), most)] {
		names = append(names, f.name)
	}
	return names
}

// fold returns the name's runes with the differences removed that people do
// not see or hear; nil if it is not text.
func fold(name string) []rune {
	if name == "" || !utf8.ValidString(name) {
		return nil
	}
	folded := strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' || r == '.' {
			return '_'
		}
		return r
	}, strings.ToLower(name))
	return []rune(folded)
}

// compare says how far have is from want, and whether that is near enough. A
// name that only lacks its beginning or end counts as further than any slip of
// the fingers.
func compare(want, have []rune) (cost int, near bool) {
	limit := max(1, min(len(want), len(have))/3)
	limit = min(limit, 3)
	if d := distance(want, have, limit); d <= limit {
		// A name of one or two letters that shares none is just another name.
		return d, d < min(len(want), len(have))
	}
	short, long := strings.ReplaceAll(string(want), "_", ""), strings.ReplaceAll(string(have), "_", "")
	if len(short) > len(long) {
		short, long = long, short
	}
	if utf8.RuneCountInString(short) >= 3 && (strings.HasPrefix(long, short) || strings.HasSuffix(long, short)) {
		return limit + 1 + utf8.RuneCountInString(long) - utf8.RuneCountInString(short), true
	}
	return 0, false
}

// distance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b, or returns limit+1 if that is more than
// limit.
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	before := make([]int, len(b)+1) // the row two above
	above := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		best := i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			best = min(best, row[j])
		}
		if best > limit {
			return limit + 1
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
