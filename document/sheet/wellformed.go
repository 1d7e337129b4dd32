package sheet

import (
	"slices"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// checkFormula refuses a formula that no program can read: they would offer to repair
// the file, and drop it.
func checkFormula(formula string) error {
	var open []byte
	why := ""
	last := ""
	eachPart(formula, func(part, rest string) {
		c := part[0]
		switch {
		case why != "":
		case (c == '"' || c == '\'') && (len(part) < 2 || part[len(part)-1] != c):
			why = "a quote is not closed"
		case c == '[' && part[len(part)-1] != ']':
			why = "a bracket is not closed"
		case c == '(' || c == '{':
			open = append(open, c)
		case c == ')' || c == '}':
			if len(open) == 0 || (c == ')') != (open[len(open)-1] == '(') {
				why = "a bracket is closed that is not open"
				return
			}
			open = open[:len(open)-1]
		case c == ';' && !slices.Contains(open, '{'):
			why = "arguments are divided by commas, not by ;"
		}
		if strings.TrimSpace(part) != "" {
			last = part
		}
	})
	switch {
	case why != "":
	case len(open) > 0:
		why = "a bracket is not closed"
	case last == "" || strings.ContainsAny(last[:1], "+-*/^&=<>,") && len(last) == 1:
		why = "it ends early"
	default:
		return nil
	}
	return ooxml.Invalid("Formulas are written with English functions, commas and decimal points, as SUM(A1:B1,2.5).",
		"%q is not a formula: %s", formula, why)
}

// missing is a sheet that the formula of a cell reads.
type missing struct{ sheet, at string }

// absent lists the sheets that a formula reads and the workbook does not have.
func (e *editor) absent(formula string) (names []string) {
	before := ""
	eachPart(formula, func(part, rest string) {
		outside := before == "#" || strings.HasPrefix(before, "[") || strings.Contains(part, "[")
		if before = part; outside || !strings.HasPrefix(rest, "!") || part[0] != '\'' && !wordByte(part[0]) {
			return
		}
		for _, name := range strings.Split(strings.ReplaceAll(strings.Trim(part, "'"), "''", "'"), ":") {
			known := slices.ContainsFunc(e.sheets, func(s *sheetPart) bool { return strings.EqualFold(s.name, name) })
			if !known && !strings.EqualFold(name, "REF") {
				names = append(names, name)
			}
		}
	})
	return names
}
