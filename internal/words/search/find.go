package search

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/agnes-data/da/api"
)

// What a word is worth, by where it was found. A part of an id is worth more than a
// whole word of a description: ids are chosen with care, descriptions are long.
const (
	worthID          = 100
	worthName        = 90
	worthColumn      = 60
	worthAlso        = 45
	worthDescription = 40
	worthColumnText  = 20
)

// Of that, in tenths, by how it was found.
const (
	itself      = 10
	compound    = 9 // with its neighbour, in one word
	akin        = 8 // a form of it
	abbreviated = 7
	starts      = 5 // a word begins with it
	shortens    = 5 // it begins with a word
	meant       = 4 // a word that questions use for it
	inside      = 3
	similar     = 2 // by the vectors of words
)

// maxMatches is how many matches of one table are named, maxMatchText how many runes
// of each, and maxWords how many words of a query count.
const (
	maxMatches   = 5
	maxMatchText = 120
	maxWords     = 60
)

// Sight is what of a table somebody may find it by.
type Sight struct {
	Any   bool // id, name and description
	Whole bool // everything
	// Column reports whether a column may be seen; nil: none, unless Whole.
	Column func(name string) bool
	// Key reports whether what has a key may be seen; nil: nothing.
	Key func(key string) bool
}

// Found is a table that was found.
type Found struct {
	ID      string
	About   string // of its source, if it may be seen
	Score   float64
	Matches []api.SearchMatch // best first; never null
	Count   int               // of all matches
	// Columns are scores of those columns, or fields, in which words are.
	Columns map[string]float64
}

// Answer is what a search found.
type Answer struct {
	Found  []Found // best first; never null
	Total  int
	Tables int // that may be found
	Known  int // of these, those whose columns are known
	// Caveats say what was searched in place of the words; never null.
	Caveats []api.Caveat
}

// word is a word of a query, with the terms that stand for it.
type word struct {
	text   string
	weak   bool
	terms  []likeness
	tables int // that it is in
	weight float64
}

type likeness struct {
	term  uint32
	worth int
}

// exact reports whether the word itself is there, not one that may be meant by it.
func (t likeness) exact() bool { return t.worth != meant && t.worth != similar }

// looking is one search.
type looking struct {
	*Index
	ask    func(id string) Sight
	sight  []uint8           // by slot
	shown  map[uint32][]bool // by slot, the columns that are seen; of tables seen in part whose columns were asked for
	count  []uint8           // by unit, how many of the words are in it
	last   []uint8           // by unit, the last word that was found in it
	words  []word
	answer *Answer
}

// Looked keeps between searches what somebody sees of tables, since asking of very many
// takes longer than the search. It is for one index and one sight, whose answers but those
// of its functions do not change.
type Looked struct{ at atomic.Pointer[lookedAt] }

type lookedAt struct {
	compacted int
	how       []uint8 // by slot: unseen, inPart or wholly
}

const (
	unseen uint8 = iota
	inPart
	guarded // seen, but other tables may say what of it is not
	wholly
)

// Search finds tables by words: those that hold all of them, or with any those that
// hold some. If no table holds all, those that hold some are found, too; otherwise only
// those of them that a word names. Nothing is found, corrected or ranked by what sight
// does not allow.
func (x *Index) Search(query string, limit int, any bool, sight func(id string) Sight) *Answer {
	return x.SearchAgain(query, limit, any, sight, &Looked{}, nil)
}

// SearchAgain is Search for somebody who has searched before. window, if it is not nil,
// chooses in place of limit which tables are described, from the ids of all, best first.
func (x *Index) SearchAgain(query string, limit int, any bool, sight func(id string) Sight, looked *Looked,
	window func(ids []string) []string) *Answer {
	x.mu.RLock()
	defer x.mu.RUnlock()
	l := &looking{Index: x, ask: sight, shown: map[uint32][]bool{}, count: make([]uint8, len(x.owner)),
		last: make([]uint8, len(x.owner)), answer: &Answer{Found: []Found{}, Caveats: []api.Caveat{}}}
	l.look(looked)
	l.read(query, any)
	total, held := l.score()
	return l.rank(total, held, limit, any, window)
}

