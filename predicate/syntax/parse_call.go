package syntax

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
)

// call reads a function or one of the forms that only look like one.
func (p *parser) call(w string) (*Node, error) {
	t := p.cur()
	if err := p.forbiddenCall(w); err != nil {
		return nil, err
	}
	p.at += 2
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	var n *Node
	var err error
	switch {
	case w == "cast", w == p.d.SafeCast:
		n, err = p.cast(t.At, w != "cast")
	case w == "extract":
		n, err = p.extract(t.At)
	case w == "position" && p.d.keywordArguments:
		n, err = p.position(t.At)
	case w == "trim" && p.d.keywordArguments:
		n, err = p.trim(t.At)
	case (w == "substring" || w == "substr") && p.d.keywordArguments:
		n, err = p.substring(t.At)
	default:
		n, err = p.arguments(t.At, w)
	}
	if err != nil {
		if hint := p.instead(w); hint != "" && w != "cast" {
			return nil, NotAllowed(t.At, w, hint) // whatever its arguments are
		}
		return nil, err
	}
	n.End = p.prevEnd()
	return n, p.noWindow(w)
}

// forbiddenCall rejects calls with an error kind of their own, before parsing the
// arguments.
func (p *parser) forbiddenCall(w string) error {
	t := p.cur()
	name := strings.ToUpper(Clip(w))
	switch {
	case externalFunctions.Has(w):
		return &Fault{Kind: api.KindExternalQuery, At: t.At, Function: name, Found: name,
			Msg: fmt.Sprintf("%s reads other data, which a predicate can't", name)}
	case windowFunctions.Has(w):
		return &Fault{Kind: api.KindWindow, At: t.At, Function: name, Found: name,
			Msg: fmt.Sprintf("%s is a window function, which a predicate can't use", name), Hint: "Fetch the rows first.",
			Next: []api.Step{api.Do(api.ActionQuery, "rank them here")}}
	case aggregateFunctions.Has(w):
		return &Fault{Kind: api.KindAggregate, At: t.At, Function: name, Found: name,
			Msg:  fmt.Sprintf("%s is computed over many rows; a predicate looks at one row at a time", name),
			Hint: "Fetch the rows first, or aggregate at the source.",
			Next: []api.Step{api.Do(api.ActionQuery, "aggregate a snapshot"), api.Do(api.ActionQueryRemote, "aggregate at the source")}}
	case w == "row":
		return rowsOfValues(api.KindUnknownFunction, *t)
	case w == "columns" && p.d.columnsStar:
		return wildcard(t.At)
	case p.d.Reserved[w] && !callableReserved.Has(w) && (operatorWords.Has(w) || trailingWords.Has(w)):
		return p.reserved(*t)
	case p.d.ClockWords[w] && p.instead(w) == "" && p.d.Reserved[w] && !callableReserved.Has(w):
		return &Fault{Kind: api.KindWrongArity, At: t.At, Function: name, Found: name + "(", Expected: name,
			Msg: name + " is written without parentheses", Hint: fmt.Sprintf("Write %s.", name)}
	case p.d.Reserved[w] && !callableReserved.Has(w):
		return &Fault{Kind: api.KindUnknownFunction, At: t.At, Function: name, Found: name, Msg: name + " can't be used in a predicate",
			Hint: p.instead(Lower(t.Text))}
	}
	return nil
}

// noWindow rejects clauses that make a call a window function or an aggregate.
func (p *parser) noWindow(w string) error {
	t := p.cur()
	next := p.ahead(1)
	if t.word("over") || t.word("filter") && next.op("(") || t.word("within") && next.word("group") {
		return &Fault{Kind: api.KindWindow, At: t.At, Found: strings.ToUpper(t.Text), Function: strings.ToUpper(Clip(w)),
			Msg: "window functions and their clauses can't be used in a predicate"}
	}
	return nil
}

func (p *parser) arguments(at int, w string) (*Node, error) {
	n := p.newNode(Call, at, w)
	if p.eatOp(")") {
		return n, nil
	}
	for {
		arg, err := p.or()
		if err != nil {
			return nil, err
		}
		n.Args = append(n.Args, arg)
		if p.isOp("=>") || p.isOp(":=") {
			return nil, &Fault{Kind: api.KindSyntaxError, At: p.cur().At, Found: p.cur().Text, Msg: "arguments are given by position, not by name"}
		}
		if p.eatOp(",") {
			continue
		}
		return n, p.needOp(")")
	}
}

