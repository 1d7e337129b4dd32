package spark

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
)

// The expressions of a plan.

func attribute(name string) []byte { return within(2, text(1, quote(name))) }

func function(name string, args ...[]byte) []byte {
	return within(3, append([][]byte{text(1, name)}, fields(2, args)...)...)
}

func alias(e []byte, name string) []byte { return within(6, within(1, e), text(2, name)) }

func cast(e []byte, to string) []byte { return within(7, within(1, e), text(3, to)) }

func extract(e, of []byte) []byte { return within(12, within(1, e), within(2, of)) }

func literal(value []byte) []byte { return within(1, value) }

func literalText(s string) []byte { return literal(text(13, s)) }

// fields are messages of a repeated field.
func fields(n protowire.Number, messages [][]byte) [][]byte {
	out := make([][]byte, len(messages))
	for i, m := range messages {
		out[i] = within(n, m)
	}
	return out
}

// expression makes the expression of a predicate. What Spark has not, or does in
// another way, is refused as package print says.
func expression(e predicate.Expr, env predicate.Env) ([]byte, error) {
	if _, err := print.SQL(predicate.Spark, e, env); err != nil {
		return nil, err
	}
	m := maker{now: env.Now.UTC()}
	made := m.of(e)
	return made, m.err
}

// maker makes expressions of predicates that can be printed.
type maker struct {
	now time.Time // zero: the engine's own clock
	err error
}

var comparisons = [...]string{predicate.Eq: "==", predicate.Ne: "==", predicate.Lt: "<", predicate.Le: "<=", predicate.Gt: ">",
	predicate.Ge: ">=", predicate.Distinct: "<=>", predicate.NotDistinct: "<=>"}

func (m *maker) of(e predicate.Expr) []byte {
	switch e := e.(type) {
	case *predicate.Column:
		return m.column(e)
	case *predicate.Literal:
		return m.literal(e)
	case *predicate.Logic:
		return m.joined(map[predicate.LogicOp]string{predicate.OpAnd: "and", predicate.OpOr: "or"}[e.Op], e.Terms)
	case *predicate.Not:
		return not(m.of(e.X))
	case *predicate.Compare:
		made := function(comparisons[e.Op], m.of(e.Left), m.of(e.Right))
		return negated(made, e.Op == predicate.Ne || e.Op == predicate.Distinct)
	case *predicate.In:
		return negated(m.in(e), e.Negated)
	case *predicate.Between:
		x := m.of(e.X)
		return negated(function("and", function(">=", x, m.of(e.Low)), function("<=", x, m.of(e.High))), e.Negated)
	case *predicate.IsNull:
		return negated(function("isnull", m.of(e.X)), e.Negated)
	case *predicate.IsTruth:
		return negated(function("<=>", m.of(e.X), literal(boolean(e.Value))), e.Negated)
	case *predicate.Like:
		return negated(m.like(e), e.Negated)
	case *predicate.Call:
		return m.call(e)
	case *predicate.Cast:
		return cast(m.of(e.X), predicate.CastSpelling(predicate.Spark.Traits(), e.To))
	case *predicate.Case:
		return m.choice(e)
	case *predicate.Clock:
		return m.clock(e)
	}
	return m.fail(e)
}

func (m *maker) fail(what any) []byte {
	m.err = fmt.Errorf("no expression for %T", what)
	return nil
}

func not(e []byte) []byte { return function("not", e) }

func negated(e []byte, is bool) []byte {
	if is {
		return not(e)
	}
	return e
}

func boolean(v bool) []byte {
	n := 0
	if v {
		n = 1
	}
	return number(3, n)
}

// joined joins terms pairwise, so that a long list is no deep tree.
func (m *maker) joined(word string, terms []predicate.Expr) []byte {
	if len(terms) == 1 {
		return m.of(terms[0])
	}
	half := len(terms) / 2
	return function(word, m.joined(word, terms[:half]), m.joined(word, terms[half:]))
}

// in compares floats one by one: in a set of Spark, 0 is not -0.
func (m *maker) in(e *predicate.In) []byte {
	list := make([]predicate.Expr, len(e.List))
	args := [][]byte{m.of(e.X)}
	float := false
	for i, item := range e.List {
		list[i] = &predicate.Compare{Op: predicate.Eq, Left: e.X, Right: item}
		args = append(args, m.of(item))
		float = float || item.Type().Kind == predicate.KindFloat
	}
	if float || e.X.Type().Kind == predicate.KindFloat {
		return m.joined("or", list)
	}
	return function("in", args...)
}

