package oracle

import (
	"math"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// tree is a node of the analyzer's resolved tree, read from its debug text.
type tree struct {
	label string
	kids  []*tree
}

// parseTree parses the indented text: each node follows "+-".
func parseTree(text string) *tree {
	root := &tree{label: "root"}
	type level struct {
		depth int
		node  *tree
	}
	stack := []level{{-1, root}}
	for _, line := range strings.Split(text, "\n") {
		at := strings.Index(line, "+-")
		if at < 0 {
			continue
		}
		n := &tree{label: line[at+2:]}
		for stack[len(stack)-1].depth >= at {
			stack = stack[:len(stack)-1]
		}
		parent := stack[len(stack)-1].node
		parent.kids = append(parent.kids, n)
		stack = append(stack, level{at, n})
	}
	return root
}

// find returns the first node with the label, depth first.
func (t *tree) find(label string) *tree {
	if t.label == label {
		return t
	}
	for _, k := range t.kids {
		if f := k.find(label); f != nil {
			return f
		}
	}
	return nil
}

var signature = regexp.MustCompile(`^(?:FunctionCall|AggregateFunctionCall)\((?:GoogleSQL:)?([$a-z0-9_]+)\(.*`)

// literalID numbers the float constants of a statement.
var literalID = regexp.MustCompile(`, float_literal_id=[0-9]+`)

// normal rewrites a tree so that two spellings of one meaning give the same text:
// IF becomes CASE, IFNULL becomes COALESCE, chains of AND and OR are flattened,
// the sign is part of a number, and intervals are values.
func (t *tree) normal() *tree {
	out := &tree{label: strings.TrimSpace(t.label)}
	for _, k := range t.kids {
		out.kids = append(out.kids, k.normal())
	}
	if m := signature.FindStringSubmatch(out.label); m != nil {
		out.label = m[1]
		if strings.HasPrefix(strings.ToLower(t.label), "functioncall(googlesql:safe.") {
			out.label = "safe." + m[1]
		}
	}
	out.label = literalID.ReplaceAllString(out.label, "")
	for _, flag := range []string{", has_explicit_type=TRUE", ", has_explicit_type=true"} {
		out.label = strings.ReplaceAll(out.label, flag, "")
	}
	out.label = strings.ReplaceAll(out.label, "WEEK_MONDAY", "ISOWEEK")
	if m := numberCast.FindStringSubmatch(out.label); m != nil && len(out.kids) == 1 {
		if n := number.FindStringSubmatch(out.kids[0].label); n != nil {
			to, value := m[1]+m[2]+m[3], n[2]+n[3]
			switch f, err := strconv.ParseFloat(value, 64); {
			case to == "STRING":
				value = strconv.Quote(value)
			case to == "INT64" && err == nil:
				value = strconv.FormatFloat(math.Round(f), 'f', -1, 64)
			}
			return &tree{label: "Literal(type=" + to + ", value=" + value + ")"}
		}
	}
	if m := interval.FindStringSubmatch(out.text()); m != nil {
		return &tree{label: "Literal(type=STRING, value=\"" + m[1] + "\")"}
	}
	switch out.label {
	case "if":
		out.label = "$case_no_value"
	case "ifnull":
		out.label = "coalesce"
	case "$like_any", "$like_all":
		if len(out.kids) == 2 {
			out.label = "$like"
		}
	case "$and", "$or":
		var flat []*tree
		for _, k := range out.kids {
			if k.label == out.label {
				flat = append(flat, k.kids...)
			} else {
				flat = append(flat, k)
			}
		}
		out.kids = flat
	case "$unary_minus":
		if n, ok := negated(out.kids); ok {
			return n
		}
	case "$interval":
		if n, ok := intervalValue(out.kids); ok {
			return n
		}
	}
	return out
}

// interval matches a constant interval in text form, which the analyzer folds if
// it was written that way.
var interval = regexp.MustCompile(`^Cast\(INTERVAL -> STRING\)\[Literal\(type=INTERVAL, value=([^)]*)\)\]$`)

// numberCast is the conversion of a constant that the analyzer did not fold.
var numberCast = regexp.MustCompile(`^Cast\((?:(?:INT64|NUMERIC|DOUBLE) -> (NUMERIC|BIGNUMERIC|DOUBLE)|INT64 -> (STRING)|(?:NUMERIC|DOUBLE) -> (INT64))\)$`)

var number = regexp.MustCompile(`^Literal\(type=(INT64|DOUBLE|FLOAT64|NUMERIC|BIGNUMERIC), value=(-?)([0-9].*)\)$`)

// negated folds the sign of a constant into it.
func negated(kids []*tree) (*tree, bool) {
	if len(kids) != 1 {
		return nil, false
	}
	m := number.FindStringSubmatch(kids[0].label)
	if m == nil {
		return nil, false
	}
	sign := "-"
	if m[2] == "-" || m[3] == "0" && m[1] != "DOUBLE" && m[1] != "FLOAT64" {
		sign = ""
	}
	return &tree{label: "Literal(type=" + m[1] + ", value=" + sign + m[3] + ")"}, true
}

var (
	whole = regexp.MustCompile(`^Literal\(type=INT64, value=(-?[0-9]+)\)$`)
	unit  = regexp.MustCompile(`value=([A-Z]+)\)`)
)

// intervalValue converts INTERVAL n PART to its value.
func intervalValue(kids []*tree) (*tree, bool) {
	if len(kids) != 2 {
		return nil, false
	}
	n, u := whole.FindStringSubmatch(kids[0].label), unit.FindStringSubmatch(kids[1].label)
	if n == nil || u == nil {
		return nil, false
	}
	v, err := strconv.ParseInt(n[1], 10, 64)
	if err != nil {
		return nil, false
	}
	var months, days, micros int64
	switch u[1] {
	case "YEAR":
		months = 12 * v
	case "QUARTER":
		months = 3 * v
	case "MONTH":
		months = v
	case "WEEK":
		days = 7 * v
	case "DAY":
		days = v
	case "HOUR":
		micros = v * 3600e6
	case "MINUTE":
		micros = v * 60e6
	case "SECOND":
		micros = v * 1e6
	case "MILLISECOND":
		micros = v * 1e3
	case "MICROSECOND":
		micros = v
	default:
		return nil, false
	}
	return &tree{label: "Literal(type=INTERVAL, value=" + intervalText(months, days, micros) + ")"}, true
}

// intervalText is the analyzer's own form: Y-M D H:M:S[.F].
func intervalText(months, days, micros int64) string {
	sign := func(n int64) (string, int64) {
		if n < 0 {
			return "-", -n
		}
		return "", n
	}
	ms, m := sign(months)
	us, u := sign(micros)
	text := ms + strconv.FormatInt(m/12, 10) + "-" + strconv.FormatInt(m%12, 10) + " " + strconv.FormatInt(days, 10) + " " +
		us + strconv.FormatInt(u/3600e6, 10) + ":" + strconv.FormatInt(u/60e6%60, 10) + ":" + strconv.FormatInt(u/1e6%60, 10)
	if f := u % 1e6; f != 0 {
		frac := strconv.FormatInt(1e6+f, 10)[1:]
		if f%1000 == 0 {
			frac = frac[:3]
		}
		text += "." + frac
	}
	return text
}

// text writes a tree on one line.
func (t *tree) text() string {
	if len(t.kids) == 0 {
		return t.label
	}
	kids := make([]string, 0, len(t.kids))
	for _, k := range t.kids {
		kids = append(kids, k.text())
	}
	return t.label + "[" + strings.Join(kids, "; ") + "]"
}

// sortedKeys orders counts for a report.
func sortedKeys(m map[string]int) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Slice(out, func(i, j int) bool { return m[out[i]] > m[out[j]] || m[out[i]] == m[out[j]] && out[i] < out[j] })
	return out
}
