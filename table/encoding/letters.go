package encoding

import (
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// neighbour is a pair of bytes within a word or at its end, at least one of them above
// 0x7f, and in how many distinct words it occurs. What is no letter is ' '.
type neighbour struct {
	prev, cur byte
	n         float64
}

// used marks the bytes above 0x7f that occur.
type used [128]bool

// of returns the characters of a page that occur.
func (u used) of(page [128]rune) [128]rune {
	for i := range page {
		if !u[i] {
			page[i] = 0
		}
	}
	return page
}

// neighboursIn reads the pairs of lines, and which bytes there are.
func neighboursIn(lines []byte) (pairs []neighbour, high used) {
	counts := make([]float64, 1<<16)
	for w := range distinctWords(lines) {
		prev := byte(' ')
		for i := range len(w) + 1 {
			cur := byte(' ')
			if i < len(w) {
				cur = w[i]
			}
			if cur >= 0x80 {
				high[cur-0x80] = true
			}
			if prev >= 0x80 || cur >= 0x80 {
				counts[int(prev)<<8|int(cur)]++
			}
			prev = cur
		}
	}
	for i, n := range counts {
		if n > 0 {
			pairs = append(pairs, neighbour{byte(i >> 8), byte(i), n})
		}
	}
	return pairs, high
}

// unlikely are the logarithms of how likely characters are that are no letters.
const (
	money    = -4  // signs that stand alone in many tables
	usual    = -6  // marks that tables have
	unusual  = -10 // other signs
	drawn    = -14 // lines and blocks
	never    = -20 // bytes that the encoding lacks
	misplace = -4  // a sign where words have none, a capital behind a small letter
)

// sign returns the likelihood of a character that is no letter.
func sign(r rune) float64 {
	switch {
	case r == utf8.RuneError, unicode.Is(unicode.Co, r):
		return never
	case r >= 0x2500 && r < 0x25a0:
		return drawn
	case strings.ContainsRune("€£°", r):
		return money
	case strings.ContainsRune("’‘“”„–—…·•\u00a0§®™©«»ªº¿¡²³½×±µ،؛؟", r):
		return usual
	}
	return unusual
}

// attached reports whether a sign may stand behind, or before, a letter of the same word.
func attached(r rune, behind bool) bool {
	if behind {
		return strings.ContainsRune("’”“»·®™©°…ªº\u00a0–—،؛؟", r)
	}
	return strings.ContainsRune("’‘“„”«·¿¡\u00a0–—€£", r)
}

// manners returns how likely a pair is by its signs and capitals, whatever the language,
// and whether its second character is a letter that depends on the language.
func manners(prev, cur rune) (likely float64, letter bool) {
	p, c := fold(prev) != 0, fold(cur) != 0
	switch {
	case !c && cur != ' ':
		likely = sign(cur)
		if p && !attached(cur, true) {
			likely += misplace
		}
		return likely, false
	case !p && !c:
		return 0, false
	case !p && prev != ' ' && !attached(prev, false):
		likely = misplace
	case p && c && unicode.IsUpper(cur):
		likely = -1
		if unicode.IsLower(prev) {
			likely = misplace
		}
	}
	return likely, true
}

// judge tells how well texts fit an encoding with one byte a letter.
type judge struct {
	candidate
	page  [128]rune
	langs []*model
	ids   [][256]int // of the bytes, in each of the languages
}

var judges = sync.OnceValue(func() (all []judge) { //nolint:gochecknoglobals // made once
	known := models()
	for _, c := range onePerLetter() {
		j := judge{candidate: c, page: upperHalf(c.name)}
		letters := map[rune]bool{}
		for _, r := range j.page {
			letters[fold(r)] = true
		}
		for _, m := range known {
			if !m.written(letters) {
				continue
			}
			var ids [256]int
			for b := range ids {
				ids[b] = m.id(char(j.page, byte(b)))
			}
			j.langs, j.ids = append(j.langs, m), append(j.ids, ids)
		}
		all = append(all, j)
	}
	return all
})

// fits returns the logarithm of how likely the pairs are in the language that fits best.
func (j judge) fits(pairs []neighbour) float64 {
	base, totals, here := 0.0, make([]float64, len(j.langs)), make([]float64, len(j.langs))
	for _, p := range pairs {
		likely, letter := manners(char(j.page, p.prev), char(j.page, p.cur))
		base += p.n * likely
		if !letter {
			continue
		}
		mean := 0.0
		for i, m := range j.langs {
			here[i] = m.likelihood(j.ids[i][p.prev], j.ids[i][p.cur])
			mean += here[i] / float64(len(j.langs))
		}
		for i := range j.langs {
			totals[i] += p.n * math.Log(0.85*here[i]+0.15*mean)
		}
	}
	return j.rarity + base + slices.Max(totals)
}

func char(page [128]rune, b byte) rune {
	if b < 0x80 {
		return rune(b)
	}
	return page[b-0x80]
}
