package approved

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mozillazg/go-unidecode"

	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// word is one of a question: in its basic form, or a value as it is written.
type word struct {
	text string
	slot string // the parameter whose value it is, in a template
}

// phrase is the words from one preposition to the next.
type phrase []word

// fits reports whether another phrase says the same, with other values at most.
func (p phrase) fits(other phrase) bool {
	return slices.EqualFunc(p, other, func(a, b word) bool {
		if a.slot != "" {
			return shape(a.text) == shape(b.text)
		}
		return a.text == b.text
	})
}

// shape is what values of one parameter have in common: that they are years, dates, numbers
// or codes of one length. It is empty for a word, which may mean anything.
func shape(value string) string {
	if value == "" || plain[strings.ToLower(value)] {
		return ""
	}
	var b strings.Builder
	digits := 0
	for _, r := range value {
		switch {
		case '0' <= r && r <= '9':
			digits++
			b.WriteByte('9')
		case 'A' <= r && r <= 'Z':
			b.WriteByte('A')
		case r == '-' && digits > 0:
			b.WriteByte('-')
		default:
			return ""
		}
	}
	switch s := b.String(); {
	case s == "9999" && (value[:2] == "19" || value[:2] == "20"):
		return "year"
	case digits == len(value):
		return "number"
	case len(s) < 2:
		return ""
	default:
		return s
	}
}

// plain are words that somebody may write in capitals, and that are not codes.
var plain = wordsOf(`a all am and any are at avg be by do each few for had has his how if in is it its low high many max may me min most
	mon tue wed thu fri sat sun new no non none nor not now of off old on one only or other our out own per pct same she so sum than that
	the their them then they this three to top total two up us we who why with without yes yet you zero`)

// dropped are words that ask and do not say what for. Words of time, number, order and
// negation are not among them.
var dropped = wordsOf(`a an the please tell show give me us our we there that which who what whats do does did have has had been be of`)

// copulas stand between a noun and what is said of it.
var copulas = wordsOf(`is are was were`)

// prepositions begin a phrase.
var prepositions = wordsOf(`in from to at on with per over under atleast atmost for by into via within about`)

// orders are words between which the order counts: no part may then stand elsewhere.
var orders = wordsOf(`than before after between and or not no without except but versus vs minus plus ratio share percent percentage
	first last if when then since until till against compared never nor neither only over under atleast atmost`)

func wordsOf(text string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(text) {
		all[w] = true
	}
	return all
}

// same are wordings of one thing, the longer ones first.
var same = [][2]string{
	{"can you", ""}, {"could you", ""}, {"i want to know", ""}, {"i need to know", ""}, {"what is the total number of", "count"}, {"total number of", "count"}, {"how many", "count"}, {"the number of", "count"},
	{"number of", "count"}, {"count of", "count"}, {"broken down by", "per"}, {"grouped by", "per"}, {"for each", "per"},
	{"for every", "per"}, {"by each", "per"}, {"by", "per"}, {"each", "per"}, {"at least", "atleast"}, {"at most", "atmost"}, {"more than", "over"},
	{"greater than", "over"}, {"longer than", "over"}, {"above", "over"}, {"less than", "under"}, {"fewer than", "under"},
	{"shorter than", "under"}, {"below", "under"}, {"on average", "average"}, {"mean", "average"}, {"avg", "average"}, {"maximum", "max"},
	{"minimum", "min"}, {"during", "in"}, {"within the year", "in"}, {"in the year", "in"}, {"the year", "in"}, {"sum of", "total"},
	{"can't", "not"}, {"departing from", "from"}, {"leaving from", "from"}, {"out of", "from"}, {"originating in", "from"},
	{"bound for", "to"}, {"arriving at", "to"}, {"arriving in", "to"},
}

// beforeValue are verbs that say the same as a preposition, if a value follows.
var beforeValue = map[string]string{"left": "from", "leaving": "from", "departing": "from", "departed": "from", "for": "in"}

var tokens = lazyregexp.New(`[\p{L}\p{N}_]+(?:[-.'’][\p{L}\p{N}_]+)*|[^\s\p{L}\p{N}_?!.,;:"'()]`)

