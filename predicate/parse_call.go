package predicate

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
)

// call reads a function or one of the forms that only look like one.
func (p *parser) call(w string) (*node, error) {
	t := p.cur()
	if err := p.forbiddenCall(w); err != nil {
		return nil, err
	}
	p.at += 2
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	var n *node
	var err error
	switch {
	case w == "cast", w == p.d.safeCast:
		n, err = p.cast(t.at, w != "cast")
	case w == "extract":
		n, err = p.extract(t.at)
	case w == "position" && p.d.keywordArguments:
		n, err = p.position(t.at)
	case w == "trim" && p.d.keywordArguments:
		n, err = p.trim(t.at)
	case (w == "substring" || w == "substr") && p.d.keywordArguments:
		n, err = p.substring(t.at)
	default:
		n, err = p.arguments(t.at, w)
	}
	if err != nil {
		if hint := instead(p.d, w); hint != "" && len(operations().byName[p.d.name][w]) == 0 && w != "cast" {
			return nil, notAllowed(t.at, w, hint) // whatever its arguments are
		}
		return nil, err
	}
	n.end = p.prevEnd()
	return n, p.noWindow(w)
}

// forbiddenCall rejects calls with an error kind of their own, before parsing the
// arguments.
func (p *parser) forbiddenCall(w string) error {
	t := p.cur()
	name := strings.ToUpper(clip(w))
	switch {
	case externalFunctions.Has(w):
		return &fault{kind: api.KindExternalQuery, at: t.at, function: name, found: name,
			msg: fmt.Sprintf("%s reads other data, which a predicate can't", name)}
	case windowFunctions.Has(w):
		return &fault{kind: api.KindWindow, at: t.at, function: name, found: name,
			msg: fmt.Sprintf("%s is a window function, which a predicate can't use", name), hint: "Fetch the rows first.",
			next: []api.Step{api.Do(api.ActionQuery, "rank them here")}}
	case aggregateFunctions.Has(w):
		return &fault{kind: api.KindAggregate, at: t.at, function: name, found: name,
			msg: fmt.Sprintf("%s is computed over many rows; a predicate looks at one row at a time", name), hint: "Fetch the rows first, or aggregate at the source.",
			next: []api.Step{api.Do(api.ActionQuery, "aggregate a snapshot"), api.Do(api.ActionQueryRemote, "aggregate at the source")}}
	case w == "row":
		return rowsOfValues(api.KindUnknownFunction, *t)
	case w == "columns" && p.d.columnsStar:
		return wildcard(t.at)
	case p.d.reserved[w] && !callableReserved.Has(w) && (operatorWords.Has(w) || trailingWords.Has(w)):
		return p.reserved(*t)
	case isClock(p.d, w) && p.d.reserved[w] && !callableReserved.Has(w):
		return &fault{kind: api.KindWrongArity, at: t.at, function: name, found: name + "(", expected: name,
			msg: name + " is written without parentheses", hint: fmt.Sprintf("Write %s.", name)}
	case p.d.reserved[w] && !callableReserved.Has(w):
		return &fault{kind: api.KindUnknownFunction, at: t.at, function: name, found: name, msg: name + " can't be used in a predicate", hint: instead(p.d, asciiLower(t.text))}
	}
	return nil
}

// noWindow rejects clauses that make a call a window function or an aggregate.
func (p *parser) noWindow(w string) error {
	t := p.cur()
	next := p.ahead(1)
	if t.word("over") || t.word("filter") && next.op("(") || t.word("within") && next.word("group") {
		return &fault{kind: api.KindWindow, at: t.at, found: strings.ToUpper(t.text), function: strings.ToUpper(clip(w)),
			msg: "window functions and their clauses can't be used in a predicate"}
	}
	return nil
}

func (p *parser) arguments(at int, w string) (*node, error) {
	n := p.newNode(nCall, at, w)
	if p.eatOp(")") {
		return n, nil
	}
	for {
		arg, err := p.or()
		if err != nil {
			return nil, err
		}
		n.args = append(n.args, arg)
		if p.isOp("=>") || p.isOp(":=") {
			return nil, &fault{kind: api.KindSyntaxError, at: p.cur().at, found: p.cur().text, msg: "arguments are given by position, not by name"}
		}
		if p.eatOp(",") {
			continue
		}
		return n, p.needOp(")")
	}
}

// cast reads x AS type).
func (p *parser) cast(at int, safe bool) (*node, error) {
	x, err := p.expr()
	if err != nil {
		return nil, err
	}
	if err := p.needWord("as"); err != nil {
		return nil, err
	}
	target, err := p.typeRef()
	if err != nil {
		return nil, err
	}
	if p.isWord("format") {
		return nil, &fault{kind: api.KindBadCast, at: p.cur().at, found: "FORMAT", msg: "CAST with FORMAT is not allowed",
			hint: "Use FORMAT_DATE, FORMAT_TIMESTAMP, PARSE_DATE or PARSE_TIMESTAMP."}
	}
	if err := p.needOp(")"); err != nil {
		return nil, err
	}
	n := p.newNode(nCast, at, "", x)
	n.target, n.flag = target, safe
	return n, nil
}