// like writes each pattern with a backslash as the escape character.
func (m *maker) like(e *predicate.Like) []byte {
	x := m.of(e.X)
	var terms [][]byte
	for _, p := range e.Patterns {
		l, ok := p.(*predicate.Literal)
		if !ok || l.Value == nil {
			terms = append(terms, literal(null("STRING")))
			continue
		}
		pattern, _ := l.Value.(string)
		terms = append(terms, function("like", x, literalText(print.Escaped(pattern, e.Escape, '\\'))))
	}
	for len(terms) > 1 {
		terms = append(terms[2:], function(map[bool]string{true: "and", false: "or"}[e.All], terms[0], terms[1]))
	}
	return terms[0]
}

func (m *maker) choice(e *predicate.Case) []byte {
	var args [][]byte
	for _, arm := range e.Arms {
		when := m.of(arm.When)
		if e.Operand != nil {
			when = function("==", m.of(e.Operand), when)
		}
		args = append(args, when, m.of(arm.Then))
	}
	if e.Else != nil {
		args = append(args, m.of(e.Else))
	}
	return function("when", args...)
}

func (m *maker) column(c *predicate.Column) []byte {
	e := attribute(c.Name)
	for _, s := range c.Path {
		switch {
		case s.Mode == predicate.NotIndex:
			e = extract(e, literalText(s.Field))
		case s.Mode == predicate.OneBased:
			e = function("get", e, literal(number(6, int32(s.Index-1))))
		default:
			e = function("get", e, literal(number(6, int32(s.Index))))
		}
	}
	if c.T.Kind == predicate.KindFloat {
		// The same value, but Iceberg's reader does not know that: it skips files with
		// NaN by their bounds, which are those of the other values.
		e = function("nanvl", e, literal(float(11, math.NaN())))
	}
	return e
}

// clock is the time of the request.
func (m *maker) clock(c *predicate.Clock) []byte {
	if m.now.IsZero() {
		return function(strings.TrimSuffix(predicate.Spark.Traits().ClockSpelling[c.Which], "()"))
	}
	return m.literal(&predicate.Literal{T: c.T, Value: m.now.Truncate(time.Microsecond)})
}

// null is a NULL of a type.
func null(to string) []byte { return within(1, nulls[to]) }

// nulls are types by their names.
var nulls = map[string][]byte{"STRING": within(11), "NULL": within(1), "BOOLEAN": within(3)}

func (m *maker) literal(l *predicate.Literal) []byte {
	switch v := l.Value.(type) {
	case nil:
		if l.T.Kind == predicate.KindBool {
			return literal(null("BOOLEAN"))
		}
		return literal(null("NULL"))
	case bool:
		return literal(boolean(v))
	case int64:
		if l.T.Bits == 32 {
			return literal(number(6, v))
		}
		return literal(number(7, v))
	case float64:
		return literal(float(11, v))
	case *big.Rat:
		return decimal(v, l.T.Scale)
	case string:
		return literalText(v)
	case []byte:
		return literal(within(2, v))
	case time.Time:
		switch l.T.Kind {
		case predicate.KindDate:
			y, mo, d := v.Date()
			return literal(number(16, time.Date(y, mo, d, 0, 0, 0, 0, time.UTC).Unix()/(24*3600)))
		case predicate.KindDateTime:
			return literal(number(18, v.UnixMicro()))
		}
		return literal(number(17, v.UnixMicro()))
	case predicate.Interval:
		return literal(within(19, number(1, v.Months), number(2, v.Days), number(3, v.Micros)))
	}
	return m.fail(l.Value)
}

// decimal is a decimal with all its digits, and a scale of at least that.
func decimal(v *big.Rat, scale int) []byte {
	digits, _ := v.FloatPrec()
	scale = max(scale, digits)
	s := v.FloatString(scale)
	precision := len(strings.Replace(strings.TrimPrefix(s, "-"), ".", "", 1))
	if scale > 0 && strings.HasPrefix(strings.TrimPrefix(s, "-"), "0.") {
		precision = max(precision-1, 1)
	}
	return literal(within(12, text(1, s), number(2, max(precision, scale)), number(3, scale)))
}
