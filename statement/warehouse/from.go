package warehouse

import (
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate/syntax"
)

// item is what one item of a FROM is.
type item struct {
	alias        string // its name, in lower case; empty: none
	query, array bool   // it is a query in parentheses, or an array
	token        int    // that names it
}

// from parses a FROM. A table name is a single word. A path with dots is accepted
// only for an array in a row that the same FROM has bound before. Any other path
// could name a table or a view, which a dry run does not always report.
func (p *parser) from() {
	p.need("FROM")
	p.rows = map[string]bool{}
	p.listOf(func() { p.factor(); p.joins() })
	if p.words("FOR") {
		p.refuse(p.cur().At, api.KindForbiddenFunction, "FOR SYSTEM_TIME reaches the history of a table, which is not run for others",
			"Query the table as it is now.")
	}
}

// joins parses what is joined to an item, and reports whether there is any.
func (p *parser) joins() (some bool) {
	for ; p.err == nil; some = true {
		cross, ok := p.joinBegins()
		if !ok {
			return some
		}
		joined := p.factor()
		p.joinCondition(cross || joined.array)
	}
	return some
}

// joinBegins takes the words of a join.
func (p *parser) joinBegins() (cross, ok bool) {
	switch {
	case p.eat("CROSS", "JOIN"):
		return true, true
	case p.eat("INNER", "JOIN"), p.eat("JOIN"):
		return false, true
	case p.eatOne("LEFT", "RIGHT", "FULL") != "":
		_ = p.eat("OUTER") || !p.of.google && p.eatOne("SEMI", "ANTI") != ""
		p.need("JOIN")
		return false, true
	}
	return false, false
}

// joinCondition reads ON or USING. Only arrays are joined without one, so that
// it is clear which join a condition belongs to.
func (p *parser) joinCondition(optional bool) {
	switch {
	case p.eat("ON"):
		p.expr()
	case p.eat("USING"):
		p.needSign("(")
		p.listOf(func() { p.name() })
		p.needSign(")")
	case !optional:
		p.unexpected("ON or USING")
	}
}

// factor parses one item of a FROM, with its alias and what changes its rows.
func (p *parser) factor() (i item) {
	defer p.leave()
	if !p.enter() {
		return i
	}
	last := "" // the name of the rows without an alias
	switch {
	case p.sign("("):
		if i.query = p.inParentheses(); !i.query {
			return i // a join, whose parts have names of their own
		}
	case p.of.google && p.eat("UNNEST"):
		i.array = true
		p.needSign("(")
		p.listOf(p.argument)
		p.needSign(")")
	default:
		i.token = p.at
		last, i.array = p.path()
	}
	p.called(&i, last)
	return p.changes(i)
}

// called parses an item's alias, and binds it.
func (p *parser) called(i *item, last string) {
	if !p.pivots() {
		alias := p.alias()
		i.alias = strings.ToLower(alias)
		if p.selection != nil {
			p.selection.rows.called(last, alias)
		}
	}
	if named, ok := p.roles[i.token]; ok && i.token > 0 {
		named.aliased = i.alias != ""
		p.roles[i.token] = named
	}
	if i.array && p.eat("WITH", "OFFSET") {
		p.alias()
	}
	if i.alias == "" {
		i.alias = strings.ToLower(last)
	}
	p.bind(i.alias)
}

func (p *parser) bind(name string) {
	if name != "" {
		p.rows[name] = true
	}
}

// inParentheses reads a query or a join, and reports which.
func (p *parser) inParentheses() (query bool) {
	p.needSign("(")
	if p.words("SELECT") || p.words("WITH") || p.words("FROM") && p.of.google {
		p.apart(p.query)
		p.needSign(")")
		return true
	}
	outer := p.rows
	p.rows = map[string]bool{} // paths cannot refer to the outside, or from there to the inside
	first := p.factor()
	if query = first.query && first.alias == ""; query && p.queryGoesOn() {
		p.apart(p.body)
	} else if p.joins() {
		query = false
	}
	p.needSign(")")
	p.rows = outer
	return query
}

// queryGoesOn reports whether what was parsed in parentheses is the start of a
// larger query.
func (p *parser) queryGoesOn() bool {
	return p.words("UNION") || p.words("INTERSECT") || p.words("EXCEPT") || p.words("ORDER") || p.words("LIMIT") || p.sign("|>")
}

// path parses the name of a table or the path of an array, and returns the
// default name of its rows.
func (p *parser) path() (last string, array bool) {
	first, token := p.cur(), p.at
	if (p.words("TABLE") || p.words("MODEL") || p.words("GRAPH")) && p.isName(p.ahead(1)) { // these words are not names of tables
		p.unexpected("the name of a table")
		return "", false
	}
	name := p.name()
	for last = name; p.eatSign("."); array = true {
		last = p.field()
	}
	switch next := p.cur(); {
	case p.err != nil:
	case isSign(next, "("):
		p.refuse(first.At, api.KindForbiddenFunction, "functions that make tables are not run for others", "")
	case isSign(next, "-"), isSign(next, "*"), isSign(next, ":"), isSign(next, "/"), next.Kind == syntax.TokenNumber:
		p.otherTable(first.At)
	case array && (!p.of.google || !p.rows[strings.ToLower(name)]):
		p.otherTable(first.At)
	case !array:
		p.reading(name, first.At, token)
	}
	return last, array
}

// reading notes a table, or a query that WITH defines.
func (p *parser) reading(name string, at, token int) {
	defined := p.scope.find(p.fold(name))
	if defined == nil {
		p.reads++
		p.selection.reads(outcome{width: 1})
		p.mentions = append(p.mentions, mention{name, at})
		p.plays(token, role{kind: roleTable, name: name, alias: name})
		return
	}
	p.selection.reads(defined.gives)
	if p.reads += max(defined.reads, 1); p.reads > maxReads && !p.of.google {
		p.refuse(at, api.KindTooDeep, "the statement reads what WITH defines too often", "Read it fewer times, or fetch it first.")
	}
	p.plays(token, role{kind: roleDefined, name: defined.name, alias: name})
}

// field reads a name behind a dot.
func (p *parser) field() string {
	name := p.part()
	p.behindDot[strings.ToLower(name)] = true
	p.use(name)
	return name
}

// changes reads PIVOT, UNPIVOT and TABLESAMPLE. The rows that they make have
// another name, if any.
func (p *parser) changes(i item) item {
	for p.err == nil && p.of.google {
		changed := item{}
		switch {
		case p.eat("TABLESAMPLE"):
			p.sample()
			changed.alias = i.alias
		case p.words("PIVOT") && p.pivots():
			p.at++
			p.pivot()
			changed.alias = strings.ToLower(p.alias())
		case p.pivots():
			p.at++
			p.unpivot()
			changed.alias = strings.ToLower(p.alias())
		default:
			return i
		}
		delete(p.rows, i.alias)
		if i.alias != changed.alias {
			p.bind(changed.alias)
		}
		i = changed
	}
	return i
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