// cast reads x AS type).
func (p *parser) cast(at int, safe bool) (*Node, error) {
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
		return nil, &Fault{Kind: api.KindBadCast, At: p.cur().At, Found: "FORMAT", Msg: "CAST with FORMAT is not allowed",
			Hint: "Use FORMAT_DATE, FORMAT_TIMESTAMP, PARSE_DATE or PARSE_TIMESTAMP."}
	}
	if err := p.needOp(")"); err != nil {
		return nil, err
	}
	n := p.newNode(Cast, at, "", x)
	n.Target, n.Flag = target, safe
	return n, nil
}

// typeRef reads the target of a cast.
func (p *parser) typeRef() (*TypeRef, error) {
	t := p.cur()
	if t.Kind != TokenWord {
		return nil, badCast(p.unexpected("the name of a type"))
	}
	ref := &TypeRef{At: t.At}
	words := []string{Lower(t.Text)}
	p.at++
	if words[0] == "double" && p.isWord("precision") || words[0] == "character" && p.isWord("varying") {
		words = append(words, Lower(p.cur().Text))
		p.at++
	}
	if p.eatOp("(") {
		for {
			n, err := strconv.Atoi(p.cur().Text)
			if p.cur().Kind != TokenNumber || err != nil || n < 0 || n > 1<<20 {
				return nil, p.unexpected("a whole number")
			}
			ref.Params = append(ref.Params, n)
			p.at++
			if p.eatOp(",") && len(ref.Params) < 2 {
				continue
			}
			if err := p.needOp(")"); err != nil {
				return nil, err
			}
			break
		}
	}
	if p.d.ZonedTypes && (words[0] == "timestamp" || words[0] == "time") {
		for _, with := range []string{"with", "without"} {
			if p.eatWords(with, "time", "zone") {
				words = append(words, with, "time", "zone")
			}
		}
	}
	ref.Name = strings.Join(words, " ")
	if p.d.listSuffix && p.isOp("[") {
		ref.List = true
		p.at++
		return ref, p.needOp("]")
	}
	if p.d.AngleTypes && p.isOp("<") {
		return nil, &Fault{Kind: api.KindBadCast, At: t.At, Found: t.Text, Expected: "a simple type",
			Msg: "nothing can be cast to lists or structs here"}
	}
	return ref, nil
}

// badCast changes a syntax error in a type to the kind that explains it.
func badCast(err error) error {
	var f *Fault
	if errors.As(err, &f) && f.Kind == api.KindSyntaxError {
		f.Kind = api.KindBadCast
	}
	return err
}

// extract reads part FROM x [AT TIME ZONE zone]); the part becomes a string.
func (p *parser) extract(at int) (*Node, error) {
	t := p.cur()
	if t.Kind != TokenWord && !(t.Kind == TokenString && p.d.PartsAsText) {
		return nil, p.unexpected("a part such as YEAR")
	}
	p.at++
	part := p.newNode(Name, t.At, t.Text)
	part.Names = []Token{*t}
	if t.Kind == TokenString {
		part = p.newNode(String, t.At, t.Text)
	}
	if p.eatOp("(") {
		inner, err := p.arguments(t.At, Lower(t.Text))
		if err != nil {
			return nil, err
		}
		inner.End = p.prevEnd()
		part = inner
	}
	if err := p.needWord("from"); err != nil {
		return nil, err
	}
	x, err := p.expr()
	if err != nil {
		return nil, err
	}
	args := []*Node{part, x}
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
	return p.newNode(Call, at, "extract", args...), nil
}

// position reads a IN b).
func (p *parser) position(at int) (*Node, error) {
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
	return p.newNode(Call, at, "strpos", hay, needle), p.needOp(")")
}

// trim reads [LEADING|TRAILING|BOTH] [characters] FROM x), or plain arguments.
func (p *parser) trim(at int) (*Node, error) {
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
	var args []*Node
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
	return p.newNode(Call, at, name, append([]*Node{x}, args...)...), p.needOp(")")
}

// substring reads x FROM a [FOR b]), or plain arguments.
func (p *parser) substring(at int) (*Node, error) {
	x, err := p.expr()
	if err != nil {
		return nil, err
	}
	args := []*Node{x}
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
	return p.newNode(Call, at, "substr", args...), p.needOp(")")
}

// NotAllowed is the fault for a function that the dialect has not.
func NotAllowed(at int, name, hint string) *Fault {
	upper := strings.ToUpper(Clip(name))
	return &Fault{Kind: api.KindUnknownFunction, At: at, Found: upper, Function: upper, Expected: "a function listed in docs/predicates.md",
		Msg: fmt.Sprintf("the function %s is not allowed in a predicate", upper), Hint: hint}
}
