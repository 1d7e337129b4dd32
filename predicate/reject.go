package predicate

import (
	"unicode/utf8"

	"github.com/agnes-data/da/api"
)

// Caps on a predicate and on what is said about it.
const (
	maxBytes          = 64 << 10
	maxDepth          = 100
	clippedRunes      = 60 // how much of the user's text a message quotes
	schemaTypeDepth   = 50
	maxNumberDigits   = 400
	suggestionsAtMost = 3
)

// fault is a rejection inside the package. It has a byte offset, which is
// converted at the package border to the position that people count.
type fault struct {
	kind            string
	at              int // byte offset; -1: no position
	msg, hint       string
	found, expected string
	function        string
	name            string // of a column or field that is not there
	suggestions     []string
	next            []api.Step
}

func (f *fault) Error() string { return f.msg }

// reject turns a fault into the error of the package's border.
func (f *fault) reject(text string) *api.Error {
	details := map[string]any{}
	if f.at >= 0 {
		pos, line, col := position(text, f.at)
		details["position"], details["line"], details["column"] = pos, line, col
	}
	put := func(key, value string) {
		if value != "" {
			details[key] = api.Clip(value, clippedRunes)
		}
	}
	put("found", f.found)
	put("expected", f.expected)
	put("function", f.function)
	put("name", f.name)
	if len(f.suggestions) > 0 {
		details["suggestions"] = f.suggestions
	}
	return &api.Error{Code: api.CodeRejected, Kind: f.kind, Message: f.msg, Hint: f.hint, Next: f.next, Details: details}
}

// position counts runes, from 1: in all, and within the line.
func position(text string, at int) (pos, line, col int) {
	at = min(at, len(text))
	pos, line, col = 1, 1, 1
	for i := 0; i < at; {
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		pos++
		col++
		if r == '\n' {
			line, col = line+1, 1
		}
	}
	return pos, line, col
}
