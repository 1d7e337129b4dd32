package predicate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate/syntax"
)

// errMisfit is a placeholder for the error of a signature that is only tried.
var errMisfit = &syntax.Fault{Kind: api.KindTypeMismatch, At: -1, Msg: "the arguments don't fit"}

// match tries one signature. It returns the call and the cost of its conversions,
// or the error and the index of the wrong argument.
func (c *checker) match(op *Operation, part Part, written []argument, only bool) (*Call, int, int, error) {
	var room [4]argument
	args := c.arrange(op, written, room[:0])
	fail := func(i int, err error) (*Call, int, int, error) { return nil, 0, op.writtenAt(c.d, i), err }
	var few [4]Expr // most signatures are only tried
	out := few[:0]
	cost := 0
	group, elem := Type{Kind: KindNull}, Type{Kind: KindNull}
	for i, a := range args {
		spec := op.spec(i)
		t := a.e.Type()
		switch spec.class {
		case "same", "plain", "simple":
			g, ok := common(c.d, group, t)
			if c.adapts(a.n, group) {
				g, ok = group, true
			}
			if !ok && !c.adapts(args[0].n, t) {
				return fail(i, c.argFault(op, a, "the type of the other arguments"))
			}
			if ok {
				group = g
			} else {
				group = t
			}
		case "list":
			if t.Kind != KindList || t.Elem == nil {
				return fail(i, c.argFault(op, a, "a list"))
			}
			elem = *t.Elem
		}
	}
	for i, a := range args {
		spec := op.spec(i)
		if spec.class == "same" && group.Kind == KindNull || spec.present && a.e.Type().Kind == KindNull {
			return fail(i, c.argFault(op, a, "a value of some type"))
		}
		e, price, err := c.convert(op, a, spec, group, elem, only)
		if err != nil {
			return fail(i, err)
		}
		if _, constant := e.(*Literal); spec.literal && !constant {
			return fail(i, c.argFault(op, a, "a value written out"))
		}
		out = append(out, e)
		cost += price
	}
	call := &Call{Op: op, Part: part, Args: slices.Clone(out)}
	call.T = op.result(c.d, out, group)
	return call, cost, 0, nil
}

// spec is the argument's specification; the last one repeats if variadic.
func (op *Operation) spec(i int) *argSpec {
	return &op.args[min(i, len(op.args)-1)]
}

// arrange sorts the written arguments into the order of the signature. It uses
// room for the result if that is large enough.
func (c *checker) arrange(op *Operation, written, room []argument) []argument {
	order := op.cells[c.d.Name].order
	if order == nil {
		return written
	}
	args := slices.Grow(room, len(op.args))[:len(op.args)]
	for i, o := range order {
		if o >= 0 && i < len(written) {
			args[o] = written[i]
		}
	}
	return args
}

// writtenAt returns the written position of an argument of the signature.
func (op *Operation) writtenAt(d *Traits, i int) int {
	if at := slices.Index(op.cells[d.Name].order, i); at >= 0 {
		return at
	}
	return i
}

// argKinds are the argument classes with the kinds that they include.
var argKinds = map[string][]Kind{
	"bool": {KindBool}, "int": {KindInt}, "int32": {KindInt}, "integer": {KindInt}, "decimal": {KindDecimal}, "numeric": {KindDecimal},
	"float": {KindFloat}, "string": {KindString}, "bytes": {KindBytes},
	"date": {KindDate}, "time": {KindTime}, "datetime": {KindDateTime}, "timestamp": {KindTimestamp}, "interval": {KindInterval},
	"uuid": {KindUUID}, "regex": {KindString}, "list": {KindList}, "number": {KindInt, KindDecimal, KindFloat},
	"moment":  {KindDateTime, KindTimestamp, KindTime},
	"instant": {KindDateTime, KindTimestamp}, "calendar": {KindDate, KindDateTime, KindTimestamp},
	"clocked": {KindDate, KindDateTime, KindTimestamp, KindTime, KindInterval},
	"plain":   {KindBool, KindInt, KindDecimal, KindDate, KindTime, KindDateTime, KindTimestamp, KindUUID},
	"simple":  {KindBool, KindInt, KindDecimal, KindString, KindBytes, KindDate, KindTime, KindDateTime, KindTimestamp, KindUUID},
}

