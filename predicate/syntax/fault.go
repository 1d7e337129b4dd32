package syntax

import (
	"errors"
	"unicode/utf8"

	"github.com/agnes-data/da/api"
)

// Caps on a predicate and on what is said about it.
const (
	MaxBytes          = 64 << 10
	maxDepth          = 100
	clippedRunes      = 60 // how much of the user's text a message quotes
	SchemaTypeDepth   = 50
	MaxNumberDigits   = 400
	SuggestionsAtMost = 3
)

// Fault is a rejection inside the package. It has a byte offset, which is
// converted at the package border to the position that people count.
type Fault struct {
	Kind            string
	At              int // byte offset; -1: no position
	Msg, Hint       string
	Found, Expected string
	Function        string
	Name            string // of a column or field that is not there
	Suggestions     []string
	Next            []api.Step
}

func (f *Fault) Error() string { return f.Msg }

// Reject turns a fault into the error of the package's border.
func (f *Fault) Reject(text string) *api.Error {
	details := map[string]any{}
	if f.At >= 0 {
		pos, line, col := position(text, f.At)
		details["position"], details["line"], details["column"] = pos, line, col
	}
	put := func(key, value string) {
		if value != "" {
			details[key] = Clip(value)
		}
	}
	put("found", f.Found)
	put("expected", f.Expected)
	put("function", f.Function)
	put("name", f.Name)
	if len(f.Suggestions) > 0 {
		details["suggestions"] = f.Suggestions
	}
	return &api.Error{Code: api.CodeRejected, Kind: f.Kind, Message: f.Msg, Hint: f.Hint, Next: f.Next, Details: details}
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

// Rejected is the error of a text that was not understood.
func Rejected(err error, text string) error {
	var f *Fault
	if errors.As(err, &f) {
		return f.Reject(text)
	}
	return &api.Error{Code: api.CodeInternal, Message: "the predicate could not be checked", Err: err}
}

// Clip shortens what a message quotes of the text.
func Clip(s string) string { return api.Clip(s, clippedRunes) }
