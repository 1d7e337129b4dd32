package print

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/syntax"
)

// SQL returns the predicate as SQL of the dialect: every identifier quoted,
// every literal re-encoded. The error is CodeRejected with api.KindNotPortable if
// the dialect has no equivalent of an operation or a different meaning for it.
// That cannot happen for the dialect in which the predicate was written.
func SQL(d predicate.Dialect, e predicate.Expr, env predicate.Env) (string, error) {
	p := &printer{d: dialects[d], t: d.Traits(), env: env}
	if p.d == nil {
		return "", notPortable(d, "a predicate")
	}
	p.b.Grow(256)
	if p.d.rewrite != nil {
		e = p.d.rewrite(e)
	}
	p.expr(e, rankOr)
	if p.err != nil {
		return "", p.err
	}
	return p.b.String(), nil
}

// Order returns the terms of an ORDER BY, without these words. Each column
// is qualified by table, which is written unchanged, unless table is empty.
func Order(d predicate.Dialect, table string, o []predicate.Order) string {
	dialect := d.Traits()
	terms := make([]string, 0, len(o))
	for _, t := range o {
		column, desc := predicate.QuoteIdent(d, t.Column), ""
		if table != "" {
			column = table + "." + column
		}
		if t.Desc {
			desc = " DESC"
		}
		switch {
		case !dialect.NullsOrder && t.NullsFirst:
			terms = append(terms, column+" IS NULL DESC", column+desc)
		case !dialect.NullsOrder:
			terms = append(terms, column+" IS NULL", column+desc)
		case t.NullsFirst:
			terms = append(terms, column+desc+" NULLS FIRST")
		default:
			terms = append(terms, column+desc+" NULLS LAST")
		}
	}
	return strings.Join(terms, ", ")
}

// The ranks of printed expressions: an operand with a lower rank than its context
// needs parentheses.
const (
	rankOr = iota
	rankAnd
	rankNot
	rankTest
	rankOperand
)

type printer struct {
	d   *dialect
	t   *predicate.Traits // what the dialect means
	env predicate.Env
	b   strings.Builder
	err error // the first one
}

func notPortable(d predicate.Dialect, what string) error {
	return &api.Error{Code: api.CodeRejected, Kind: api.KindNotPortable,
		Message: fmt.Sprintf("%s has no equal in the dialect %s", what, d),
		Hint:    "Leave it out here; docs/predicates.md lists what each function becomes in the other engines.",
		Next:    []api.Step{api.Do(api.ActionQuery, "apply it to the snapshot")},
		Details: map[string]any{"found": what, "expected": "an operation that " + string(d) + " has"}}
}

func (p *printer) refuse(what string) {
	if p.err == nil {
		p.err = notPortable(p.t.Name, what)
	}
}

// foreign refuses an operation that follows another engine's rules.
func (p *printer) foreign(as predicate.Dialect, what string) {
	if as != "" && as != p.t.Name {
		p.refuse(what + " by the rules of " + string(as))
	}
}

