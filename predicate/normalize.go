package predicate

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Normalize returns a text that is the same for predicates that differ only in
// spelling: dialect, quoting, case of names, order of AND, OR and IN, side of a
// constant in a comparison, double negation. It is not SQL.
func Normalize(e Expr) string {
	_, s := canonical(e)
	return s
}

// Canonical returns the predicate in the stable order that Normalize is based
// on. It selects the same rows.
func Canonical(e Expr) Expr {
	c, _ := canonical(e)
	return c
}

var compareIDs = [...]string{Eq: "eq", Ne: "ne", Lt: "lt", Le: "le", Gt: "gt", Ge: "ge", Distinct: "distinct", NotDistinct: "not_distinct"}

// canonical returns the normal form of a node and its text, bottom up.
func canonical(e Expr) (Expr, string) {
	switch e := e.(type) {
	case nil:
		return nil, ""
	case *Column:
		return e, columnText(e)
	case *Literal:
		return e, literalText(e)
	case *Clock:
		return e, "clock_" + strconv.Itoa(int(e.Which))
	case *Logic:
		return canonicalLogic(e)
	case *Not:
		return canonicalNot(e)
	case *Compare:
		l, lt := canonical(e.Left)
		r, rt := canonical(e.Right)
		op := e.Op
		constant, both := isConstant(l), isConstant(r)
		symmetric := op == Eq || op == Ne || op == Distinct || op == NotDistinct
		if constant && !both || constant == both && symmetric && lt > rt {
			l, r, lt, rt, op = r, l, rt, lt, op.Mirrored()
		}
		return &Compare{Op: op, Left: l, Right: r, As: e.As}, node2(compareIDs[op]+asText(e.As), lt, rt)
	case *In:
		return canonicalIn(e)
	}
	return canonicalRest(e)
}

// isConstant reports whether a value is the same for all rows.
func isConstant(e Expr) bool {
	switch e.(type) {
	case *Literal, *Clock:
		return true
	}
	return false
}

func asText(d Dialect) string {
	if d == "" {
		return ""
	}
	return "@" + string(d)
}

func negatedText(id string, negated bool) string {
	if negated {
		return "not_" + id
	}
	return id
}

// node2 writes an operation and its operands.
func node2(id string, operands ...string) string {
	return "(" + id + " " + strings.Join(operands, " ") + ")"
}

// stable is a node in its normal form, with its text.
type stable struct {
	e    Expr
	text string
}

// sorted sorts terms by their text and removes duplicates.
func sorted(all []stable) ([]Expr, []string) {
	sort.Slice(all, func(i, j int) bool { return all[i].text < all[j].text })
	var out []Expr
	var texts []string
	for i, p := range all {
		if i > 0 && p.text == all[i-1].text {
			continue
		}
		out, texts = append(out, p.e), append(texts, p.text)
	}
	return out, texts
}

func canonicalLogic(e *Logic) (Expr, string) {
	var flat []stable
	for _, t := range e.Terms {
		c, s := canonical(t)
		if l, ok := c.(*Logic); ok && l.Op == e.Op {
			// Removing a double negation can uncover nested terms.
			for _, inner := range l.Terms {
				_, s := canonical(inner)
				flat = append(flat, stable{inner, s})
			}
			continue
		}
		flat = append(flat, stable{c, s})
	}
	terms, texts := sorted(flat)
	if len(terms) == 1 {
		return terms[0], texts[0]
	}
	return &Logic{Op: e.Op, Terms: terms}, node2([]string{"and", "or"}[e.Op], texts...)
}

// canonicalNot pushes a negation into a node that has a negated form. The node is
// in normal form already, so the second pass finds nothing more to push.
func canonicalNot(e *Not) (Expr, string) {
	inner, s := canonical(e.X)
	switch x := inner.(type) {
	case *Not:
		return canonical(x.X)
	case *In:
		return canonical(&In{X: x.X, List: x.List, Negated: !x.Negated, As: x.As})
	case *Between:
		return canonical(&Between{X: x.X, Low: x.Low, High: x.High, Negated: !x.Negated, As: x.As})
	case *IsNull:
		return canonical(&IsNull{X: x.X, Negated: !x.Negated})
	case *IsTruth:
		return canonical(&IsTruth{X: x.X, Value: x.Value, Negated: !x.Negated})
	case *Compare:
		opposite := map[CompareOp]CompareOp{Eq: Ne, Ne: Eq, Distinct: NotDistinct, NotDistinct: Distinct}
		if op, ok := opposite[x.Op]; ok {
			return canonical(&Compare{Op: op, Left: x.Left, Right: x.Right, As: x.As})
		}
	}
	return &Not{X: inner}, node2("not", s)
}

