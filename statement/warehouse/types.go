package warehouse

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/wordset"
	"github.com/agnes-data/da/predicate/syntax"
)

// googleTypes are those of values.
var googleTypes = wordset.New(`INT64 INT SMALLINT INTEGER BIGINT TINYINT BYTEINT FLOAT64 NUMERIC DECIMAL BIGNUMERIC BIGDECIMAL BOOL BOOLEAN
	STRING BYTES DATE TIME DATETIME TIMESTAMP INTERVAL JSON GEOGRAPHY`)

// typeName reads a type.
func (p *parser) typeName() {
	defer p.leave()
	if !p.enter() {
		return
	}
	t := p.cur()
	word := strings.ToUpper(t.Text)
	switch {
	case t.Kind != syntax.TokenWord:
		p.unexpected("a type")
	case (word == "ARRAY" || word == "RANGE") && p.of.google:
		p.at++
		p.needSign("<")
		p.typeName()
		p.closeAngle()
	case word == "STRUCT" && p.of.google:
		p.at++
		p.needSign("<")
		p.listOf(func() {
			if next := p.ahead(1); next.Kind == syntax.TokenWord { // otherwise it has only a type
				p.part()
			} else if p.cur().Kind == syntax.TokenQuoted {
				p.part()
			}
			p.typeName()
		})
		p.closeAngle()
	case p.of.types.Has(word):
		p.at++
		p.typeParameters()
		_ = !p.of.google && p.eat("WITH", "TIME", "ZONE")
	default:
		p.refuse(t.At, api.KindUnsupported, fmt.Sprintf("%q is not a type that values can be cast to here", api.Clip(t.Text, 80)), "")
	}
}

// typeParameters reads (p, s).
func (p *parser) typeParameters() {
	if !p.eatSign("(") {
		return
	}
	p.listOf(func() {
		kind := p.cur().Kind
		if kind == syntax.TokenWord && !p.of.google {
			p.typeName()
			return
		}
		if kind != syntax.TokenNumber && (kind != syntax.TokenString || p.of.google) {
			p.unexpected("a number")
		}
		p.at = min(p.at+1, len(p.tokens)-1)
	})
	p.needSign(")")
}

// closeAngle takes one >, also of >>.
func (p *parser) closeAngle() {
	if t := &p.tokens[p.at]; isSign(*t, ">>") {
		t.Text, t.At = ">", t.At+1
		return
	}
	p.needSign(">")
}
