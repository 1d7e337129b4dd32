package search

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// isWordRune reports whether r belongs to a word.
func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// letters are those that no decomposition makes plain, and those of other scripts as
// they are commonly written in Latin.
var letters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ł", "l", "ı", "i", "þ", "th", "ð", "d", "ħ", "h",
	"а", "a", "б", "b", "в", "v", "г", "g", "д", "d", "е", "e", "ж", "zh", "з", "z", "и", "i", "к", "k", "л", "l", "м", "m", "н", "n",
	"о", "o", "п", "p", "р", "r", "с", "s", "т", "t", "у", "u", "ф", "f", "х", "kh", "ц", "ts", "ч", "ch", "ш", "sh", "щ", "shch",
	"ъ", "", "ы", "y", "ь", "", "э", "e", "ю", "yu", "я", "ya", "є", "ye", "і", "i", "ґ", "g",
	"α", "a", "β", "v", "γ", "g", "δ", "d", "ε", "e", "ζ", "z", "η", "i", "θ", "th", "ι", "i", "κ", "k", "λ", "l", "μ", "m", "ν", "n",
	"ξ", "x", "ο", "o", "π", "p", "ρ", "r", "σ", "s", "ς", "s", "τ", "t", "υ", "y", "φ", "f", "χ", "ch", "ψ", "ps", "ω", "o")

// fold returns a text in lower-case letters without marks, so that names and questions
// of several languages meet.
func fold(text string) string {
	lower := strings.ToLower(text)
	if strings.IndexFunc(lower, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return lower
	}
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(lower))
	return letters.Replace(plain)
}

// maxWord is how long a word may be, in bytes; longer ones are passed over.
const maxWord = 64

// split returns the words of a text or name, folded: orderDate and order_date are two.
func split(text string) (words []string) {
	each(text, func(w string) { words = append(words, w) })
	return words
}

// each visits the words of a text or name.
func each(text string, visit func(word string)) {
	begin, last := -1, rune(0)
	end := func(at int) {
		if begin >= 0 {
			for w := range strings.FieldsFuncSeq(fold(text[begin:at]), func(r rune) bool { return !isWordRune(r) }) {
				if len(w) <= maxWord {
					visit(w)
				}
			}
		}
		begin = -1
	}
	for at, r := range text {
		switch {
		case !isWordRune(r) && !unicode.Is(unicode.Mn, r):
			end(at)
		case begin < 0:
			begin = at
		case unicode.IsUpper(r) && unicode.IsLower(last), // orderDate
			unicode.IsDigit(r) != unicode.IsDigit(last) && isWordRune(last),
			unicode.IsUpper(r) && unicode.IsUpper(last) && begins(text[at+utf8.RuneLen(r):]): // IMDBRating
			end(at)
			begin = at
		}
		last = r
	}
	end(len(text))
}

// begins reports whether what follows a capital makes it the first of a word: two
// small letters do, the s of IDs does not.
func begins(rest string) bool {
	a, n := utf8.DecodeRuneInString(rest)
	b, _ := utf8.DecodeRuneInString(rest[n:])
	return unicode.IsLower(a) && unicode.IsLower(b)
}

// filler are words of questions that name nothing.
var filler = sync.OnceValue(func() map[string]bool {
	return wordsOf(`a about after all also among an and any are as at be been before being between both but by can could did do does
		during each either every find for from get give given had has have having her his how i if in into is it its just
		list many me might more most much my no not of on only or other our out over per please return same shall she should show so some
		such tell than that the their them then there these they this those through to under until up us was we were what when where
		which while who whom whose why will with within without would you your`)
})

// weak are words that more often say what is to be computed than what it is called.
var weak = sync.OnceValue(func() map[string]bool {
	return wordsOf(`ascending average alphabetical compute calculate count date day descending different display distinct ever first highest id
		last least lowest maximum mean minimum name number one order ordered percentage report share sorted sum top total type unique value`)
})

func wordsOf(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}

// Content returns the words of a question that may name something; all of them if
// none does.
func Content(question string) []string {
	all := split(question)
	words := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return filler()[w] || len(w) == 1 && w[0] < utf8.RuneSelf })
	if len(words) == 0 {
		return all
	}
	return words
}

// endings of English words, longest first, and what stands for them in a stem.
var endings = []struct{ end, rest string }{
	{"iveness", "iv"}, {"ational", "at"}, {"ations", "at"}, {"ation", "at"}, {"ments", ""}, {"ment", ""}, {"ings", ""}, {"ing", ""},
	{"ches", "ch"}, {"shes", "sh"}, {"sses", "ss"}, {"ness", ""}, {"xes", "x"}, {"ies", "i"}, {"ied", "i"}, {"als", ""}, {"al", ""},
	{"ed", ""}, {"es", ""}, {"ss", "ss"}, {"us", "us"}, {"is", "is"}, {"s", ""}, {"ly", ""}, {"y", "i"}, {"e", ""},
}

// minStem is the shortest stem, in bytes: shorter ones are of too many words.
const minStem = 3

// stem returns what the forms of an English word have in common; the word itself if
// it has no ending that is known.
func stem(word string) string {
	for _, e := range endings {
		rest, ok := strings.CutSuffix(word, e.end)
		if !ok || len(rest) < minStem {
			continue
		}
		if rest+e.rest == word || e.end == "y" && strings.ContainsRune("aeiou", rune(rest[len(rest)-1])) { // delay
			return word
		}
		n := len(rest)
		switch e.end {
		case "al", "als", "ment", "ments", "ness", "ly":
			if n < 4 { // total, metal
				continue
			}
		case "ed", "ing", "ings": // shipping, planned
			if n > minStem && rest[n-1] == rest[n-2] && rest[n-1] != 'l' && rest[n-1] != 's' {
				rest = rest[:n-1]
			}
		}
		if e.rest == "" {
			rest = strings.TrimSuffix(rest, "e")
			if y, ok := strings.CutSuffix(rest, "y"); ok && len(y) >= minStem && !strings.ContainsRune("aeiou", rune(y[len(y)-1])) {
				rest = y + "i"
			}
		}
		return rest + e.rest
	}
	return word
}

// skeleton returns an ASCII word without its vowels behind the first letter, as many
// abbreviations are made; empty if too little remains.
func skeleton(word string) string {
	var b strings.Builder
	for i, r := range word {
		if i == 0 || !strings.ContainsRune("aeiou", r) {
			b.WriteRune(r)
		}
	}
	if b.Len() < 3 || b.Len() == len(word) {
		return ""
	}
	return b.String()
}