func (p *printer) expr(e predicate.Expr, rank int) {
	if p.err != nil {
		return
	}
	if p.d.lacks != nil {
		if what := p.d.lacks(e); what != "" {
			p.refuse(what)
			return
		}
	}
	r := rankOf(e)
	if r < rank {
		p.b.WriteByte('(')
		defer p.b.WriteByte(')')
	}
	switch e := e.(type) {
	case *predicate.Column:
		p.column(e)
	case *predicate.Literal:
		p.literal(e)
	case *predicate.Logic:
		word := " AND "
		if e.Op == predicate.OpOr {
			word = " OR "
		}
		for i, t := range e.Terms {
			if i > 0 {
				p.b.WriteString(word)
			}
			p.expr(t, r+1)
		}
	case *predicate.Not:
		p.b.WriteString("NOT ")
		p.expr(e.X, rankOperand)
	case *predicate.Compare:
		p.compare(e)
	case *predicate.In:
		p.in(e)
	case *predicate.Between:
		p.between(e)
	case *predicate.IsNull:
		if c, ok := e.X.(*predicate.Column); ok && c.As != "" {
			// Whether there is a value, all engines agree on.
			p.column(&predicate.Column{Name: c.Name, Path: c.Path, T: c.T})
		} else {
			p.expr(e.X, rankOperand)
		}
		p.b.WriteString(isWord(e.Negated))
		p.b.WriteString("NULL")
	case *predicate.IsTruth:
		if p.d.noTruthTests {
			p.truth(e)
			return
		}
		p.expr(e.X, rankOperand)
		p.b.WriteString(isWord(e.Negated) + strings.ToUpper(strconv.FormatBool(e.Value)))
	case *predicate.Like:
		p.like(e)
	case *predicate.Call:
		p.call(e)
	case *predicate.Cast:
		p.cast(e)
	case *predicate.Case:
		p.caseWhen(e)
	case *predicate.Clock:
		p.clock(e)
	}
}

func isWord(negated bool) string {
	if negated {
		return " IS NOT "
	}
	return " IS "
}

func notWord(negated bool) string {
	if negated {
		return " NOT"
	}
	return ""
}

func rankOf(e predicate.Expr) int {
	switch e := e.(type) {
	case *predicate.Logic:
		if e.Op == predicate.OpOr {
			return rankOr
		}
		return rankAnd
	case *predicate.Not:
		return rankNot
	case *predicate.Compare, *predicate.In, *predicate.Between, *predicate.IsNull, *predicate.IsTruth, *predicate.Like:
		return rankTest
	}
	return rankOperand
}

// column prints a column or a path into it. Before a dot, the column is in
// parentheses; otherwise an engine could take it for the name of a table.
func (p *printer) column(c *predicate.Column) {
	p.foreign(c.As, "the column "+syntax.Clip(c.Name))
	if len(c.Path) == 0 {
		p.t.Ident(&p.b, c.Name)
		return
	}
	if p.d.element == nil {
		p.refuse("a path into a column")
		return
	}
	p.b.WriteByte('(')
	p.t.Ident(&p.b, c.Name)
	p.b.WriteByte(')')
	for _, s := range c.Path {
		if s.Mode == predicate.NotIndex {
			p.b.WriteByte('.')
			p.t.Ident(&p.b, s.Field)
			continue
		}
		if !p.d.element(&p.b, s) {
			p.refuse("this way to pick an element")
		}
	}
}

var compareWords = [...]string{predicate.Eq: " = ", predicate.Ne: " <> ", predicate.Lt: " < ", predicate.Le: " <= ", predicate.Gt: " > ",
	predicate.Ge: " >= ", predicate.Distinct: " IS DISTINCT FROM ", predicate.NotDistinct: " IS NOT DISTINCT FROM "}

func (p *printer) compare(e *predicate.Compare) {
	if p.d.comparison != nil && p.d.comparison(p, e) || p.guardedNaN(e) {
		return
	}
	left, right := p.bridge(e.As, e.Left, e.Right)
	if e.Op == predicate.Lt || e.Op == predicate.Le || e.Op == predicate.Gt || e.Op == predicate.Ge {
		p.ordered(e.Left)
	}
	if p.d.nullSafeEqual && (e.Op == predicate.Distinct || e.Op == predicate.NotDistinct) {
		p.nullSafe(e)
		return
	}
	p.operand(e.Left, left)
	p.b.WriteString(compareWords[e.Op])
	p.operand(e.Right, right)
}

// ordered refuses a comparison of values that the engine orders in its own way.
func (p *printer) ordered(x predicate.Expr) {
	if p.d.strangeUUIDs && x.Type().Kind == predicate.KindUUID {
		p.refuse("the order of UUIDs")
	}
}

