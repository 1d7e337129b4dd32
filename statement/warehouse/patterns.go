package warehouse

import (
	"fmt"
	"regexp/syntax"
	"strings"

	"github.com/agnes-data/da/api"
	tokens "github.com/agnes-data/da/predicate/syntax"
)

// The regular expressions of Java try every way to match: one repetition inside of another
// takes the time of all ways to share out a text, and nothing stops that.
const maxRepeats = 4

// pattern refuses a regular expression that can take time without end. It comes next.
func (p *parser) pattern() {
	t := p.cur()
	if t.Kind != tokens.TokenString || !isSign(p.ahead(1), ",") && !isSign(p.ahead(1), ")") {
		p.refuse(t.At, api.KindUnsupported, "a regular expression that is computed is not run for others", "Write it out as a text.")
		return
	}
	re, err := syntax.Parse(t.Text, syntax.Perl)
	if err != nil {
		p.refuse(t.At, api.KindUnsupported, "the regular expression is not one of the common kind: "+err.Error(), "Write it without looking ahead or back.")
		return
	}
	if n, inside := repeats(re, false); inside || n > maxRepeats {
		p.refuse(t.At, api.KindUnsupported, fmt.Sprintf("the regular expression repeats more than %d parts, or has a choice or a repetition in what it repeats", maxRepeats),
			"Such an expression can take time without end. Fetch the rows and match them locally.")
	}
}

// likes refuses patterns of LIKE that can take time without end: Spark makes regular
// expressions of them. They come next, one or a list in parentheses.
func (p *parser) likes() {
	list := isSign(p.cur(), "(")
	for i := 0; ; i++ {
		t, next := p.ahead(i), p.ahead(i+1)
		switch {
		case list && (isSign(t, "(") || isSign(t, ",")):
			continue
		case t.Kind != tokens.TokenString || next.Kind == tokens.TokenString || isSign(next, "||") || isSign(next, "+"):
			p.refuse(t.At, api.KindUnsupported, "a pattern of LIKE that is computed is not run for others",
				"Write it out as a text, or take startswith(), contains() or endswith().")
		case strings.Count(t.Text, "%") > maxRepeats:
			p.refuse(t.At, api.KindUnsupported, fmt.Sprintf("the pattern of LIKE has more than %d signs of '%%'", maxRepeats),
				"Such a pattern can take time without end. Write several conditions, or fetch the rows and match them locally.")
		case list && isSign(next, ","):
			continue
		}
		return
	}
}

// repeats counts what a regular expression repeats, and reports whether it repeats what it
// can match in several ways.
func repeats(re *syntax.Regexp, in bool) (n int, inside bool) {
	many, times := false, 1
	switch re.Op {
	case syntax.OpRepeat:
		if times = re.Min; re.Min == re.Max {
			break
		}
		fallthrough
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest:
		n, inside, many = 1, in, re.Op != syntax.OpQuest
	case syntax.OpAlternate:
		inside = in
	}
	for _, sub := range re.Sub {
		more, deeper := repeats(sub, in || many)
		n, inside = n+more*times, inside || deeper
	}
	return n, inside
}