func canonicalIn(e *In) (Expr, string) {
	x, xs := canonical(e.X)
	items := make([]stable, 0, len(e.List))
	for _, item := range e.List {
		c, s := canonical(item)
		items = append(items, stable{c, s})
	}
	list, texts := sorted(items)
	if len(list) == 1 {
		op := Eq
		if e.Negated {
			op = Ne
		}
		return canonical(&Compare{Op: op, Left: x, Right: list[0], As: e.As})
	}
	return &In{X: x, List: list, Negated: e.Negated, As: e.As},
		node2(negatedText("in", e.Negated)+asText(e.As), append([]string{xs}, texts...)...)
}

func canonicalRest(e Expr) (Expr, string) {
	switch e := e.(type) {
	case *Between:
		x, xs := canonical(e.X)
		low, ls := canonical(e.Low)
		high, hs := canonical(e.High)
		return &Between{X: x, Low: low, High: high, Negated: e.Negated, As: e.As},
			node2(negatedText("between", e.Negated)+asText(e.As), xs, ls, hs)
	case *IsNull:
		x, s := canonical(e.X)
		return &IsNull{X: x, Negated: e.Negated}, node2(negatedText("null", e.Negated), s)
	case *IsTruth:
		x, s := canonical(e.X)
		return &IsTruth{X: x, Value: e.Value, Negated: e.Negated}, node2(negatedText("is_"+strconv.FormatBool(e.Value), e.Negated), s)
	case *Like:
		x, s := canonical(e.X)
		patterns, texts := canonicalAll(e.Patterns)
		out := *e
		out.X, out.Patterns = x, patterns
		id := fmt.Sprintf("like:%t:%t", e.All, e.IgnoreCase)
		for i, p := range patterns {
			texts[i] = patternText(p, texts[i], e.Escape)
		}
		return &out, node2(negatedText(id, e.Negated)+asText(e.As), append([]string{s}, texts...)...)
	case *Call:
		args, texts := canonicalAll(e.Args)
		out := *e
		out.Args = args
		id := e.Op.ID
		if e.Part != "" {
			id += ":" + string(e.Part)
		}
		return &out, node2(id, texts...)
	case *Cast:
		x, s := canonical(e.X)
		out := *e
		out.X = x
		return &out, node2(fmt.Sprintf("cast:%s:%t%s", strings.ReplaceAll(typeText(e.To), " ", ""), e.Safe, asText(e.As)), s)
	case *Case:
		return canonicalCase(e)
	}
	return e, ""
}

// patternText writes a constant pattern without regard to its escape character.
func patternText(p Expr, text string, escape rune) string {
	l, ok := p.(*Literal)
	if !ok || l.Value == nil {
		return text + "escape" + string(escape)
	}
	parts, _ := SplitPattern(l.Value.(string), escape)
	var b strings.Builder
	for _, part := range parts {
		if !part.Wild && (part.R == '%' || part.R == '_' || part.R == '\\') {
			b.WriteByte('\\')
		}
		b.WriteRune(part.R)
	}
	return "pattern" + strconv.Quote(b.String())
}

func typeText(t Type) string {
	return fmt.Sprintf("%s:%d:%d:%d", kindNames[t.Kind], t.Bits, t.Precision, t.Scale)
}

func canonicalAll(in []Expr) ([]Expr, []string) {
	out, texts := make([]Expr, len(in)), make([]string, len(in))
	for i, e := range in {
		out[i], texts[i] = canonical(e)
	}
	return out, texts
}

func canonicalCase(e *Case) (Expr, string) {
	out := &Case{T: e.T, As: e.As}
	var texts []string
	var s string
	if e.Operand != nil {
		out.Operand, s = canonical(e.Operand)
		texts = append(texts, s)
	}
	for _, a := range e.Arms {
		when, ws := canonical(a.When)
		then, ts := canonical(a.Then)
		out.Arms = append(out.Arms, Arm{When: when, Then: then})
		texts = append(texts, node2("when", ws, ts))
	}
	if e.Else != nil {
		out.Else, s = canonical(e.Else)
		texts = append(texts, node2("else", s))
	}
	return out, node2("case"+asText(e.As), texts...)
}

func columnText(c *Column) string {
	var b strings.Builder
	b.WriteString(strconv.Quote(c.Name) + asText(c.As))
	for _, s := range c.Path {
		if s.Mode == NotIndex {
			b.WriteString("." + strconv.Quote(s.Field))
			continue
		}
		fmt.Fprintf(&b, "[%d:%d]", s.Mode, s.Index)
	}
	return b.String()
}

// literalText writes a value and its kind.
func literalText(l *Literal) string {
	switch v := l.Value.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case *big.Int:
		return v.String()
	case float64:
		return "f" + strconv.FormatFloat(v, 'g', -1, 64)
	case *big.Rat:
		return "d" + v.RatString()
	case string:
		return kindNames[l.T.Kind] + strconv.Quote(v)
	case []byte:
		return "x" + hex.EncodeToString(v)
	case time.Time:
		return kindNames[l.T.Kind] + v.Format("2006-01-02T15:04:05.999999999")
	case time.Duration:
		return "time" + v.String()
	case Interval:
		return fmt.Sprintf("interval:%d:%d:%d", v.Months, v.Days, v.Micros)
	}
	return "?"
}
