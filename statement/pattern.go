package statement

import "strings"

// matches are the functions that match a text with a pattern, with the sign that
// matches any text. The engine has a fast path for a constant pattern of only
// text and that sign, if simple. For all other patterns, for each sign it tries
// the rest of the pattern at every position of the text.
var matches = map[string]struct {
	sign   string
	simple bool
}{
	"~~": {"%", true}, "!~~": {"%", true}, "~~*": {"%", false}, "!~~*": {"%", false}, "~~~": {"*", false},
	"like_escape": {"%", false}, "not_like_escape": {"%", false}, "ilike_escape": {"%", false}, "not_ilike_escape": {"%", false},
}

// backtracks reports whether a call matches with a pattern that the engine may
// try for an unlimited time, which cannot be interrupted.
func backtracks(function string, node map[string]any) bool {
	m, ok := matches[function]
	if !ok {
		return false
	}
	args := list(node["children"])
	if schema := name(node, "schema"); len(args) == 3 && schema == "main" {
		// So the parser writes ESCAPE; with main as an argument there would be four.
	} else if len(args) < 2 || schema != "" || name(node, "catalog") != "" {
		return true // the part before the name may be an argument
	}
	value := child(child(args[1], ""), "value")
	if name(child(args[1], ""), "class") != "CONSTANT" {
		return true // a computed pattern can be anything
	}
	pattern, _ := value["value"].(string)
	if m.simple && !strings.Contains(pattern, "_") {
		return false
	}
	return strings.Count(strings.TrimRight(pattern, m.sign), m.sign) > 1
}