// nullSafe prints a comparison that takes NULL for a value.
func (p *printer) nullSafe(e *predicate.Compare) {
	if e.Op == predicate.Distinct {
		p.b.WriteString("NOT ")
	}
	p.b.WriteByte('(')
	p.expr(e.Left, rankOperand)
	p.b.WriteString(" <=> ")
	p.expr(e.Right, rankOperand)
	p.b.WriteByte(')')
}

// operand prints one side of a comparison, followed by after.
func (p *printer) operand(e predicate.Expr, after string) {
	if after != "" {
		p.b.WriteByte('(')
	}
	p.expr(e, rankOperand)
	if after != "" {
		p.b.WriteString(after + ")")
	}
}

func (p *printer) between(e *predicate.Between) {
	p.ordered(e.X)
	left, low := p.bridge(e.As, e.X, e.Low)
	_, high := p.bridge(e.As, e.X, e.High)
	p.operand(e.X, left)
	p.b.WriteString(notWord(e.Negated) + " BETWEEN ")
	p.operand(e.Low, low)
	p.b.WriteString(" AND ")
	p.operand(e.High, high)
}

func (p *printer) caseWhen(e *predicate.Case) {
	if e.As != "" && e.As != p.t.Name {
		for _, a := range e.Arms {
			p.bridge(e.As, e.Operand, a.When)
		}
	}
	p.b.WriteString("(CASE")
	if e.Operand != nil {
		p.b.WriteByte(' ')
		p.expr(e.Operand, rankOperand)
	}
	for _, a := range e.Arms {
		p.b.WriteString(" WHEN ")
		p.expr(a.When, rankOr)
		p.b.WriteString(" THEN ")
		p.expr(a.Then, rankOr)
	}
	if e.Else != nil {
		p.b.WriteString(" ELSE ")
		p.expr(e.Else, rankOr)
	}
	p.b.WriteString(" END)")
}

func (p *printer) cast(e *predicate.Cast) {
	p.foreign(e.As, "this cast")
	name := e.To.Name
	if e.To.Kind != predicate.KindDecimal || e.As == "" {
		name = predicate.CastSpelling(p.t, e.To)
	}
	if name == "" {
		p.refuse("a cast to " + e.To.String())
	}
	word := "CAST("
	if e.Safe {
		if word = strings.ToUpper(p.t.SafeCast) + "("; p.t.SafeCast == "" {
			p.refuse("a cast that gives NULL where it fails")
		}
	}
	p.b.WriteString(word)
	p.expr(e.X, rankOr)
	p.b.WriteString(" AS " + name + ")")
}

// call prints an operation by its template.
func (p *printer) call(e *predicate.Call) {
	t, lacks := e.Template(p.t)
	if lacks != "" {
		p.refuse(lacks)
		return
	}
	if p.d.template != nil {
		t = p.d.template(t)
	}
	for i := 0; i < len(t); i++ {
		if t[i] != '$' || i+1 >= len(t) {
			p.b.WriteByte(t[i])
			continue
		}
		i++
		p.placeholder(e, t[i])
	}
}

func (p *printer) placeholder(e *predicate.Call, c byte) {
	switch {
	case c == '*' || c == '|':
		for i, a := range e.Args {
			if i > 0 {
				p.b.WriteString(map[byte]string{'*': ", ", '|': " || "}[c])
			}
			p.expr(a, rankOperand)
		}
	case c == 'i':
		p.b.WriteString(predicate.UnitSizes[predicate.UnitName(string(e.Part))].Text())
	case c == 'p' || c == 'P':
		part := predicate.SpellPart(p.t, e.Part)
		if part == "" {
			p.refuse("the part " + string(e.Part))
		}
		if c == 'P' {
			part = strings.ToUpper(part)
		}
		p.b.WriteString(part)
	default:
		if i := int(c - '1'); i < len(e.Args) {
			p.expr(e.Args[i], rankOperand)
		}
	}
}
