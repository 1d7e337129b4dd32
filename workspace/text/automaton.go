package text

import (
	"encoding/binary"
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// automaton tells which lines match an expression, in a tenth of the time that
// Go's regexp takes: it does one look-up for each letter. Its states are sets of
// places in the expression; they are computed when a line first leads to them.
type automaton struct {
	re       *regexp.Regexp // is asked where the automaton is of no use
	prog     *syntax.Prog
	takers   []*syntax.Inst // instructions that take a letter, one for all that take the same
	anchored bool           // matches begin where the line begins
	around   bool           // the expression looks at the letters around a place, as \b does

	bounds  []rune  // the first letter of each range of letters; all in a range are alike
	classes []int   // the class of each range
	ascii   []int   // the class of each letter of ASCII
	letters []rune  // one letter of each class
	sides   []rune  // what a place next to such a letter sees: a letter, a space or a line end
	width   int     // the number of classes, and one for the end of the line
	next    []int32 // states, by state and class

	states []state
	ids    map[string]int32
	size   int // of all states
	room   int
	resets int
	seen   []bool // by place, within one step
}

// state is a set of places, and the letter before them as far as it matters.
type state struct {
	places []uint32
	before rune
}

// What is known of a transition. Greater numbers are states.
const (
	unknown int32 = iota
	yes           // the line matches
	no            // the line does not match
	begin
)

const (
	// roomForStates is how many numbers the states may have altogether, of 4 bytes.
	// When they are full, they are forgotten; after mostResets regexp takes over.
	roomForStates = 1 << 20
	mostResets    = 20
	// mostWork limits the preparation to some hundredths of a second: pairs of a
	// range of letters and an instruction.
	mostWork = 1 << 18
)

func newAutomaton(expr string, re *regexp.Regexp, room int) *automaton {
	a := &automaton{re: re, room: room}
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return a
	}
	if a.prog, err = syntax.Compile(parsed.Simplify()); err != nil {
		return a
	}
	a.anchored = a.prog.StartCond()&syntax.EmptyBeginText != 0
	a.seen = make([]bool, len(a.prog.Inst))
	a.collectBounds()
	if len(a.bounds)*len(a.takers) <= mostWork {
		a.classify()
		a.reset()
	}
	return a
}

// collectBounds divides all letters into ranges whose letters no instruction tells
// apart.
func (a *automaton) collectBounds() {
	a.bounds = []rune{0}
	type key struct {
		letters *rune
		flags   uint32
	}
	seen := map[key]bool{} // repeated instructions share their letters
	add := func(from, to rune) { a.bounds = append(a.bounds, from, to+1) }
	for i := range a.prog.Inst {
		switch inst := &a.prog.Inst[i]; inst.Op { //nolint:exhaustive // others look at no letter
		case syntax.InstEmptyWidth:
			a.around = true
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if len(inst.Rune) == 0 || seen[key{&inst.Rune[0], inst.Arg}] {
				continue
			}
			seen[key{&inst.Rune[0], inst.Arg}] = true
			a.takers = append(a.takers, inst)
			if len(inst.Rune) == 1 {
				add(inst.Rune[0], inst.Rune[0])
				for r := unicode.SimpleFold(inst.Rune[0]); r != inst.Rune[0]; r = unicode.SimpleFold(r) {
					add(r, r)
				}
				continue
			}
			for j := 0; j < len(inst.Rune); j += 2 {
				add(inst.Rune[j], inst.Rune[j+1])
			}
		}
	}
	if a.around {
		add('\n', '\n')
		add('0', '9')
		add('A', 'Z')
		add('_', '_')
		add('a', 'z')
	}
	slices.Sort(a.bounds)
	a.bounds = slices.Compact(a.bounds)
}

