package predicate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
)

// Print returns the predicate as SQL of the dialect: every identifier quoted,
// every literal re-encoded. The error is CodeRejected with api.KindNotPortable if
// the dialect has no equivalent of an operation or a different meaning for it.
// That cannot happen for the dialect in which the predicate was written.
func Print(d Dialect, e Expr, env Env) (string, error) {
	t := d.traits()
	if t == &unknownDialect {
		return "", notPortable(d, "a predicate")
	}
	p := &printer{d: t, env: env}
	p.b.Grow(256)
	if t.rewrite != nil {
		e = t.rewrite(e)
	}
	p.expr(e, rankOr)
	if p.err != nil {
		return "", p.err
	}
	return p.b.String(), nil
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
	d   *traits
	env Env
	b   strings.Builder
	err error // the first one
}

func notPortable(d Dialect, what string) error {
	return &api.Error{Code: api.CodeRejected, Kind: api.KindNotPortable,
		Message: fmt.Sprintf("%s has no equal in the dialect %s", what, d),
		Hint:    "Leave it out here; docs/predicates.md lists what each function becomes in the other engines.",
		Next:    []api.Step{api.Do(api.ActionQuery, "apply it to the snapshot")},
		Details: map[string]any{"found": what, "expected": "an operation that " + string(d) + " has"}}
}

func (p *printer) refuse(what string) {
	if p.err == nil {
		p.err = notPortable(p.d.name, what)
	}
}

// foreign refuses an operation that follows another engine's rules.
func (p *printer) foreign(as Dialect, what string) {
	if as != "" && as != p.d.name {
		p.refuse(what + " by the rules of " + string(as))
	}
}