// read divides a question into phrases. slots are the values of parameters, each with its
// name. ok is false if nothing can be said of the words.
func read(text string, slots map[string]string) (phrases []phrase, ok bool) {
	var words []word
	used := map[string]bool{}
	for _, t := range tokens().FindAllString(text, -1) {
		slot := ""
		if shape(t) != "" {
			slot = slots[t]
		}
		if slot != "" && used[slot] {
			return nil, false // a value that is there twice may mean two things
		}
		used[slot] = true
		words = append(words, basic(t, slot)...)
	}
	words = joined(words)
	current := phrase{}
	said := -1 // where the word after a copula belongs
	end := func() {
		if len(current) > 0 {
			phrases = append(phrases, current)
		}
		current, said = phrase{}, -1
	}
	for i, w := range words {
		value := w.slot != "" || shape(w.text) != ""
		next := i+1 < len(words) && (words[i+1].slot != "" || shape(words[i+1].text) != "")
		if to := beforeValue[w.text]; to != "" && next && !value && (w.text != "for" || shape(words[i+1].text) == "year") {
			w.text = to
		}
		switch {
		case value:
		case copulas[w.text] && complete(current): // "flights from SEA were late"
			if end(); !prepositions[phrases[0][0].text] {
				current, phrases = phrases[0], phrases[1:]
				said = len(current) - 1
			}
			continue
		case copulas[w.text]:
			if len(current) > 0 {
				said = len(current) - 1
			}
			continue
		case w.text == "count" && complete(current): // "in 2001, how many"
			end()
		case dropped[w.text]:
			continue
		case prepositions[w.text]:
			end()
		case said >= 0: // "flights were late" are late flights
			current, said = slices.Insert(current, said, w), -1
			continue
		}
		current = append(current, w)
	}
	end()
	return counted(phrases), len(phrases) > 0
}

// complete reports whether a phrase is a preposition with a value, to which no more belongs.
func complete(p phrase) bool {
	return len(p) == 2 && prepositions[p[0].text] && (p[1].slot != "" || shape(p[1].text) != "")
}

// counted puts a question "how many" that stands alone before what is counted, if that is
// the only phrase without a preposition.
func counted(phrases []phrase) []phrase {
	alone := func(p phrase) bool { return len(p) == 1 && p[0].text == "count" }
	bare := slices.DeleteFunc(slices.Clone(phrases), func(p phrase) bool { return prepositions[p[0].text] || alone(p) })
	if len(bare) != 1 || !slices.ContainsFunc(phrases, alone) {
		return phrases
	}
	rest := slices.DeleteFunc(phrases, alone)
	for i, p := range rest {
		if !prepositions[p[0].text] {
			rest[i] = slices.Insert(slices.Clone(p), 0, word{text: "count"})
		}
	}
	return rest
}

// basic returns a word in its basic form, or a value as it is.
func basic(token, slot string) []word {
	if slot != "" || shape(token) != "" {
		return []word{{token, slot}}
	}
	if t := strings.ToLower(token); len(t) > 1 && dropped[t] && token == strings.ToUpper(token) {
		return []word{{text: token}} // the US and ME are places
	}
	t := strings.ToLower(unidecode.Unidecode(strings.ReplaceAll(token, "’", "'")))
	if stem, negated := strings.CutSuffix(t, "n't"); negated {
		return []word{{text: stem}, {text: "not"}}
	}
	t = strings.TrimSuffix(t, "'s")
	switch {
	case copulas[t] || dropped[t] || len(t) < 4 || !unicode.IsLetter(rune(t[0])):
	case strings.HasSuffix(t, "ies"):
		t = strings.TrimSuffix(t, "ies") + "y"
	case strings.HasSuffix(t, "s") && !strings.HasSuffix(t, "ss") && !strings.HasSuffix(t, "us") && !strings.HasSuffix(t, "is"):
		t = strings.TrimSuffix(t, "s")
	}
	return []word{{text: t}}
}

// joined replaces wordings of one thing by one word.
func joined(words []word) (out []word) {
	for i := 0; i < len(words); {
		n, to := 0, ""
		for _, s := range same {
			from := strings.Fields(s[0])
			if len(from) > n && i+len(from) <= len(words) && slices.EqualFunc(from, words[i:i+len(from)], func(f string, w word) bool {
				return w.slot == "" && f == w.text
			}) {
				n, to = len(from), s[1]
			}
		}
		if n == 0 {
			out, i = append(out, words[i]), i+1
			continue
		}
		if i += n; to != "" {
			out = append(out, word{text: to})
		}
	}
	return out
}

// ordered reports whether the order of phrases counts.
func ordered(phrases []phrase) bool {
	return slices.ContainsFunc(phrases, func(p phrase) bool {
		return slices.ContainsFunc(p, func(w word) bool { return w.slot == "" && orders[w.text] })
	})
}
