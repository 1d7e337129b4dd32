package statement

import "strings"

// matches are the functions that match a text with a pattern, with the sign
// that takes the place of any text. By name, simple ones take a written pattern
// of that sign and text apart; for all else the engine tries the rest of the
// pattern at every place of the text, for each sign.
var matches = map[string]struct {
	sign   string
	simple bool
}{
	"~~": {"%", true}, "!~~": {"%", true}, "~~*": {"%", false}, "!~~*": {"%", false}, "~~~": {"*", false},
	"like_escape": {"%", false}, "not_like_escape": {"%", false}, "ilike_escape": {"%", false}, "not_ilike_escape": {"%", false},
}

// backtracks says of a call that it matches with a pattern that the engine may
// try for a time without bound, which no interrupt ends.
func backtracks(function string, node map[string]any) bool {
	m, ok := matches[function]
	if !ok {
		return false
	}
	args := list(node["children"])
	if len(args) < 2 || name(node, "schema") != "" || name(node, "catalog") != "" {
		return true // what comes before the name may be an argument
	}
	value := child(child(args[1], ""), "value")
	if name(child(args[1], ""), "class") != "CONSTANT" {
		return true // it is computed, and may be anything
	}
	pattern, _ := value["value"].(string)
	if m.simple && !strings.Contains(pattern, "_") {
		return false
	}
	return strings.Count(strings.TrimRight(pattern, m.sign), m.sign) > 1
}