// widenings are the conversions that happen by themselves, with their cost; 0 is
// none.
var widenings = [KindMap + 1][KindMap + 1]int8{
	KindInt:      {KindDecimal: 1, KindFloat: 2},
	KindDecimal:  {KindFloat: 2},
	KindDate:     {KindDateTime: 1, KindTimestamp: 2},
	KindDateTime: {KindTimestamp: 2},
}

// convert fits one argument into its place.
func (c *checker) convert(op *Operation, a argument, spec *argSpec, group, elem Type, only bool) (Expr, int, error) {
	t := a.e.Type()
	switch spec.class {
	case "any":
		return a.e, 0, nil
	case "zone":
		return c.zone(a)
	case "regex":
		if err := c.checkPattern(a); err != nil {
			return nil, 0, err
		}
	case "same", "plain", "simple":
		return c.grouped(op, a, spec, group)
	case "elem":
		if c.adapts(a.n, elem) {
			e, err := c.adapt(a.n, elem)
			return e, 1, err
		}
		if _, ok := common(c.d, elem, t); !ok || !t.ordered() {
			return nil, 0, c.argFault(op, a, elem.describe())
		}
		return a.e, 0, nil
	}
	kinds := spec.kinds
	best := -1
	for _, k := range kinds {
		if t.Kind == k && fits(t, spec.class) {
			return a.e, 0, nil
		}
		if price := int(widenings[t.Kind][k]); price > 0 && spec.class != "numeric" && (c.d.ImplicitZone || k != KindTimestamp) &&
			(best < 0 || price < best) {
			best = price
		}
	}
	if best >= 0 {
		return a.e, best, nil
	}
	if want := (Type{Kind: kinds[0]}); only && c.adapts(a.n, want) && !want.Numeric() {
		e, err := c.adapt(a.n, want)
		return e, 1, err
	}
	return nil, 0, c.classFault(op, a, spec)
}

// grouped fits an argument whose type is shared with others.
func (c *checker) grouped(op *Operation, a argument, spec *argSpec, group Type) (Expr, int, error) {
	if c.adapts(a.n, group) {
		e, err := c.adapt(a.n, group)
		return e, 0, err
	}
	if _, ok := common(c.d, a.e.Type(), group); !ok {
		return nil, 0, c.argFault(op, a, group.describe())
	}
	e := c.meet(a.e, group)
	if spec.class == "same" {
		return e, 1, nil
	}
	for _, k := range spec.kinds {
		if k == group.Kind && !group.Padded {
			return e, 0, nil
		}
	}
	return nil, 0, c.classFault(op, a, spec)
}

// fits checks the width of integers: most functions take 64 bits, some 32.
func fits(t Type, class string) bool {
	switch class {
	case "int":
		return t.Bits < 64 || t.Bits == 64 && !t.Unsigned
	case "int32":
		return t.Bits < 32 || t.Bits == 32 && !t.Unsigned
	}
	return true
}

func className(class string) string {
	switch class {
	case "int", "integer":
		return "an integer"
	case "numeric":
		return "a decimal"
	case "int32":
		return "an integer of 32 bits"
	case "number":
		return "a number"
	case "calendar", "moment", "clocked", "instant":
		return "a date or time"
	case "plain", "simple", "same":
		return "a simple value"
	}
	for k, n := range kindNames {
		if n == class {
			return Type{Kind: k}.describe()
		}
	}
	if class == "bool" {
		return "a boolean"
	}
	return "a " + class
}

