package statement

import (
	_ "embed" // the lists of functions
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/suggest"
)

//go:embed allowed.txt
var allowedText string

//go:embed refused.txt
var refusedText string

// inFrom is the group of allowed.txt whose functions are in FROM.
const inFrom = "in FROM"

// lists has the contents of the two files.
type lists struct {
	inExpr, inFrom map[string]bool
	aggregates     map[string]bool
	reason         map[string]string // why a function is rejected
	near           []string          // names for suggestions
}

// functions reads the files once.
var functions = sync.OnceValue(func() lists {
	l := lists{inExpr: map[string]bool{}, inFrom: map[string]bool{}, aggregates: map[string]bool{}, reason: map[string]string{}}
	eachFunction(allowedText, func(group, name string) {
		if group == inFrom {
			l.inFrom[name] = true
			return
		}
		l.inExpr[name] = true
		l.aggregates[name] = group == "aggregates"
		if isWord(name) && group != "collations" {
			l.near = append(l.near, name)
		}
	})
	eachFunction(refusedText, func(group, name string) { l.reason[name] = group })
	return l
})

// IsAggregate reports whether a function, in any case, computes one value of many rows.
func IsAggregate(function string) bool { return functions().aggregates[lower(function)] }

// eachFunction calls f for each name of a list, in lower case, and its group.
func eachFunction(text string, f func(group, name string)) {
	group := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			group = strings.Trim(line, "[]")
		default:
			for name := range strings.FieldsSeq(line) {
				f(group, lower(name))
			}
		}
	}
}

func isWord(name string) bool { return 'a' <= name[0] && name[0] <= 'z' }

// function checks a call. The engine looks up a function by the last part of its
// name, whether a schema or the first argument precedes it.
func (w *walker) function(written string, from bool) error {
	l := functions()
	name := lower(written)
	if from && l.inFrom[name] {
		return nil // its rows come one by one
	}
	if !from && l.inExpr[name] {
		w.calls = append(w.calls, name)
		return nil
	}
	shown := api.Clip(written, 80)
	var e *api.Error
	switch reason, refused := l.reason[name]; {
	case refused:
		e = RefuseAt(w.sql, w.at, api.KindForbiddenFunction, fmt.Sprintf("function %q is not allowed: it %s", shown, reason),
			"Leave it out, or compute the value in another way.")
	case from && l.inExpr[name]:
		e = RefuseAt(w.sql, w.at, api.KindForbiddenFunction, fmt.Sprintf("function %q is not allowed in FROM", shown), "Use it in SELECT or WHERE.")
	case !from && l.inFrom[name]:
		e = RefuseAt(w.sql, w.at, api.KindForbiddenFunction, fmt.Sprintf("function %q is only allowed in FROM", shown),
			"Read its rows there, as in SELECT * FROM "+shown+"(…).")
	case name == backtick:
		e = RefuseAt(w.sql, w.at, api.KindUnknownFunction, "names in backticks are not understood", "")
	case strings.Trim(name, "+-*/<>=~!@#%^&|`?") != name:
		return w.operator(name)
	default:
		e = RefuseAt(w.sql, w.at, api.KindUnknownFunction, fmt.Sprintf("there is no function %q", shown),
			"The functions are those of DuckDB, whose documentation lists them.")
	}
	e.Details["function"] = shown
	if hint := functionsElsewhere[name]; hint != "" {
		e.Hint = hint
	} else if near := l.suggest(name, from); len(near) > 0 {
		e.Details["suggestions"] = near
		e.Hint = "Did you mean " + strings.Join(near, ", ") + "?"
	}
	return e
}

// operator refuses an operator. The parser adds a word to the name of one that has nothing
// behind it.
func (w *walker) operator(name string) *api.Error {
	op, last := strings.CutSuffix(name, "__postfix")
	at := w.at
	if at < 0 && strings.Count(w.sql, op) == 1 {
		at = strings.Index(w.sql, op)
	}
	e := RefuseAt(w.sql, at, api.KindUnknownFunction, fmt.Sprintf("there is no operator %q", api.Clip(op, 80)),
		"The operators are those of DuckDB, whose documentation lists them.")
	if last && functions().inExpr[op] {
		e = RefuseAt(w.sql, at, api.KindUnknownFunction, fmt.Sprintf("a value is missing behind %q", op), "Write the value, or leave the operator out.")
	}
	e.Details["function"] = api.Clip(op, 80)
	return e
}

// suggest returns allowed functions that may have been meant.
func (l lists) suggest(name string, from bool) []string {
	candidates := l.near
	if from {
		candidates = nil
		for f := range l.inFrom {
			candidates = append(candidates, f)
		}
		slices.Sort(candidates)
	}
	near := suggest.Near(name, candidates)
	return slices.DeleteFunc(near, func(n string) bool { return n == name })
}