// look notes what may be seen.
func (l *looking) look(looked *Looked) {
	now := lookedAt{compacted: l.compacted, how: make([]uint8, len(l.bySlot))}
	known := 0
	if before := looked.at.Load(); before != nil && before.compacted == now.compacted {
		known = copy(now.how, before.how)
	}
	l.sight = make([]uint8, len(l.bySlot))
	for slot, r := range l.bySlot {
		if r == nil {
			continue
		}
		if slot >= known {
			switch s := l.ask(r.id); {
			case s.Whole:
				now.how[slot] = wholly
			case s.Any:
				now.how[slot] = inPart
			}
		}
		how := now.how[slot]
		if how == unseen {
			continue
		}
		if how == wholly && slices.ContainsFunc(r.also, func(a Also) bool { return a.Tables != nil || a.Key != "" }) {
			how = guarded
		}
		l.sight[slot] = how
		l.answer.Tables++
		if r.known {
			l.answer.Known++
		}
	}
	looked.at.Store(&now)
}

// sees reports whether a unit may be seen.
func (l *looking) sees(unit uint32) bool {
	slot := l.owner[unit]
	how := l.sight[slot]
	if how == unseen || how == wholly {
		return how == wholly
	}
	r := l.bySlot[slot]
	at := int(unit - r.first)
	column, also := r.at(at)
	if also != nil && also.Key != "" {
		key := l.ask(r.id).Key
		return key != nil && key(also.Key)
	}
	if also != nil {
		if how == inPart {
			return also.Column != "" && also.Tables == nil && l.columnSeen(r, slot, also.Column)
		}
		return !slices.ContainsFunc(also.Tables, func(id string) bool { return !l.ask(id).Whole })
	}
	if how == guarded {
		return true
	}
	if column >= 0 {
		return l.columnsSeen(r, slot)[column]
	}
	return at != unitAbout
}

// columnsSeen says which columns are seen of a table that is seen in part.
func (l *looking) columnsSeen(r *record, slot uint32) []bool {
	columns, ok := l.shown[slot]
	if !ok {
		columns = make([]bool, r.columns())
		s := l.ask(r.id)
		for i := range columns {
			columns[i] = s.Column != nil && s.Column(r.top(i))
		}
		l.shown[slot] = columns
	}
	return columns
}

func (l *looking) columnSeen(r *record, slot uint32, name string) bool {
	for i, seen := range l.columnsSeen(r, slot) {
		if seen && r.top(i) == name {
			return true
		}
	}
	return false
}

// at says what a unit is of: a column by its number, or something else; -1 and nil for
// the table itself.
func (r *record) at(unit int) (column int, also *Also) {
	switch n := r.columns(); {
	case unit < tableUnits:
		return -1, nil
	case unit < tableUnits+2*n:
		return (unit - tableUnits) / 2, nil
	default:
		return -1, &r.also[unit-tableUnits-2*n]
	}
}

// read finds for the words of a query the terms that stand for them.
func (l *looking) read(query string, any bool) {
	texts := Content(query)
	texts = texts[:min(len(texts), maxWords)]
	strong := any && slices.ContainsFunc(texts, func(w string) bool { return !weak()[w] })
	for i := 0; i < len(texts); i++ {
		w := texts[i]
		if slices.ContainsFunc(l.words, func(o word) bool { return o.text == w }) {
			continue
		}
		terms := append(l.alike(w), l.explained(texts, i)...)
		for _, near := range []int{i - 1, i + 1} {
			if near >= 0 && near < len(texts) {
				if id, ok := l.terms[texts[min(i, near)]+texts[max(i, near)]]; ok {
					terms = append(terms, likeness{id, compound})
				}
			}
		}
		terms = l.seen(append(terms, l.similar(w)...))
		if len(terms) == 0 {
			if a, b, ok := l.parts(w); ok { // zipcode is zip code
				texts = slices.Replace(texts, i, i+1, a, b)
				i--
				continue
			}
			if other := l.nearest(w); other != "" {
				l.answer.Caveats = append(l.answer.Caveats, api.NewCaveat(api.CaveatGuessed, "no table has '%s': '%s' was searched instead",
					api.Clip(w, 60), api.Clip(other, 60)))
				terms = l.seen(l.alike(other))
			}
		}
		l.words = append(l.words, word{text: w, weak: strong && weak()[w], terms: terms})
	}
}

