package bigquery

import (
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
)

// places walks over a statement and finds what stands where a table stands:
// behind FROM, JOIN, TABLE and the commas of a FROM, in parentheses too. There a
// single name may be a table's, since BigQuery finds no table by it that was not
// bound, and a path with dots may be of an array in a row that the same FROM has
// bound before. Any other path could be of a table, and above all of a view,
// which a dry run need not tell: it is refused. Where it is not clear what a
// word is, it counts as what refuses more.
type places struct {
	tokens  []token
	defined map[string]bool // by WITH
	tables  []string        // single names, each once
	group
	open []group // around it, one for each open bracket
}

// group is what is known between two brackets.
type group struct {
	from    bool // a FROM goes on
	table   bool // a table comes next
	extract bool // between the brackets of EXTRACT, before its FROM
	// rows are the names of what this FROM has bound so far.
	rows map[string]bool
	// joins counts those that still want their ON: with two of them, what stands
	// left of the first may be out of reach.
	joins int
}

// at is the token at a place; behind the end, a sign.
func (p *places) at(i int) token {
	if i < 0 || i >= len(p.tokens) {
		return token{kind: signToken}
	}
	return p.tokens[i]
}

// field says that a word is a part of a path, not a word of SQL. Behind "1." it
// can be either.
func (p *places) field(i int) bool { return p.at(i - 1).sign(".") }

// number says that a token begins like one.
func (t token) number() bool { return t.kind == nameToken && t.text[0] >= '0' && t.text[0] <= '9' }

// opens says that a word begins something, unless it certainly is a field.
func (p *places) opens(i int, word string) bool {
	before := p.at(i - 2)
	return p.at(i).word(word) && !(p.field(i) && (before.kind == nameToken || before.kind == quotedToken || before.sign(")") || before.sign("]")) && !before.number())
}

// ends says that a word ends a FROM.
func (p *places) ends(i int) bool {
	t := p.at(i)
	if t.word("WITH") && p.at(i+1).word("OFFSET") {
		return false // of an array
	}
	return t.kind == nameToken && clauses[strings.ToUpper(t.text)] && !p.field(i) || t.sign("|") && p.at(i+1).sign(">")
}

// clauses end a FROM.
var clauses = map[string]bool{"WHERE": true, "GROUP": true, "HAVING": true, "WINDOW": true, "ORDER": true, "LIMIT": true,
	"UNION": true, "INTERSECT": true, "EXCEPT": true, "SELECT": true, "WITH": true}

// reserved are the words of SQL that may follow a table or a column and are not
// the name of anything.
var reserved = map[string]bool{"AND": true, "AS": true, "ASC": true, "BETWEEN": true, "CROSS": true, "DESC": true, "ELSE": true, "END": true, "FOR": true, "FROM": true,
	"FULL": true, "IN": true, "INNER": true, "IS": true, "JOIN": true, "LEFT": true, "LIKE": true, "NATURAL": true, "NOT": true, "NULLS": true, "ON": true, "OR": true,
	"OVER": true, "QUALIFY": true, "RIGHT": true, "TABLESAMPLE": true, "THEN": true, "USING": true, "WHEN": true}

// named says that a token is a name, or could be one.
func named(t token) bool {
	word := strings.ToUpper(t.text)
	return t.kind == quotedToken || t.kind == nameToken && !reserved[word] && !clauses[word]
}

func (p *places) walk() error {
	for i := 0; i < len(p.tokens); {
		n, err := p.step(i)
		if err != nil {
			return err
		}
		i += n
	}
	p.tables = slices.DeleteFunc(p.tables, func(name string) bool { return p.defined[strings.ToLower(name)] })
	return nil
}

