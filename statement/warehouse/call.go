package warehouse

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/suggest"
	"github.com/agnes-data/da/internal/words/wordset"
	"github.com/agnes-data/da/predicate/syntax"
	"github.com/agnes-data/da/statement"
)

// listed returns the words of a list of functions, in lower case.
func listed(text *string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		out := map[string]bool{}
		for line := range strings.Lines(*text) {
			if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "[") {
				maps.Copy(out, wordset.New(strings.ToLower(line)).All())
			}
		}
		return out
	})
}

// spaces are the built-in prefixes allowed before a function name (SAFE.x,
// HLL_COUNT.x).
var spaces = wordset.New("SAFE HLL_COUNT KLL_QUANTILES")

// ofUnits are functions whose first argument can be a part of a date, as in
// DATEDIFF(MONTH, a, b).
var ofUnits = wordset.New("datediff date_diff dateadd date_add date_sub timestampadd timestampdiff")

// call reads a call of a function.
func (p *parser) call() {
	at := p.cur().At
	name := p.function()
	if p.err == nil && !p.of.functions()[name] {
		p.unknown(at, name)
	}
	p.needSign("(")
	if !p.of.google && ofUnits.Has(name) && isSign(p.ahead(1), ",") && isUnit(p.cur()) {
		p.at += 2
	}
	p.star = p.star || p.sign("*") && name != "count"
	if p.of.patterned != nil && p.of.patterned.Has(name) {
		p.expr()
		p.needSign(",")
		p.pattern()
		p.expr()
		p.eatSign(",")
	}
	p.arguments()
	p.needSign(")")
	if p.of.parametric.Has(name) && p.eatSign("(") {
		p.arguments()
		p.needSign(")")
	}
	if !p.of.google && p.eat("FILTER") {
		p.needSign("(")
		p.need("WHERE")
		p.expr()
		p.needSign(")")
	}
	if p.eat("OVER") {
		p.window()
	}
}

// function reads the name of a function, in lower case and without SAFE.
func (p *parser) function() string {
	name := strings.ToLower(p.cur().Text)
	p.at++
	if !p.of.google || !p.eatSign(".") {
		return name
	}
	if p.cur().Kind != syntax.TokenWord {
		p.unexpected("the name of a function")
		return ""
	}
	inner := strings.ToLower(p.cur().Text)
	if p.at++; name == "safe" {
		return inner
	}
	return name + "." + inner
}

func (p *parser) unknown(at int, name string) {
	shown := api.Clip(name, 80)
	candidates := slices.Sorted(maps.Keys(p.of.functions()))
	hint, near := "", suggest.Near(name, candidates)
	if len(near) > 0 {
		hint = "Did you mean " + strings.ToUpper(strings.Join(near, ", ")) + "?"
	}
	e := statement.RefuseAt(p.sql, at, api.KindForbiddenFunction, fmt.Sprintf("function %s is not allowed here", strings.ToUpper(shown)), hint)
	e.Details["function"] = shown
	if len(near) > 0 {
		e.Details["suggestions"] = near
	}
	if p.err == nil {
		p.err = e
	}
	p.at = len(p.tokens) - 1
}

// arguments parses the text between the parentheses of a call.
func (p *parser) arguments() {
	if p.eatSign("*") {
		return
	}
	p.eat("DISTINCT")
	if !p.sign(")") {
		p.listOf(p.argument)
	}
	if p.eatOne("IGNORE", "RESPECT") != "" {
		p.need("NULLS")
	}
	if p.eat("HAVING") {
		if p.eatOne("MAX", "MIN") == "" {
			p.unexpected("MAX or MIN")
		}
		p.expr()
	}
	p.orderBy()
	p.limit()
}

// argument reads an argument, with its name or without.
func (p *parser) argument() {
	if p.of.google && p.cur().Kind == syntax.TokenWord && isSign(p.ahead(1), "=>") {
		p.at += 2
	}
	p.expr()
}