// typeRef reads the target of a cast.
func (p *parser) typeRef() (*typeRef, error) {
	t := p.cur()
	if t.kind != tokWord {
		return nil, badCast(p.unexpected("the name of a type"))
	}
	ref := &typeRef{at: t.at}
	words := []string{asciiLower(t.text)}
	p.at++
	if words[0] == "double" && p.isWord("precision") || words[0] == "character" && p.isWord("varying") {
		words = append(words, asciiLower(p.cur().text))
		p.at++
	}
	if p.eatOp("(") {
		for {
			n, err := strconv.Atoi(p.cur().text)
			if p.cur().kind != tokNumber || err != nil || n < 0 || n > 1<<20 {
				return nil, p.unexpected("a whole number")
			}
			ref.params = append(ref.params, n)
			p.at++
			if p.eatOp(",") && len(ref.params) < 2 {
				continue
			}
			if err := p.needOp(")"); err != nil {
				return nil, err
			}
			break
		}
	}
	if p.d.zonedTypes && (words[0] == "timestamp" || words[0] == "time") {
		for _, with := range []string{"with", "without"} {
			if p.eatWords(with, "time", "zone") {
				words = append(words, with, "time", "zone")
			}
		}
	}
	ref.name = strings.Join(words, " ")
	if p.d.listSuffix && p.isOp("[") {
		ref.list = true
		p.at++
		return ref, p.needOp("]")
	}
	if p.d.angleTypes && p.isOp("<") {
		return nil, &fault{kind: api.KindBadCast, at: t.at, found: t.text, expected: "a simple type", msg: "nothing can be cast to lists or structs here"}
	}
	return ref, nil
}

// badCast changes a syntax error in a type to the kind that explains it.
func badCast(err error) error {
	var f *fault
	if errors.As(err, &f) && f.kind == api.KindSyntaxError {
		f.kind = api.KindBadCast
	}
	return err
}

// extract reads part FROM x [AT TIME ZONE zone]); the part becomes a string.
func (p *parser) extract(at int) (*node, error) {
	t := p.cur()
	if t.kind != tokWord && !(t.kind == tokString && p.d.partsAsText) {
		return nil, p.unexpected("a part such as YEAR")
	}
	p.at++
	part := p.newNode(nName, t.at, t.text)
	part.names = []token{*t}
	if t.kind == tokString {
		part = p.newNode(nString, t.at, t.text)
	}
	if p.eatOp("(") {
		inner, err := p.arguments(t.at, asciiLower(t.text))
		if err != nil {
			return nil, err
		}
		inner.end = p.prevEnd()
		part = inner
	}
	if err := p.needWord("from"); err != nil {
		return nil, err
	}
	x, err := p.expr()
	if err != nil {
		return nil, err
	}
	args := []*node{part, x}
	if !p.d.atTimeZone && p.eatWords("at", "time", "zone") {
		zone, err := p.expr()
		if err != nil {
			return nil, err
		}
		args = append(args, zone)
	}
	if err := p.needOp(")"); err != nil {
		return nil, err
	}
	return p.newNode(nCall, at, "extract", args...), nil
}

// position reads a IN b).
func (p *parser) position(at int) (*node, error) {
	needle, err := p.concat()
	if err != nil {
		return nil, err
	}
	if err := p.needWord("in"); err != nil {
		return nil, err
	}
	hay, err := p.concat()
	if err != nil {
		return nil, err
	}
	return p.newNode(nCall, at, "strpos", hay, needle), p.needOp(")")
}

// trim reads [LEADING|TRAILING|BOTH] [characters] FROM x), or plain arguments.
func (p *parser) trim(at int) (*node, error) {
	name, spelt := "trim", true
	switch {
	case p.eatWord("leading"):
		name = "ltrim"
	case p.eatWord("trailing"):
		name = "rtrim"
	case p.eatWord("both"):
	default:
		spelt = false
	}
	if !spelt {
		return p.arguments(at, name)
	}
	var args []*node
	if !p.isWord("from") {
		chars, err := p.expr()
		if err != nil {
			return nil, err
		}
		args = append(args, chars)
	}
	if err := p.needWord("from"); err != nil {
		return nil, err
	}
	x, err := p.expr()
	if err != nil {
		return nil, err
	}
	return p.newNode(nCall, at, name, append([]*node{x}, args...)...), p.needOp(")")
}

// substring reads x FROM a [FOR b]), or plain arguments.
func (p *parser) substring(at int) (*node, error) {
	x, err := p.expr()
	if err != nil {
		return nil, err
	}
	args := []*node{x}
	words := []string{"from", "for"}
	if !p.isWord("from") {
		words = nil
	}
	for _, w := range words {
		if !p.eatWord(w) {
			break
		}
		y, err := p.expr()
		if err != nil {
			return nil, err
		}
		args = append(args, y)
	}
	for words == nil && p.eatOp(",") {
		y, err := p.expr()
		if err != nil {
			return nil, err
		}
		args = append(args, y)
	}
	return p.newNode(nCall, at, "substr", args...), p.needOp(")")
}
