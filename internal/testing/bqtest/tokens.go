package bqtest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cloudspannerecosystem/memefish"
	"github.com/cloudspannerecosystem/memefish/token"
)

// prepared is a statement in the form that memefish parses. It was made for
// Spanner and knows no DATETIME literal, no NULLS FIRST, no computed INTERVAL
// and a few others of BigQuery: these are written as calls, or taken out and
// noted by their place in the text.
type prepared struct {
	text string
	// distinct are the places of = and <> that stand for IS [NOT] DISTINCT FROM.
	distinct []int
	// nulls are the places of NULLS FIRST (true) and LAST behind order terms.
	nulls map[int]bool
	// params are the parameters behind the type name that ends there.
	params map[int][2]int
}

// The names of the calls that stand for what memefish does not know.
const (
	callLiteral  = "_LITERAL"  // _LITERAL('DATETIME', '…')
	callInterval = "_INTERVAL" // _INTERVAL(n, 'DAY')
	callAny      = "_ANY"      // x LIKE _ANY(…)
	callAll      = "_ALL"
	weekOf       = "WEEK_" // EXTRACT(WEEK_MONDAY FROM …)
)

// prepare reads a statement's tokens, by memefish's own lexer.
func prepare(sql string) (*prepared, error) {
	tokens, err := tokensOf(sql)
	if err != nil {
		return nil, err
	}
	p := &preparer{tokens: tokens, out: &prepared{nulls: map[int]bool{}, params: map[int][2]int{}}}
	for p.at < len(p.tokens) {
		p.step()
	}
	p.out.text = p.b.String()
	return p.out, nil
}

func tokensOf(sql string) ([]token.Token, error) {
	l := &memefish.Lexer{File: &token.File{Buffer: sql}}
	var out []token.Token
	for {
		if err := l.NextToken(); err != nil {
			return nil, err
		}
		if len(l.Token.Comments) > 0 {
			return nil, fmt.Errorf("a statement of ours has no comments")
		}
		if l.Token.Kind == token.TokenEOF {
			return out, nil
		}
		out = append(out, l.Token)
	}
}

type preparer struct {
	tokens []token.Token
	at     int
	b      strings.Builder
	out    *prepared
}

// word reports whether the token at distance i is that word, not quoted.
func (p *preparer) word(i int, words ...string) bool {
	if p.at+i >= len(p.tokens) {
		return false
	}
	raw := p.tokens[p.at+i].Raw
	for _, w := range words {
		if strings.EqualFold(raw, w) {
			return true
		}
	}
	return false
}

func (p *preparer) kind(i int) token.TokenKind {
	if p.at+i >= len(p.tokens) {
		return token.TokenEOF
	}
	return p.tokens[p.at+i].Kind
}

func (p *preparer) raw(i int) string { return p.tokens[p.at+i].Raw }

func (p *preparer) write(s string) { p.b.WriteString(s + " ") }

// step writes one thing.
func (p *preparer) step() {
	switch {
	case p.word(0, "DATETIME", "TIME", "BIGNUMERIC") && p.kind(1) == token.TokenString:
		p.write(callLiteral + "('" + strings.ToUpper(p.raw(0)) + "', " + p.raw(1) + ")")
		p.at += 2
	case p.word(0, "IS") && p.word(1, "DISTINCT") && p.word(2, "FROM"):
		p.operator("<>", 3)
	case p.word(0, "IS") && p.word(1, "NOT") && p.word(2, "DISTINCT") && p.word(3, "FROM"):
		p.operator("=", 4)
	case p.word(0, "NULLS") && p.word(1, "FIRST", "LAST"):
		p.out.nulls[p.b.Len()] = p.word(1, "FIRST")
		p.at += 2
	case p.word(0, "LIKE") && p.word(1, "ANY", "ALL") && p.word(2, "("):
		p.write("LIKE " + map[bool]string{true: callAny, false: callAll}[p.word(1, "ANY")])
		p.at += 2
	case p.word(0, "EXTRACT") && p.word(1, "(") && p.word(2, "WEEK") && p.word(3, "(") && p.word(5, ")"):
		p.write("EXTRACT(" + weekOf + strings.ToUpper(p.raw(4)))
		p.at += 6
	case p.word(0, "AS") && p.word(1, "NUMERIC", "BIGNUMERIC") && p.word(2, "(") && p.word(4, ",") && p.word(6, ")"):
		precision, _ := strconv.Atoi(p.raw(3))
		scale, _ := strconv.Atoi(p.raw(5))
		p.b.WriteString("AS " + p.raw(1))
		p.out.params[p.b.Len()] = [2]int{precision, scale}
		p.b.WriteByte(' ')
		p.at += 7
	case p.word(0, "INTERVAL") && p.kind(1) != token.TokenString && !p.word(1, ")", ",", ">"): // else it is a type
		p.interval()
	default:
		p.write(p.raw(0))
		p.at++
	}
}

func (p *preparer) operator(op string, tokens int) {
	p.out.distinct = append(p.out.distinct, p.b.Len())
	p.write(op)
	p.at += tokens
}

// interval writes INTERVAL value PART, where the value is a number, a name or
// something in parentheses.
func (p *preparer) interval() {
	p.at++
	p.write(callInterval + "(")
	if p.word(0, "-") {
		p.write("-")
		p.at++
	}
	depth := 0
	for p.at < len(p.tokens) {
		if p.word(0, "(") {
			depth++
		}
		if p.word(0, ")") {
			depth--
		}
		p.step()
		if depth == 0 {
			break
		}
	}
	if p.at < len(p.tokens) {
		p.write(", '" + strings.ToUpper(p.raw(0)) + "')")
		p.at++
	}
}
