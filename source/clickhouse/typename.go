package clickhouse

import (
	"errors"
	"strings"
)

// maxNesting is how deep a type may be.
const maxNesting = 32

var errType = errors.New("not a type")

// parseType reads a type as the catalog spells it, such as
// Tuple(a Array(UInt8), `b c` Enum8('x' = 1)).
func parseType(text string) (node, error) {
	p := &typeParser{rest: text}
	n, err := p.arg(0)
	if err == nil && p.peek() != 0 {
		err = errType
	}
	return n, err
}

type typeParser struct{ rest string }

// peek is the next character that is no space; 0 at the end.
func (p *typeParser) peek() byte {
	p.rest = strings.TrimLeft(p.rest, " \n\t")
	if p.rest == "" {
		return 0
	}
	return p.rest[0]
}

// word takes a name, a number or a quoted text, which is returned without quotes if
// it is a name.
func (p *typeParser) word() (string, error) {
	q := p.peek()
	if q == '`' || q == '\'' || q == '"' {
		var b strings.Builder
		for i := 1; i < len(p.rest); i++ {
			switch c := p.rest[i]; {
			case c == '\\' && i+1 < len(p.rest):
				i++
				b.WriteByte(p.rest[i])
			case c == q && i+1 < len(p.rest) && p.rest[i+1] == q:
				i++
				b.WriteByte(q)
			case c == q:
				whole := p.rest[:i+1]
				p.rest = p.rest[i+1:]
				if q == '\'' {
					return whole, nil
				}
				return b.String(), nil
			default:
				b.WriteByte(c)
			}
		}
		return "", errType
	}
	end := strings.IndexAny(p.rest, " \n\t(),")
	if end < 0 {
		end = len(p.rest)
	}
	if end == 0 {
		return "", errType
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	return word, nil
}

// arg takes one argument: a type, a name with a type, or constants, which are kept as
// one word.
func (p *typeParser) arg(depth int) (n node, err error) {
	if depth > maxNesting {
		return n, errType
	}
	if n.name, err = p.word(); err != nil {
		return n, err
	}
	switch c := p.peek(); c {
	case 0, ',', ')':
		return n, nil
	case '(':
		n.args, err = p.args(depth)
		return n, err
	case '=': // a value of an enumeration, or a setting
		for c := p.peek(); c != 0 && c != ',' && c != ')'; c = p.peek() {
			var more string
			if more, err = p.word(); err != nil {
				return n, err
			}
			n.name += " " + more
		}
		return n, nil
	}
	label := n.name
	n, err = p.arg(depth + 1)
	n.label = label
	return n, err
}

func (p *typeParser) args(depth int) (list []node, err error) {
	p.rest = p.rest[1:]
	list = []node{}
	for p.peek() != ')' {
		n, err := p.arg(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
		if p.peek() == ',' {
			p.rest = p.rest[1:]
		} else if p.peek() != ')' {
			return nil, errType
		}
	}
	p.rest = p.rest[1:]
	return list, nil
}
