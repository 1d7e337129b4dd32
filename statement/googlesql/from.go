package googlesql

import (
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate/syntax"
)

// from parses a FROM. A table name is a single word. A path with dots is accepted
// only for an array in a row that the same FROM has bound before. Any other path
// could name a table or a view, which a dry run does not always report.
func (p *parser) from(s *selects) {
	p.need("FROM")
	p.rows = map[string]bool{}
	s.from = &relation{at: p.cur().At}
	p.listOf(func() { p.joins(s.from, p.factor()) })
	if p.words("FOR") {
		p.refuse(p.cur().At, api.KindForbiddenFunction, "FOR SYSTEM_TIME reaches the history of a table, which is not run for others",
			"Query the table as it is now.")
	}
}

// joins parses what is joined to the first relation, if there is one, and adds
// everything to a relation.
func (p *parser) joins(to, first *relation) {
	if first != nil {
		to.parts = append(to.parts, first)
	}
	for p.err == nil {
		cross, ok := p.joinBegins()
		if !ok {
			return
		}
		to.parts = append(to.parts, p.factor())
		to.joined = append(to.joined, p.joinCondition(cross || len(to.parts[len(to.parts)-1].of) > 0)...)
	}
}

// joinBegins takes the words of a join.
func (p *parser) joinBegins() (cross, ok bool) {
	switch {
	case p.eat("CROSS", "JOIN"):
		return true, true
	case p.eat("INNER", "JOIN"), p.eat("JOIN"):
		return false, true
	case p.eatOne("LEFT", "RIGHT", "FULL") != "":
		p.eat("OUTER")
		p.need("JOIN")
		return false, true
	}
	return false, false
}

// joinCondition reads ON or USING. Only arrays are joined without one, so that
// it is clear which join a condition belongs to.
func (p *parser) joinCondition(optional bool) []*expr {
	switch {
	case p.eat("ON"):
		return []*expr{p.expr()}
	case p.eat("USING"):
		p.needSign("(")
		p.listOf(func() { p.name() })
		p.needSign(")")
	case !optional:
		p.unexpected("ON or USING")
	}
	return nil
}

// factor parses one item of a FROM, with its alias and what changes its rows.
func (p *parser) factor() *relation {
	defer p.leave()
	if !p.enter() {
		return &relation{}
	}
	r := &relation{at: p.cur().At}
	last := "" // the name of the rows without an alias
	switch {
	case p.sign("("):
		if p.inParentheses(r); r.query == nil {
			return r // a join, whose parts have names of their own
		}
	case p.eat("UNNEST"):
		p.needSign("(")
		p.listOf(func() { r.of = append(r.of, p.argument()) })
		p.needSign(")")
	default:
		last = p.path(r)
	}
	p.called(r, last)
	return p.changes(r)
}

// called parses an item's alias, and binds it.
func (p *parser) called(r *relation, last string) {
	if !p.pivots() {
		r.alias = strings.ToLower(p.alias())
	}
	if len(r.of) > 0 && p.eat("WITH", "OFFSET") {
		offset := p.alias()
		if offset == "" {
			offset = "offset"
		}
		r.columns = append(r.columns, strings.ToLower(offset))
	}
	if r.alias == "" {
		r.alias = strings.ToLower(last)
	}
	p.bind(r.alias)
}

func (p *parser) bind(name string) {
	if name != "" {
		p.rows[name] = true
	}
}

// inParentheses reads a query or a join.
func (p *parser) inParentheses(r *relation) {
	p.needSign("(")
	if p.words("SELECT") || p.words("WITH") || p.words("FROM") {
		r.query = p.query()
		p.needSign(")")
		return
	}
	outer := p.rows
	p.rows = map[string]bool{} // paths cannot refer to the outside, or from there to the inside
	first := p.factor()
	if first.query != nil && first.alias == "" && p.queryGoesOn() {
		r.query = p.body(first.query)
	} else if p.joins(r, first); len(r.parts) == 1 && first.query != nil && first.alias == "" {
		r.query, r.parts = first.query, nil
	}
	p.needSign(")")
	p.rows = outer
}

// queryGoesOn reports whether what was parsed in parentheses is the start of a
// larger query.
func (p *parser) queryGoesOn() bool {
	return p.words("UNION") || p.words("INTERSECT") || p.words("EXCEPT") || p.words("ORDER") || p.words("LIMIT") || p.sign("|>")
}

// path parses the name of a table or the path of an array, and returns the
// default name of its rows.
func (p *parser) path(r *relation) string {
	first := p.cur()
	if (p.words("TABLE") || p.words("MODEL") || p.words("GRAPH")) && isName(p.ahead(1)) { // these words are not names of tables
		p.unexpected("the name of a table")
		return ""
	}
	name := p.name()
	last, parts := name, []string{name}
	for p.eatSign(".") {
		last = p.field()
		parts = append(parts, last)
	}
	switch next := p.cur(); {
	case p.err != nil:
	case isSign(next, "("):
		p.refuse(first.At, api.KindForbiddenFunction, "functions that make tables are not run for others", "")
	case isSign(next, "-"), isSign(next, "*"), isSign(next, ":"), isSign(next, "/"), next.Kind == syntax.TokenNumber:
		p.otherTable(first.At)
	case len(parts) > 1 && !p.rows[strings.ToLower(name)]:
		p.otherTable(first.At)
	case len(parts) > 1:
		r.of = []*expr{{at: first.At, kind: column, path: parts}}
	default:
		r.name = strings.ToLower(name)
		if !p.scope.has(r.name) {
			p.mentions = append(p.mentions, mention{name, first.At})
		}
	}
	return last
}

// field reads a name behind a dot.
func (p *parser) field() string {
	name := p.part()
	p.behindDot[strings.ToLower(name)] = true
	return name
}

// changes reads PIVOT, UNPIVOT and TABLESAMPLE. The rows that they make have
// another name, if any.
func (p *parser) changes(r *relation) *relation {
	for p.err == nil {
		outer := &relation{at: p.cur().At, parts: []*relation{r}}
		switch {
		case p.eat("TABLESAMPLE"):
			p.sample()
			outer.alias = r.alias
		case p.words("PIVOT") && p.pivots():
			p.at++
			p.pivot(outer)
			outer.alias = strings.ToLower(p.alias())
		case p.pivots():
			p.at++
			p.unpivot(outer)
			outer.alias = strings.ToLower(p.alias())
		default:
			return r
		}
		delete(p.rows, r.alias)
		if r.alias != outer.alias {
			p.bind(outer.alias)
		}
		r = outer
	}
	return r
}

func (p *parser) sample() {
	p.need("SYSTEM")
	p.needSign("(")
	if p.cur().Kind != syntax.TokenNumber {
		p.unexpected("a number")
		return
	}
	p.at++
	p.need("PERCENT")
	p.needSign(")")
}
