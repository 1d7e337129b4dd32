package warehouse

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate/syntax"
	"github.com/agnes-data/da/statement"
)

// parser reads a statement by recursive descent. The first refusal ends it: from
// then on there is nothing left to read.
type parser struct {
	of     *Language
	sql    string
	tokens []syntax.Token
	at     int
	depth  int
	err    error

	scope     *scope
	mentions  []mention
	behindDot map[string]bool
	list      int             // position of the first name of the outermost WITH
	outermost map[string]bool // names, in lower case, that it defines
	recursive bool
	rows      map[string]bool // names, in lower case, that this FROM has bound so far
	star      bool            // * stands for columns
	reads     int             // of tables and of what WITH defines, each written out
	written   int             // names of columns, each written out
	selection *selection      // the SELECT that is being read; nil: none
	last      outcome         // of the query that was read last
	beneath   map[string]int  // columns of its FROM
	roles     map[int]role    // of tokens that are printed as something else; nil if none are
}

// scope is a name that WITH defines, and those before it.
type scope struct {
	name  string
	reads int
	gives outcome
	outer *scope
}

// find returns the definition of a name; nil if there is none.
func (s *scope) find(name string) *scope {
	for ; s != nil && s.name != name; s = s.outer {
	}
	return s
}

// fold is what names have in common that are the same to the engine.
func (p *parser) fold(name string) string {
	if p.of.exact {
		return name
	}
	return strings.ToLower(name)
}

// mention is a name of a table that no WITH defines.
type mention struct {
	name string
	at   int
}

func (p *parser) ahead(n int) syntax.Token { return p.tokens[min(p.at+n, len(p.tokens)-1)] }
func (p *parser) cur() syntax.Token        { return p.ahead(0) }

func isWord(t syntax.Token, word string) bool {
	return t.Kind == syntax.TokenWord && strings.EqualFold(t.Text, word)
}

func isSign(t syntax.Token, sign string) bool {
	return t.Kind == syntax.TokenSign && t.Text == sign
}

// words reports whether the next tokens are these words.
func (p *parser) words(words ...string) bool {
	for i, w := range words {
		if !isWord(p.ahead(i), w) {
			return false
		}
	}
	return true
}

// eat consumes all words, or none of them.
func (p *parser) eat(words ...string) bool {
	ok := p.words(words...)
	if ok {
		p.at += len(words)
	}
	return ok
}

// eatOne takes one of several words, which is returned in upper case.
func (p *parser) eatOne(words ...string) string {
	for _, w := range words {
		if p.eat(w) {
			return w
		}
	}
	return ""
}

func (p *parser) sign(s string) bool { return isSign(p.cur(), s) }

func (p *parser) eatSign(s string) bool {
	ok := p.sign(s)
	if ok {
		p.at++
	}
	return ok
}

func (p *parser) need(word string) {
	if !p.eat(word) {
		p.unexpected(word)
	}
}

func (p *parser) needSign(s string) {
	if !p.eatSign(s) {
		p.unexpected(fmt.Sprintf("%q", s))
	}
}

// refuse ends the reading, with the place of a byte.
func (p *parser) refuse(at int, kind, message, hint string) {
	if p.err == nil {
		p.err = statement.RefuseAt(p.sql, at, kind, message, hint)
	}
	p.at = len(p.tokens) - 1
}

// unexpected rejects the next token; want is what was expected.
func (p *parser) unexpected(want string) {
	t := p.cur()
	found := fmt.Sprintf("%q", api.Clip(p.sql[t.At:t.End], 80))
	switch {
	case t.Kind == syntax.TokenEnd:
		found = "the end of the statement"
	case isSign(t, "@"):
		p.refuse(t.At, api.KindParameter, "parameters, system variables and hints are not part of a statement", "Write the value in its place.")
		return
	}
	p.refuse(t.At, api.KindSyntaxError, fmt.Sprintf("found %s where %s is expected", found, want),
		"A remote query on "+p.of.title+" is one SELECT in the common part of its SQL. Fetch the rows and query them locally for the rest.")
}

// enter counts a level of nesting.
func (p *parser) enter() bool {
	if p.depth++; p.depth > maxDepth {
		p.refuse(p.cur().At, api.KindTooDeep, "the statement is nested too deeply", "Give the inner parts names with WITH.")
		return false
	}
	return true
}

func (p *parser) leave() { p.depth-- }

// isName reports whether a token can be a name where SQL's own words are allowed, too.
func (p *parser) isName(t syntax.Token) bool {
	return t.Kind == syntax.TokenQuoted || t.Kind == syntax.TokenWord && !p.of.syntax().Reserved[syntax.Lower(t.Text)]
}

// name parses a name.
func (p *parser) name() string {
	if t := p.cur(); !p.isName(t) {
		p.unexpected("a name")
		return ""
	}
	return p.part()
}

// part reads a part of a name: behind a dot all words are names.
func (p *parser) part() string {
	t := p.cur()
	switch {
	case t.Kind != syntax.TokenWord && t.Kind != syntax.TokenQuoted:
		p.unexpected("a name")
		return ""
	case t.Kind == syntax.TokenQuoted && strings.Contains(p.sql[t.At:t.End], `\`) &&
		(p.of.google || p.of.syntax().QuoteIdent(t.Text) != p.sql[t.At:t.End]): // else it is read as it will be printed
		p.refuse(t.At, api.KindSyntaxError, "a name has a backslash", "Write the name as it is, in backticks.")
		return ""
	case t.Kind == syntax.TokenQuoted && strings.ContainsAny(t.Text, ".*:") && p.of.google:
		p.otherTable(t.At)
		return ""
	case t.Kind == syntax.TokenQuoted && p.ahead(1).Kind == syntax.TokenQuoted && p.ahead(1).At == t.End:
		p.refuse(t.At, api.KindSyntaxError, "a name has a quote in it", "Such a name cannot be written here.")
		return ""
	case p.roles != nil && strings.ContainsAny(t.Text, "$\x00"): // Spark replaces ${…}, between quotes, too
		p.refuse(t.At, api.KindSyntaxError, "a name has a dollar sign", "Such a name cannot be written here.")
		return ""
	}
	p.plays(p.at, role{kind: roleName, name: t.Text})
	p.at++
	return t.Text
}

// alias reads AS and a name, or a name alone.
func (p *parser) alias() string {
	if p.eat("AS") || p.isName(p.cur()) {
		return p.name()
	}
	return ""
}

func (p *parser) otherTable(at int) {
	hint := "Name a table by its one word in the catalog, without dots."
	if p.of.google {
		hint += " Write an array of the same FROM after a comma (FROM t, t.list), elsewhere as UNNEST(t.list)."
	}
	p.refuse(at, api.KindOtherTable, "the statement reads a table that it does not name as the catalog does", hint)
}

// listOf parses a comma-separated list.
func (p *parser) listOf(read func()) {
	for read(); p.eatSign(","); {
		read()
	}
}
