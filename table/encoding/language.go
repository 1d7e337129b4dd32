package encoding

import (
	"math"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
	"golang.org/x/text/unicode/norm"
)

// languages are those whose texts are told apart.
func languages() []string {
	return []string{
		"de", "fr", "es", "pt", "it", "nl", "sv", "da", "no", "fi", "is", "ca",
		"cs", "sk", "pl", "hu", "hr", "sl", "ro", "ro-MD", "sq", "tr", "lt", "lv", "et", "vi",
		"ru", "uk", "bg", "sr", "be", "mk", "el", "he", "ar", "fa", "ur", "th",
	}
}

// model is how often the letters of a language follow each other. It is made of the
// names of countries and languages in that language.
type model struct {
	ids    map[rune]int // of letters in lower case; 0 is what lies between words
	pairs  []float64    // how likely the second letter is after the first
	common map[rune]float64
}

// models are those of all languages.
func models() (all []*model) {
	for _, l := range languages() {
		all = append(all, newModel(namesIn(l)))
	}
	return all
}

// namesIn returns words of a language, in lower case and with a blank between them.
func namesIn(name string) string {
	tag := language.Make(name)
	var b strings.Builder
	for _, namer := range []display.Namer{display.Regions(tag), display.Languages(tag)} {
		for _, t := range named() {
			b.WriteString(namer.Name(t) + " ")
		}
	}
	base, _ := tag.Base()
	text := b.String() + strings.Repeat(" "+samples()[base.String()], 3)
	switch name {
	case "vi":
		return tonesApart(text)
	case "ro-MD": // older encodings have the cedilla for the comma below
		return strings.NewReplacer("ș", "ş", "ț", "ţ", "Ș", "Ş", "Ț", "Ţ").Replace(text)
	}
	return text
}

// named are the countries and languages whose names are taken.
var named = sync.OnceValue(func() (all []any) { //nolint:gochecknoglobals // made once
	for a := 'a'; a <= 'z'; a++ {
		for b := 'a'; b <= 'z'; b++ {
			code := string([]rune{a, b})
			if r, err := language.ParseRegion(code); err == nil && r.IsCountry() {
				all = append(all, r)
			}
			if t, err := language.Parse(code); err == nil {
				all = append(all, t)
			}
		}
	}
	return all
})

// tonesApart writes the tones of Vietnamese as windows-1258 has them, behind their letters.
func tonesApart(text string) string {
	var b strings.Builder
	for _, r := range text {
		var letter, tone []rune
		for _, d := range norm.NFD.String(string(r)) {
			if strings.ContainsRune("\u0300\u0301\u0303\u0309\u0323", d) {
				tone = append(tone, d)
			} else {
				letter = append(letter, d)
			}
		}
		b.WriteString(norm.NFC.String(string(letter)) + string(tone))
	}
	return b.String()
}

// fold returns a letter as models have it: in lower case, 0 if it is none.
func fold(r rune) rune {
	switch {
	case r < 0x80 && isLetter(byte(r)):
		return r | 0x20
	case r < 0x80:
		return 0
	case r == 'İ', unicode.IsMark(r):
		return r
	case !unicode.IsLetter(r), r == 'ª', r == 'º':
		return 0
	}
	return unicode.ToLower(r)
}

func newModel(text string) *model {
	m := &model{ids: map[rune]int{0: 0}, common: map[rune]float64{}}
	ids := make([]int, 0, len(text))
	for _, r := range text {
		f := fold(r)
		id, ok := m.ids[f]
		if !ok {
			id = len(m.ids)
			m.ids[f] = id
		}
		ids = append(ids, id)
	}
	n, prev := len(m.ids), 0
	counts, before, letters := make([]float64, n*n), make([]float64, n), make([]float64, n)
	for _, cur := range ids {
		if prev != 0 || cur != 0 {
			counts[prev*n+cur]++
			before[prev]++
			letters[cur]++
		}
		prev = cur
	}
	all := 0.0
	for _, c := range letters {
		all += c
	}
	for f, id := range m.ids {
		m.common[f] = letters[id] / all
	}
	const others = 8 // pairs that are as likely as the letters themselves
	m.pairs = make([]float64, n*n)
	for p := range n {
		for c := range n {
			m.pairs[p*n+c] = (counts[p*n+c] + others*letters[c]/all) / (before[p] + others)
		}
	}
	return m
}

// unknown is the likelihood of a letter that a language lacks.
const unknown = 1e-4

// id returns the number of a letter, -1 if the language lacks it.
func (m *model) id(r rune) int {
	if id, ok := m.ids[fold(r)]; ok {
		return id
	}
	return -1
}

func (m *model) likelihood(prev, cur int) float64 {
	if prev < 0 || cur < 0 {
		return unknown
	}
	return m.pairs[prev*len(m.ids)+cur]
}

// written reports whether an encoding has all but the rarest letters of the language.
func (m *model) written(has map[rune]bool) bool {
	lacking, foreign := 0.0, 0.0
	for r, share := range m.common {
		if r >= 0x80 {
			foreign += share
			if !has[r] {
				lacking += share
			}
		}
	}
	return lacking < 0.02*math.Max(foreign, 0.02)
}