func (p *printer) expr(e Expr, rank int) {
	if p.err != nil {
		return
	}
	r := rankOf(e)
	if r < rank {
		p.b.WriteByte('(')
		defer p.b.WriteByte(')')
	}
	switch e := e.(type) {
	case *Column:
		p.column(e)
	case *Literal:
		p.literal(e)
	case *Logic:
		word := " AND "
		if e.Op == OpOr {
			word = " OR "
		}
		for i, t := range e.Terms {
			if i > 0 {
				p.b.WriteString(word)
			}
			p.expr(t, r+1)
		}
	case *Not:
		p.b.WriteString("NOT ")
		p.expr(e.X, rankOperand)
	case *Compare:
		p.compare(e)
	case *In:
		p.in(e)
	case *Between:
		p.between(e)
	case *IsNull:
		if c, ok := e.X.(*Column); ok && c.As != "" {
			// Whether there is a value, all engines agree on.
			p.column(&Column{Name: c.Name, Path: c.Path, T: c.T})
		} else {
			p.expr(e.X, rankOperand)
		}
		p.b.WriteString(isWord(e.Negated))
		p.b.WriteString("NULL")
	case *IsTruth:
		p.expr(e.X, rankOperand)
		p.b.WriteString(isWord(e.Negated) + strings.ToUpper(strconv.FormatBool(e.Value)))
	case *Like:
		p.like(e)
	case *Call:
		p.call(e)
	case *Cast:
		p.cast(e)
	case *Case:
		p.caseWhen(e)
	case *Clock:
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

func rankOf(e Expr) int {
	switch e := e.(type) {
	case *Logic:
		if e.Op == OpOr {
			return rankOr
		}
		return rankAnd
	case *Not:
		return rankNot
	case *Compare, *In, *Between, *IsNull, *IsTruth, *Like:
		return rankTest
	}
	return rankOperand
}

// column prints a column or a path into it. Before a dot, the column is in
// parentheses; otherwise an engine could take it for the name of a table.
func (p *printer) column(c *Column) {
	p.foreign(c.As, "the column "+clip(c.Name))
	if len(c.Path) == 0 {
		p.d.ident(&p.b, c.Name)
		return
	}
	if p.d.element == nil {
		p.refuse("a path into a column")
		return
	}
	p.b.WriteByte('(')
	p.d.ident(&p.b, c.Name)
	p.b.WriteByte(')')
	for _, s := range c.Path {
		if s.Mode == NotIndex {
			p.b.WriteByte('.')
			p.d.ident(&p.b, s.Field)
			continue
		}
		if !p.d.element(&p.b, s) {
			p.refuse("this way to pick an element")
		}
	}
}

var compareWords = [...]string{Eq: " = ", Ne: " <> ", Lt: " < ", Le: " <= ", Gt: " > ", Ge: " >= ",
	Distinct: " IS DISTINCT FROM ", NotDistinct: " IS NOT DISTINCT FROM "}

func (p *printer) compare(e *Compare) {
	if p.d.comparison != nil && p.d.comparison(p, e) || p.guardedNaN(e) {
		return
	}
	left, right := p.bridge(e.As, e.Left, e.Right)
	if p.d.nullSafeEqual && (e.Op == Distinct || e.Op == NotDistinct) {
		p.nullSafe(e)
		return
	}
	p.operand(e.Left, left)
	p.b.WriteString(compareWords[e.Op])
	p.operand(e.Right, right)
}

// nullSafe prints a comparison that takes NULL for a value.
func (p *printer) nullSafe(e *Compare) {
	if e.Op == Distinct {
		p.b.WriteString("NOT ")
	}
	p.b.WriteByte('(')
	p.expr(e.Left, rankOperand)
	p.b.WriteString(" <=> ")
	p.expr(e.Right, rankOperand)
	p.b.WriteByte(')')
}

// operand prints one side of a comparison, followed by after.
func (p *printer) operand(e Expr, after string) {
	if after != "" {
		p.b.WriteByte('(')
	}
	p.expr(e, rankOperand)
	if after != "" {
		p.b.WriteString(after + ")")
	}
}

func (p *printer) in(e *In) {
	if e.As != "" && e.As != p.d.name {
		for _, item := range e.List {
			p.bridge(e.As, e.X, item)
		}
	}
	p.expr(e.X, rankOperand)
	p.b.WriteString(notWord(e.Negated))
	p.b.WriteString(" IN (")
	for i, item := range e.List {
		if i > 0 {
			p.b.WriteString(", ")
		}
		p.expr(item, rankOr)
	}
	p.b.WriteByte(')')
}

func (p *printer) between(e *Between) {
	left, low := p.bridge(e.As, e.X, e.Low)
	_, high := p.bridge(e.As, e.X, e.High)
	p.operand(e.X, left)
	p.b.WriteString(notWord(e.Negated) + " BETWEEN ")
	p.operand(e.Low, low)
	p.b.WriteString(" AND ")
	p.operand(e.High, high)
}

func (p *printer) caseWhen(e *Case) {
	if e.As != "" && e.As != p.d.name {
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

func (p *printer) cast(e *Cast) {
	p.foreign(e.As, "this cast")
	name := e.To.Name
	if e.To.Kind != KindDecimal || e.As == "" {
		name = castSpelling(p.d, e.To)
	}
	if name == "" {
		p.refuse("a cast to " + e.To.String())
	}
	word := "CAST("
	if e.Safe {
		if word = strings.ToUpper(p.d.safeCast) + "("; p.d.safeCast == "" {
			p.refuse("a cast that gives NULL where it fails")
		}
	}
	p.b.WriteString(word)
	p.expr(e.X, rankOr)
	p.b.WriteString(" AS " + name + ")")
}

// call prints an operation by its template.
func (p *printer) call(e *Call) {
	cell := e.Op.cells[p.d.name]
	if cell == nil {
		p.refuse(e.Op.word())
		return
	}
	t := cell.template
	for i := range e.Args {
		if zone := textArg(e.Args, i); zone != "" && !p.d.zoneOffsets && e.Op.spec(i).class == "zone" && strings.IndexByte("+-", zone[0]) >= 0 {
			p.refuse("a time zone that is given as an offset")
			return
		}
	}
	if cell.repeats && !leaves(e.Args) {
		p.refuse(e.Op.word() + " of a computed value")
		return
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

func (p *printer) placeholder(e *Call, c byte) {
	switch {
	case c == '*' || c == '|':
		for i, a := range e.Args {
			if i > 0 {
				p.b.WriteString(map[byte]string{'*': ", ", '|': " || "}[c])
			}
			p.expr(a, rankOperand)
		}
	case c == 'i':
		p.b.WriteString(unitSizes[unitName(string(e.Part))].text())
	case c == 'p' || c == 'P':
		part := spellPart(p.d, e.Part)
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
