package predicate

import (
	"math/big"
	"strings"
)

// The guards of the catalogue: conditions on literal arguments under which
// engines agree.

// divisorNotZero: depending on the engine, division by zero is NULL, infinity or
// an error.
var divisorNotZero = guard{"divisor written out, not 0", func(args []Expr) bool {
	l := literalArg(args, 1)
	if l == nil {
		return false
	}
	switch v := l.Value.(type) {
	case int64:
		return v != 0
	case float64:
		return v != 0 && v == v
	case *big.Rat:
		return v.Sign() != 0
	}
	return false
}}

// fromOne: positions before the first character are counted in different ways.
var fromOne = guard{"positions written out, from 1", func(args []Expr) bool {
	start, ok := intArg(args, 1)
	if !ok || start < 1 || start > 1<<30 {
		return false
	}
	if len(args) < 3 {
		return true
	}
	length, ok := intArg(args, 2)
	return ok && length >= 0 && length < 1<<30
}}

// countNotNegative: a negative count means "all but" in some engines.
var countNotNegative = guard{"count written out, not negative", func(args []Expr) bool {
	n, ok := intArg(args, 1)
	return ok && n >= 0 && n < 1<<30
}}

// needleNotEmpty: engines find an empty text at different positions.
var needleNotEmpty = guard{"searched text written out, not empty", func(args []Expr) bool { return textArg(args, 1) != "" }}

func textArg(args []Expr, i int) string {
	if l := literalArg(args, i); l != nil {
		s, _ := l.Value.(string)
		return s
	}
	return ""
}

// maxRepeated is the maximum length of a text that a template repeats.
const maxRepeated = 200

// Repeatable allows a template to repeat its arguments: the printed text may only be
// a small multiple of the written one.
func Repeatable(args []Expr) bool {
	for _, a := range args {
		switch a := a.(type) {
		case *Column:
		case *Literal:
			if s, ok := a.Value.(string); ok && len(s) > maxRepeated {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// needleIsLiteral allows a pattern to be made of the second argument.
var needleIsLiteral = guard{"searched text written out", func(args []Expr) bool {
	l := literalArg(args, 1)
	return l != nil && l.Value != nil
}}

// noMonths: engines can only add days and times to instants, because a month has
// no fixed length.
var noMonths = guard{"interval written out, without months", func(args []Expr) bool {
	l := literalArg(args, 1)
	if l == nil {
		return false
	}
	iv, ok := l.Value.(Interval)
	return ok && iv.Months == 0
}}

// onlyMonths: days and hours are added before the months in one engine and
// after them in another.
var onlyMonths = guard{"interval written out, of months only", func(args []Expr) bool {
	l := literalArg(args, 1)
	if l == nil {
		return false
	}
	iv, ok := l.Value.(Interval)
	return ok && iv.Days == 0 && iv.Micros == 0
}}

// daysPlain: the same function returns a 32-bit number in one engine and a 64-bit
// number in another, and only the first can be added to a date.
var daysPlain = guard{"number of days a column or written out", func(args []Expr) bool { return Repeatable(args[1:]) }}

// yearFromOne: years before the first are counted in different ways.
var yearFromOne = guard{"year written out, from 1", func(args []Expr) bool {
	y, ok := intArg(args, 0)
	return ok && y >= 1
}}

// plainPattern: both builds of RE2 interpret the pattern in the same way.
var plainPattern = guard{"pattern written out", func(args []Expr) bool {
	p := textArg(args, 1)
	return p != "" && !strings.Contains(p, `\C`)
}}

// splitFromOne: fields are counted from one, by a separator that is not empty.
var splitFromOne = guard{"separator and number written out, number from 1", func(args []Expr) bool {
	n, ok := intArg(args, 2)
	return ok && n >= 1 && textArg(args, 1) != ""
}}
