package predicate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Function is what a predicate of one dialect may call.
type Function struct {
	Name string `json:"name"`
	// Signatures are the arguments and the result of each form: ? may be left
	// out, ... may be repeated, ! is a constant written out.
	Signatures []string `json:"signatures"`
}

// callable is what a call of a function begins with; the other names of the
// catalogue are operators.
var callable = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// formsOfLanguage are names of the catalogue that nobody writes as a call.
var formsOfLanguage = map[string]bool{"interval_of": true}

// Functions lists the functions of the catalogue that a dialect has, by name,
// with those that return the time or parts of a date.
func Functions(d Dialect) []Function {
	t, byName := d.traits(), operations().byName[d]
	list := make([]Function, 0, len(byName))
	for name, ops := range byName {
		if !callable.MatchString(name) || formsOfLanguage[name] {
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

// signature writes the arguments in the order in which a dialect takes them.
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