// step reads what begins at a token and tells how many that were.
func (p *places) step(i int) (int, error) {
	t := p.at(i)
	switch {
	case t.number() && (strings.HasSuffix(strings.ToUpper(t.text), "FROM") || strings.HasSuffix(strings.ToUpper(t.text), "JOIN")):
		return 0, rejected("syntax_error", "a number and a word are not apart")
	case t.sign("("), t.sign("["), t.sign("{"):
		inner := group{from: p.table, table: p.table && t.sign("("), extract: p.at(i - 1).word("EXTRACT"), rows: map[string]bool{}}
		p.table = false
		p.open, p.group = append(p.open, p.group), inner
	case t.sign(")"), t.sign("]"), t.sign("}"):
		if n := len(p.open); n > 0 {
			p.group, p.open = p.open[n-1], p.open[:n-1]
			if name := p.at(i + 1); p.from && named(name) && !p.at(i+2).sign("(") {
				p.binds(name)
			}
		}
	case p.opens(i, "FROM"):
		p.begin(i)
	case p.opens(i, "JOIN"):
		p.table = true
		if !p.at(i - 1).word("CROSS") {
			p.joins++
		}
	case p.opens(i, "TABLE") && named(p.at(i+1)):
		p.table = true
	case p.opens(i, "GRAPH") && named(p.at(i+1)):
		return 0, rejected("other_table", "graphs are not part of a statement")
	case p.ends(i):
		p.group = group{extract: p.extract && !t.word("SELECT")}
	case t.sign(","):
		p.table, p.joins = p.from, 0
	case t.word("AS") && !p.field(i) && p.from && !p.table && named(p.at(i+1)):
		p.binds(p.at(i + 1))
		return 2, nil
	case p.table && (t.kind == nameToken || t.kind == quotedToken):
		return p.path(i)
	default:
		p.table = false
		p.word(i)
	}
	return 1, nil
}

// begin reads FROM, which is also a word within EXTRACT and IS DISTINCT FROM.
func (p *places) begin(i int) {
	distinct := p.at(i-1).word("DISTINCT") && !p.field(i-1) &&
		(p.at(i-2).word("IS") && !p.field(i-2) || p.at(i-2).word("NOT") && p.at(i-3).word("IS") && !p.field(i-3))
	switch {
	case distinct:
	case p.extract:
		p.extract = false
	default:
		p.group = group{from: true, table: true, rows: map[string]bool{}}
	}
}

// word reads a word or a sign between tables.
func (p *places) word(i int) {
	t, next := p.at(i), p.at(i+1)
	switch {
	case named(t) && next.word("AS") && p.at(i+2).sign("("):
		p.defined[strings.ToLower(t.text)] = true
	case p.field(i):
	case t.word("ON"), t.word("USING"):
		p.joins = max(0, p.joins-1)
	case t.word("TABLESAMPLE"), next.sign("(") && changes(t):
		p.rows = nil
	}
}

// changes says that a word makes other rows of those before it, whose names it
// hides.
func changes(t token) bool { return t.word("PIVOT") || t.word("UNPIVOT") || t.word("MATCH_RECOGNIZE") }

func (p *places) binds(name token) {
	if p.rows == nil {
		p.rows = map[string]bool{}
	}
	p.rows[strings.ToLower(name.text)] = true
}

// path reads the name of a table, or a path, with the name of its rows.
func (p *places) path(i int) (int, error) {
	p.table = false
	n := 1
	for p.at(i+n).sign(".") && (p.at(i+n+1).kind == nameToken || p.at(i+n+1).kind == quotedToken) {
		n += 2
	}
	first, last, next := p.at(i), p.at(i+n-1), p.at(i+n)
	for at := i; at < i+n; at += 2 {
		if t := p.at(at); t.kind == quotedToken && strings.ContainsAny(t.text, ".*:") {
			return 0, pathOfTable()
		}
	}
	switch {
	case next.sign("."), next.sign("-"), next.sign("*"), next.sign(":"):
		return 0, pathOfTable()
	case next.sign("("): // a function
		if changes(last) {
			p.rows = nil
		}
		return n, nil
	case n > 1 && (!p.rows[strings.ToLower(first.text)] || p.joins > 1):
		return 0, pathOfTable()
	case n == 1 && !slices.Contains(p.tables, first.text):
		p.tables = append(p.tables, first.text)
	}
	switch {
	case next.word("AS"): // its name comes
	case named(next) && !p.at(i+n+1).sign("("):
		p.binds(next)
	default:
		p.binds(last)
	}
	return n, nil
}

func pathOfTable() error {
	return &api.Error{Code: api.CodeStatement, Kind: "other_table", Message: "the statement reads a table that it does not name as the catalog does",
		Hint: "Name tables by the one word of da catalog, without dots. An array in a row of the same FROM stands behind a comma (FROM t, t.list), elsewhere in UNNEST(t.list)."}
}
