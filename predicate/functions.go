package predicate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// Function is a function that predicates of a dialect can call.
type Function struct {
	Name string `json:"name"`
	// Signatures are the arguments and the result of each form: ? is optional,
	// ... can be repeated, ! must be a constant.
	Signatures []string `json:"signatures"`
}

// callable matches the names of functions; all other names in the catalogue are
// operators.
var callable = lazyregexp.New(`^[a-z_][a-z0-9_]*$`)

// formsOfLanguage are names in the catalogue that are not written as calls.
var formsOfLanguage = map[string]bool{"interval_of": true}

// Functions lists a dialect's functions from the catalogue, by name, and those
// that return the time or parts of a date.
func Functions(d Dialect) []Function {
	t, byName := d.Traits(), operations().byName[d]
	list := make([]Function, 0, len(byName))
	for name, ops := range byName {
		if !callable().MatchString(name) || formsOfLanguage[name] {
			continue
		}
		f := Function{Name: name}
		for _, op := range ops {
			if s := name + op.signature(d); !slices.Contains(f.Signatures, s) {
				f.Signatures = append(f.Signatures, s)
			}
		}
		list = append(list, f)
	}
	for name, which := range t.clocks {
		list = append(list, Function{Name: name, Signatures: []string{name + " -> " + clockResults[which]}})
	}
	for name, part := range t.partFunctions {
		if byName[name] == nil {
			list = append(list, Function{Name: name, Signatures: []string{fmt.Sprintf("%s(date or time) -> int, the part %s", name, part)}})
		}
	}
	slices.SortFunc(list, func(a, b Function) int { return strings.Compare(a.Name, b.Name) })
	return list
}

var clockResults = map[ClockKind]string{ClockDate: "date", ClockTimestamp: "timestamp", ClockDateTime: "datetime", ClockTime: "time"}

// signature writes the arguments in the order of the dialect.
func (op *Operation) signature(d Dialect) string {
	var args []string
	written := func(a argSpec) string {
		text := a.class
		if a.literal {
			text += "!"
		}
		if a.optional {
			text += "?"
		}
		if a.variadic {
			text += "..."
		}
		return text
	}
	if order := op.cells[d].order; order != nil {
		for _, i := range order {
			switch {
			case i < 0:
				args = append(args, "part")
			case i < len(op.args):
				args = append(args, written(op.args[i]))
			}
		}
	} else {
		for _, a := range op.args {
			args = append(args, written(a))
		}
	}
	ret := op.ret
	if n, same := strings.CutPrefix(ret, "$"); same {
		ret = "as argument " + n
	}
	return "(" + strings.Join(args, ", ") + ") -> " + ret
}
