package spark

import (
	"strconv"
	"strings"

	"github.com/agnes-data/da/predicate"
)

// call makes the calls of an operation's template, as in +($1, negative($2)).
func (m *maker) call(e *predicate.Call) []byte {
	template, lacks := e.Template(predicate.Spark.Traits())
	if lacks != "" {
		return m.fail(e)
	}
	t := unread{m: m, call: e, rest: template}
	made := t.next()
	if t.rest != "" || len(made) != 1 {
		return m.fail(e)
	}
	return made[0]
}

// unread is what of a template is not read yet.
type unread struct {
	m    *maker
	call *predicate.Call
	rest string
}

// next reads an argument: a placeholder, a text, a whole number or a call. Only $* is
// several.
func (t *unread) next() [][]byte {
	t.rest = strings.TrimLeft(t.rest, " ")
	switch {
	case strings.HasPrefix(t.rest, "$*"):
		t.rest = t.rest[2:]
		var all [][]byte
		for _, a := range t.call.Args {
			all = append(all, t.m.of(a))
		}
		return all
	case strings.HasPrefix(t.rest, "$"):
		i := int(t.rest[1] - '1')
		t.rest = t.rest[2:]
		if i >= len(t.call.Args) {
			return [][]byte{t.m.fail(t.call)}
		}
		return [][]byte{t.m.of(t.call.Args[i])}
	case strings.HasPrefix(t.rest, "'"):
		return [][]byte{literalText(t.quoted())}
	}
	end := strings.IndexAny(t.rest, "(,)")
	if n, err := strconv.Atoi(t.rest[:max(end, 0)]); err == nil {
		t.rest = t.rest[end:]
		return [][]byte{literal(number(6, n))}
	}
	name, rest, _ := strings.Cut(t.rest, "(")
	t.rest = rest
	var args [][]byte
	for !strings.HasPrefix(t.rest, ")") {
		if t.rest == "" {
			return [][]byte{t.m.fail(t.call)}
		}
		if name == "cast" && len(args) == 1 {
			args[0] = cast(args[0], t.quoted())
		} else {
			args = append(args, t.next()...)
		}
		t.rest = strings.TrimLeft(t.rest, ", ")
	}
	t.rest = t.rest[1:]
	if name == "cast" {
		return args
	}
	return [][]byte{function(name, args...)}
}

// quoted reads a text; '$p' is the date part.
func (t *unread) quoted() string {
	s, rest, _ := strings.Cut(strings.TrimLeft(t.rest, " '"), "'")
	t.rest = rest
	if s == "$p" {
		return predicate.SpellPart(predicate.Spark.Traits(), t.call.Part)
	}
	return s
}