func (c *checker) classFault(op *Operation, a argument, spec *argSpec) error {
	if c.trying {
		return errMisfit
	}
	return c.argFault(op, a, className(spec.class))
}

func (c *checker) argFault(op *Operation, a argument, expected string) error {
	if c.trying {
		return errMisfit
	}
	name := op.cells[c.d.Name].template
	if names := op.cells[c.d.Name].names; len(names) > 0 {
		name = names[0]
	}
	name = strings.ToUpper(name)
	t := a.e.Type()
	f := &syntax.Fault{Kind: api.KindTypeMismatch, At: a.n.At, Found: t.String(), Expected: expected,
		Msg: fmt.Sprintf("%s can't take %s: it is %s, %s is expected", name, c.snippet(a.n), t.describe(), expected)}
	if syntax.IsWordByte(name[0]) {
		f.Function = name
	}
	if a.n.Kind == syntax.String && name == "SUBSTR" {
		f.Hint = equivalent(c.d, "regexp_substr")
	}
	if a.n.Kind == syntax.String && (name == "-" || strings.Contains(expected, "date") || strings.Contains(expected, "point in time")) {
		f.Hint = "A date is written DATE '2026-01-31', a point in time TIMESTAMP '2026-01-31 12:00:00'."
	}
	if a.n.Kind == syntax.String && strings.Contains(expected, "interval") {
		f.Hint = "A span of time is written INTERVAL '30 days'."
	}
	return f
}

// result is the type of the operation's value.
func (op *Operation) result(d *Traits, args []Expr, group Type) Type {
	switch op.ret {
	case "same":
		return group
	case "common":
		t := args[0].Type()
		for _, a := range args[1:] {
			if u, ok := common(d, t, a.Type()); ok {
				t = u
			}
		}
		return Type{Kind: t.Kind, Bits: t.Bits, Unsigned: t.Unsigned, Padded: t.Padded}
	case "$1":
		t := args[0].Type()
		return Type{Kind: t.Kind, Bits: t.Bits, Unsigned: t.Unsigned, Padded: t.Padded}
	case "int":
		return Type{Kind: KindInt, Bits: d.intResult}
	case "float":
		for _, a := range args {
			if !a.Type().narrow() {
				return Type{Kind: KindFloat, Bits: 64}
			}
		}
		return Type{Kind: KindFloat, Bits: 32}
	}
	return Type{Kind: argKinds[op.ret][0]}
}

// meet adds the conversion of a date where dates and times are combined in one
// type, because not all engines do so implicitly.
func (c *checker) meet(e Expr, t Type) Expr {
	if from := e.Type(); !from.Calendar() || !t.Calendar() || from.Kind == t.Kind {
		return e
	}
	return &Cast{X: e, To: Type{Kind: t.Kind, Name: CastSpelling(c.d, t)}}
}

// same checks nodes whose values meet in one type.
func (c *checker) same(nodes []*syntax.Node) ([]Expr, Type, error) {
	out := make([]Expr, len(nodes))
	t := Type{Kind: KindNull}
	for i, n := range nodes {
		e, err := c.expr(n)
		if err != nil {
			return nil, t, err
		}
		out[i] = e
		if n.Kind == syntax.String && c.d.untypedText {
			continue
		}
		u, ok := common(c.d, t, e.Type())
		if !ok {
			return nil, t, c.mismatch(n, e.Type(), t.describe())
		}
		t = u
	}
	for i, n := range nodes {
		if n.Kind != syntax.String || !c.d.untypedText {
			out[i] = c.meet(out[i], t)
			continue
		}
		if t.Kind == KindNull {
			t = Type{Kind: KindString}
		}
		if !c.adapts(n, t) {
			if t.Kind != KindString {
				return nil, t, c.mismatch(n, out[i].Type(), t.describe())
			}
			continue
		}
		e, err := c.adapt(n, t)
		if err != nil {
			return nil, t, err
		}
		out[i] = e
	}
	return out, t, nil
}
