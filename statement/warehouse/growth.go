package warehouse

import "github.com/agnes-data/da/api"

// Engines write out what a name stands for, each time that it is used: columns each of
// which is twice the one before double their plan with every step. While an engine makes
// a plan it cannot be stopped, so that a short statement could take it from all others.
// These are bounds for engines that have none.
const (
	maxReads = 1000  // of tables and of what WITH defines
	maxNames = 10000 // of columns
	maxSets  = 1000  // of columns to group by
)

// ordinal is the key, in the maps below, of columns that are named by their number.
const ordinal = "\x00"

// selection is a SELECT while it is read.
type selection struct {
	uses  map[string]int // how often names are used in what is being read
	from  map[string]int // what the columns of FROM, and windows, weigh; "": those without a name
	items []selected
	stars int
	width int  // how many columns FROM has, where those of a table are one
	apart bool // what is being read is a query that cannot use the columns of this one
	rows  aliases
}

type selected struct {
	name string // "": the engine makes one
	uses map[string]int
}

// outcome is what a query gives.
type outcome struct {
	columns map[string]int // how many names of columns each of its columns stands for
	width   int
}

// use counts a name.
func (p *parser) use(name string) {
	if p.roles != nil && p.selection != nil {
		p.selection.uses[p.fold(name)]++
	}
}

// selecting begins a SELECT, and returns what ends it.
func (p *parser) selecting() (end func()) {
	outer := p.selection
	s := &selection{uses: map[string]int{}, from: map[string]int{}, rows: aliases{map[string]bool{}, map[string]bool{}, map[string]int{}}}
	p.selection = s
	return func() {
		p.selection = outer
		own, out := map[string]int{}, map[string]int{}
		for _, item := range s.items {
			n := p.weigh(item.uses, s.from, own)
			out[item.name] = max(out[item.name], n)
			own[ordinal] = max(own[ordinal], n)
			if item.name != "" { // a name that the engine makes is used in other queries only
				own[item.name] = out[item.name]
			}
			p.pass(outer, item.uses)
		}
		p.weigh(s.uses, s.from, own)
		p.pass(outer, s.uses)
		p.unambiguous(s.rows, outer)
		if s.stars > 0 {
			widen(out, s.from)
		}
		out[ordinal] = own[ordinal]
		p.last = outcome{columns: out, width: len(s.items) + s.stars*s.width}
		p.beneath = s.from
		p.write(p.last.width)
	}
}

// weigh returns how many names some uses stand for, and counts them.
func (p *parser) weigh(uses, from, own map[string]int) (n int) {
	for name, times := range uses {
		n = min(n+times*max(1, from[name], from[""], own[name]), maxNames+1)
	}
	p.write(n)
	return n
}

// write counts names of columns that an engine writes out.
func (p *parser) write(n int) {
	if p.written += min(n, maxNames+1); p.written > maxNames && p.roles != nil {
		p.refuse(p.cur().At, api.KindTooDeep, "the statement uses columns that are made of others, and those of others, too often",
			"Use them fewer times, or fetch what they are made of first.")
	}
}

// pass counts the names of a query in an expression as the expression's, too.
func (p *parser) pass(outer *selection, uses map[string]int) {
	if outer != nil && !outer.apart {
		for name, times := range uses {
			outer.uses[name] += times
		}
	}
}

// widen adds columns to those of a FROM, or of a SELECT.
func widen(to, by map[string]int) {
	for name, n := range by {
		to[name] = max(to[name], n)
	}
}

// reads adds to a FROM what a query in it gives.
func (s *selection) reads(r outcome) {
	if s != nil {
		widen(s.from, r.columns)
		s.width += r.width
	}
}

// apart reads a query in a FROM.
func (p *parser) apart(read func()) {
	s := p.selection
	if s != nil {
		s.apart = true
	}
	if read(); s != nil {
		s.apart = false
		s.reads(p.last)
	}
}

// noteItem notes an item of a SELECT, whose tokens are those from one up to another.
func (p *parser) noteItem(from, to int, name string) {
	if p.selection == nil {
		return
	}
	if long := to - from; name == "" && (long == 1 || long == 3 && isSign(p.tokens[from+1], ".")) { // a column keeps its name
		name = p.roles[to-1].name
	}
	p.selection.items = append(p.selection.items, selected{name: p.fold(name), uses: p.selection.uses})
	p.selection.uses = map[string]int{}
}

// noteStar notes a star.
func (p *parser) noteStar() {
	if p.star = true; p.selection != nil {
		p.selection.stars++
	}
}

// united is what two SELECTs of a UNION give, whose columns go by their places.
func united(a, b outcome) outcome {
	most := 0
	for _, columns := range []map[string]int{a.columns, b.columns} {
		for _, n := range columns {
			most = max(most, n)
		}
	}
	return outcome{columns: map[string]int{"": most}, width: max(a.width, b.width)}
}

// ordered reads the order and the limit of a query, in which its columns can be used and
// those beneath.
func (p *parser) ordered() {
	given, end := p.last, p.selecting()
	widen(p.selection.from, given.columns)
	widen(p.selection.from, p.beneath)
	p.orderBy()
	p.limit()
	end()
	p.last = given
}

// windowNamed reads what WINDOW defines.
func (p *parser) windowNamed(name string) {
	s := p.selection
	uses := s.uses
	s.uses = map[string]int{}
	p.window()
	s.from[name] = max(s.from[name], p.weigh(s.uses, s.from, nil))
	s.uses = uses
}
