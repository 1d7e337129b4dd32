package print

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/syntax"
)

// sparkPlan is what a plan of Spark can hold, which source/spark makes from the tree. Its
// text is what warehouses of Databricks are asked with.
var sparkPlan = &dialect{
	lacks: sparkLacks, element: sparkElement, pattern: backslashPattern, template: sparkCalls.Replace, text: syntax.WriteSparkText,
	bytes: func(b *strings.Builder, v []byte) { fmt.Fprintf(b, "X'%X'", v) }, float: exponentFloat, decimal: pointDecimal,
	datetimeWord: "TIMESTAMP_NTZ", timestampWord: "TIMESTAMP", timestampZone: "Z", fourDigitYears: true, interval: textInterval,
}

// sparkCalls writes calls by name as a text has them: there operators have quotes, and
// types none.
var sparkCalls = strings.NewReplacer("+(", "`+`(", "-(", "`-`(", "*(", "`*`(", "/(", "`/`(", "%(", "`%`(", "div(", "`div`(",
	", 'DOUBLE')", " AS DOUBLE)", ", 'TIMESTAMP')", " AS TIMESTAMP)", ", 'TIMESTAMP_NTZ')", " AS TIMESTAMP_NTZ)")

func sparkElement(b *strings.Builder, s predicate.Step) bool {
	if s.Mode == predicate.OneBased && s.Index > 0 {
		s.Index--
	} else if s.Mode != predicate.SafeOffset || s.Index < 0 {
		return false
	}
	fmt.Fprintf(b, "[%d]", s.Index)
	return true
}

// sparkLacks finds what Spark's types cannot say.
func sparkLacks(e predicate.Expr) string {
	switch e := e.(type) {
	case *predicate.Like:
		for _, pattern := range e.Patterns {
			if _, written := writtenPattern(pattern); !written {
				return "LIKE with a pattern that is computed"
			}
		}
		if e.IgnoreCase {
			return "matching without regard to case"
		}
	case *predicate.Compare:
		return unlikeDecimals(e.Left, e.Right)
	case *predicate.Between:
		return unlikeDecimals(e.X, e.Low, e.High)
	case *predicate.In:
		return unlikeDecimals(append([]predicate.Expr{e.X}, e.List...)...)
	case *predicate.Case:
		for _, arm := range e.Arms {
			if lacks := unlikeDecimals(e.Operand, arm.When); e.Operand != nil && lacks != "" {
				return lacks
			}
		}
	}
	if e.Type().Kind == predicate.KindTime {
		return "a time of day"
	}
	return ""
}

// unlikeDecimals refuses to compare decimals for which Spark has no common type: it
// would round one of them.
func unlikeDecimals(operands ...predicate.Expr) string {
	whole, behind, decimals := 0, 0, false
	for _, o := range operands {
		if o == nil {
			continue
		}
		t := o.Type()
		switch l, _ := o.(*predicate.Literal); {
		case t.Kind == predicate.KindFloat:
			return "" // all become floats
		case t.Kind == predicate.KindInt:
			whole = max(whole, 20)
		case t.Kind != predicate.KindDecimal:
		case l != nil && l.Value != nil:
			decimals = true
			if r, ok := l.Value.(*big.Rat); ok {
				digits, _ := r.FloatPrec()
				before, _, _ := strings.Cut(strings.TrimPrefix(r.FloatString(digits), "-"), ".")
				whole, behind = max(whole, len(before)), max(behind, digits, t.Scale)
			}
		default:
			decimals = true
			whole, behind = max(whole, t.Precision-t.Scale), max(behind, t.Scale)
		}
	}
	if decimals && whole+behind > 38 {
		return "a comparison of decimals that needs more than 38 digits"
	}
	return ""
}