// explained returns the terms of what a word means, alone or with its neighbours, if
// somebody has explained it.
func (l *looking) explained(texts []string, at int) (terms []likeness) {
	for _, m := range l.means {
		for from := max(0, at-len(m.of)+1); from <= at; from++ {
			if !begin(texts[from:], m.of) {
				continue
			}
			for _, w := range m.words[:min(len(m.words), maxWords)] {
				for _, id := range l.byStem[stem(w)] {
					terms = append(terms, likeness{id, meant})
				}
			}
			break
		}
	}
	return terms
}

// begin reports whether texts begin with words, or with forms of them.
func begin(texts, words []string) bool {
	return len(texts) >= len(words) && slices.EqualFunc(words, texts[:len(words)], func(a, b string) bool { return stem(a) == stem(b) })
}

// Names reports whether a question has the words of a term side by side.
func Names(question, term string) bool {
	texts, words := Content(question), Content(term)
	for from := range texts {
		if begin(texts[from:], words) {
			return true
		}
	}
	return false
}

// seen keeps the terms that are in a unit that may be seen, the best first.
func (l *looking) seen(terms []likeness) []likeness {
	terms = slices.DeleteFunc(terms, func(t likeness) bool { return !l.isSeen(t.term) })
	slices.SortFunc(terms, func(a, b likeness) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), strings.Compare(l.Index.words[a.term], l.Index.words[b.term]))
	})
	return terms
}

func (l *looking) isSeen(term uint32) bool { return slices.ContainsFunc(l.places[term], l.sees) }

// alike returns the terms that may stand for a word.
func (l *looking) alike(w string) (terms []likeness) {
	add := func(id uint32, worth int) { terms = append(terms, likeness{id, worth}) }
	if id, ok := l.terms[w]; ok {
		add(id, itself)
	}
	root := stem(w)
	for _, id := range l.byStem[root] {
		add(id, akin)
	}
	for _, form := range []string{root, asIs + w} {
		for other, worth := range likes()[form] {
			for _, id := range l.byStem[other] {
				add(id, worth)
			}
			if id, ok := l.terms[strings.TrimPrefix(other, asIs)]; ok && strings.HasPrefix(other, asIs) {
				add(id, worth)
			}
		}
	}
	if id, ok := l.terms[skeleton(w)]; ok {
		add(id, abbreviated)
	}
	letters := mask(w)
	for id, m := range l.masks {
		if m&letters == letters {
			switch t := l.Index.words[id]; {
			case len(t) <= len(w):
			case strings.HasPrefix(t, w):
				add(uint32(id), starts)
			case len(w) > 3 && strings.HasSuffix(t, w):
				add(uint32(id), shortens)
			case len(w) > 2 && strings.Contains(t, w):
				add(uint32(id), inside)
			}
		} else if m&^letters == 0 {
			if t := l.Index.words[id]; len(t) > 3 && len(t) < len(w) && 2*len(t) >= len(w) && strings.HasPrefix(w, t) {
				add(uint32(id), shortens)
			}
		}
	}
	return terms
}

// parts divides a word into two that are seen.
func (l *looking) parts(w string) (a, b string, ok bool) {
	is := func(w string) bool {
		id, ok := l.terms[w]
		return ok && l.isSeen(id) || slices.ContainsFunc(l.byStem[stem(w)], l.isSeen)
	}
	for i := len(w) - minStem; i >= minStem; i-- {
		if is(w[:i]) && is(w[i:]) {
			return w[:i], w[i:], true
		}
	}
	return "", "", false
}
