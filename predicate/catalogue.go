package predicate

import (
	"strconv"
	"strings"
	"sync"

	"github.com/agnes-data/da/predicate/syntax"
)

// Operation is one computation with one meaning. Its name in each dialect, and
// whether the dialect has it, is data (see operations).
type Operation struct {
	// ID names the operation in normal forms.
	ID   string
	args []argSpec
	ret  string
	// parts are the date parts that it accepts; nil if it has no part argument.
	parts []Part
	when  guard
	cells map[Dialect]*cell
}

// word is the name of the operation in the first dialect that has one.
func (op *Operation) word() string {
	for _, d := range dialects {
		if c := op.cells[d.name]; c != nil && len(c.names) > 0 {
			return c.names[0]
		}
	}
	return op.ID
}

// Template returns how a dialect writes the call, or what of it the dialect lacks.
func (e *Call) Template(d *Traits) (template, lacks string) {
	cell := e.Op.cells[d.Name]
	if cell == nil {
		return "", e.Op.word()
	}
	for i := range e.Args {
		if zone := textArg(e.Args, i); zone != "" && !d.zoneOffsets && e.Op.spec(i).class == "zone" && strings.IndexByte("+-", zone[0]) >= 0 {
			return "", "a time zone that is given as an offset"
		}
	}
	if cell.repeats && !Repeatable(e.Args) {
		return "", e.Op.word() + " of a computed value"
	}
	return cell.template, ""
}

// guard says whether arguments are such that the operation means the same in
// every dialect that has it.
type guard struct {
	says string // the condition in words, for the documentation
	ok   func(args []Expr) bool
}

// argSpec is one argument of a signature.
type argSpec struct {
	class    string // a kind's name, or one of the classes in classes
	kinds    []Kind // of the class, as in argKinds
	optional bool
	variadic bool // one or more
	literal  bool // a constant written out
	present  bool // not a bare NULL
}

// cell is an operation in one dialect.
type cell struct {
	names []string // names for parsing; may be empty
	// template is for printing: $1 … $9 are arguments, $* is all of them, $| is
	// all of them joined by ||, $p and $P are the part in lower and upper case,
	// $i is an interval of one such part.
	template string
	// order gives the position of each written argument: an index into args, or
	// -1 for the part. nil: unchanged.
	order []int
	// repeats marks a template that prints an argument more than once, which
	// could make a nested predicate grow without bound.
	repeats bool
}

// row is the source form of an Operation. A cell is "name, name => template": the
// names for parsing, and the template for printing, which is a call of the first
// name by default. Without names it is only printed. An empty cell means that the
// dialect has no equivalent.
type row struct {
	id             string
	sig            string // "string, int -> string"
	duck, goog, pg string
	my             string // only printed
	parts          string
	when           guard
}

// catalogue lists what each dialect can call.
type catalogue struct {
	all    []*Operation
	byID   map[string]*Operation
	byName map[Dialect]map[string][]*Operation
}

// operations is the catalogue. It is built from the tables when it is first
// needed, and never changes.
var operations = sync.OnceValue(func() *catalogue {
	return buildCatalogue(arithmeticRows, textRows, dateRows, googleDateRows, conditionRows, listRows)
})

func buildCatalogue(tables ...[]row) *catalogue {
	c := &catalogue{byID: map[string]*Operation{}, byName: map[Dialect]map[string][]*Operation{}}
	for _, d := range dialects {
		c.byName[d.name] = map[string][]*Operation{}
	}
	for _, table := range tables {
		for i := range table {
			c.add(&table[i])
		}
	}
	return c
}

func (c *catalogue) add(r *row) {
	op := &Operation{ID: r.id, when: r.when, cells: map[Dialect]*cell{}}
	sig, ret, _ := strings.Cut(r.sig, "->")
	op.ret = strings.TrimSpace(ret)
	for _, a := range strings.Split(sig, ",") {
		a = strings.TrimSpace(a)
		if a == "" {
			continue
		}
		spec := argSpec{}
		a, spec.variadic = strings.CutSuffix(a, "...")
		a, spec.optional = strings.CutSuffix(a, "?")
		a, spec.literal = strings.CutSuffix(a, "!")
		a, spec.present = strings.CutSuffix(a, "^")
		spec.class, spec.kinds = a, argKinds[a]
		op.args = append(op.args, spec)
	}
	for _, p := range strings.Fields(r.parts) {
		op.parts = append(op.parts, Part(p))
	}
	for _, d := range dialects {
		text := d.traits().cell(r)
		if text == "" {
			continue
		}
		cl := parseCell(text)
		op.cells[d.name] = cl
		for _, name := range cl.names {
			c.byName[d.name][name] = append(c.byName[d.name][name], op)
		}
	}
	c.all, c.byID[op.ID] = append(c.all, op), op
}

func parseCell(text string) *cell {
	names, template, spelt := strings.Cut(text, "=>")
	cl := &cell{template: strings.TrimSpace(template)}
	for _, n := range strings.Split(names, ",") {
		if n = strings.TrimSpace(n); n != "" {
			cl.names = append(cl.names, syntax.Lower(n))
		}
	}
	if !spelt {
		first, _, _ := strings.Cut(names, ",")
		cl.template = strings.TrimSpace(first) + "($*)"
		return cl
	}
	cl.order = placeholderOrder(cl.template)
	for _, n := range []string{"$1", "$2", "$3"} {
		cl.repeats = cl.repeats || strings.Count(cl.template, n) > 1
	}
	return cl
}

// placeholderOrder returns the order in which a template uses its arguments,
// which is also the order in which they are written; nil for $*.
func placeholderOrder(template string) []int {
	var order []int
	for i := 0; i+1 < len(template); i++ {
		if template[i] != '$' {
			continue
		}
		switch c := template[i+1]; {
		case c == '*' || c == '|':
			return nil
		case c == 'p' || c == 'P':
			order = append(order, -1)
		case syntax.IsDigit(c):
			n, _ := strconv.Atoi(string(c))
			order = append(order, n-1)
		}
	}
	return order
}

// literalArg returns the constant that the i-th argument is, or nil.
func literalArg(args []Expr, i int) *Literal {
	if i >= len(args) {
		return nil
	}
	l, _ := args[i].(*Literal)
	return l
}

// intArg returns the i-th argument if it is a whole number.
func intArg(args []Expr, i int) (int64, bool) {
	l := literalArg(args, i)
	if l == nil {
		return 0, false
	}
	n, ok := l.Value.(int64)
	return n, ok
}