// classify puts ranges that the same instructions take into one class.
func (a *automaton) classify() {
	byTakers := map[string]int{}
	for _, r := range a.bounds {
		takers := []byte{byte(a.side(r))}
		for i, inst := range a.takers {
			if inst.MatchRune(r) {
				takers = binary.AppendUvarint(takers, uint64(i)) //nolint:gosec // an index
			}
		}
		class, ok := byTakers[string(takers)]
		if !ok {
			class = len(a.letters)
			byTakers[string(takers)] = class
			a.letters, a.sides = append(a.letters, r), append(a.sides, a.side(r))
		}
		a.classes = append(a.classes, class)
	}
	a.width = len(a.letters) + 1
	a.sides = append(a.sides, -1)
	for r := rune(0); r < utf8.RuneSelf; r++ {
		a.ascii = append(a.ascii, a.class(r))
	}
}

func (a *automaton) class(r rune) int {
	i, exact := slices.BinarySearch(a.bounds, r)
	if !exact {
		i--
	}
	return a.classes[i]
}

// side returns one letter for all that a place next to them does not tell apart.
func (a *automaton) side(r rune) rune {
	switch {
	case !a.around:
		return 0
	case syntax.IsWordChar(r):
		return 'a'
	case r == '\n':
		return r
	}
	return ' '
}

// reset forgets all states but the first.
func (a *automaton) reset() {
	a.states, a.next = make([]state, begin), make([]int32, int(begin)*a.width)
	a.ids, a.size = map[string]int32{}, 0
	a.id(state{before: -1})
}

// match reports whether a line matches.
func (a *automaton) match(line []byte) bool {
	if a.width == 0 || a.resets > mostResets {
		return a.re.Match(line)
	}
	now := begin
	for i := 0; i < len(line); {
		var class int
		if b := line[i]; b < utf8.RuneSelf {
			class = a.ascii[b]
			i++
		} else {
			r, n := utf8.DecodeRune(line[i:])
			class = a.class(r)
			i += n
		}
		next := a.next[int(now)*a.width+class]
		if next == unknown {
			next = a.step(now, class)
		}
		if next <= no {
			return next == yes
		}
		now = next
	}
	last := a.next[int(now)*a.width+a.width-1]
	if last == unknown {
		last = a.step(now, a.width-1)
	}
	return last == yes
}

// step computes a transition.
func (a *automaton) step(from int32, class int) int32 {
	s := a.states[from]
	clear(a.seen)
	todo := slices.Clone(s.places)
	if !a.anchored || from == begin {
		todo = append(todo, uint32(a.prog.Start)) //nolint:gosec // an index
	}
	here := syntax.EmptyOpContext(s.before, a.sides[class])
	var places []uint32
	for len(todo) > 0 {
		place := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if a.seen[place] {
			continue
		}
		a.seen[place] = true
		switch inst := &a.prog.Inst[place]; inst.Op { //nolint:exhaustive // InstFail leads nowhere
		case syntax.InstMatch:
			return a.keep(from, class, yes)
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			todo = append(todo, inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^here == 0 { //nolint:gosec // a set of flags
				todo = append(todo, inst.Out)
			}
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if class < len(a.letters) && inst.MatchRune(a.letters[class]) {
				places = append(places, inst.Out)
			}
		}
	}
	if class == len(a.letters) || a.anchored && len(places) == 0 {
		return a.keep(from, class, no)
	}
	slices.Sort(places)
	to := state{slices.Compact(places), a.sides[class]}
	if a.size > a.room {
		a.resets++
		a.reset()
		return a.id(to)
	}
	return a.keep(from, class, a.id(to))
}

func (a *automaton) keep(from int32, class int, to int32) int32 {
	a.next[int(from)*a.width+class] = to
	return to
}

// id returns the number of a state.
func (a *automaton) id(s state) int32 {
	key := binary.AppendVarint(nil, int64(s.before))
	for _, p := range s.places {
		key = binary.AppendUvarint(key, uint64(p))
	}
	if id, ok := a.ids[string(key)]; ok {
		return id
	}
	id := int32(len(a.states)) //nolint:gosec // as many as there is room for
	a.states, a.ids[string(key)] = append(a.states, s), id
	a.next = append(a.next, make([]int32, a.width)...)
	a.size += a.width + 2*len(s.places)
	return id
}
