package exit

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/internal/words/textwidth"
)

// shownBefore and shownAfter limit how many characters of a line are shown around
// a position.
const (
	shownBefore = 60
	shownAfter  = 30
)

// asked is an error about a text that the user wrote.
type asked struct {
	error
	text string
}

// Unwrap returns the error itself.
func (a asked) Unwrap() error { return a.error }

// About records the user's text, a predicate or a statement, that positions in
// err refer to. nil stays nil.
func About(text string, err error) error {
	if err == nil {
		return nil
	}
	return asked{err, text}
}

// TextOf returns the text that err is about, or "".
func TextOf(err error) string {
	var a asked
	if errors.As(err, &a) {
		return a.text
	}
	return ""
}

// placeText shows, for people, the position that an error names: the line with a
// mark below it, or a description of the position if it is not in text. It is
// empty if the error has no position. text is what the user wrote.
func placeText(e *api.Error, text string) string {
	line, column := e.Number("line"), e.Number("column")
	if list, _ := e.Details["in"].(string); list != "" { // the position is inside an item of a list
		text, _ = e.Details["item"].(string)
	}
	if line < 1 || column < 1 {
		return ""
	}
	lines := strings.Split(text, "\n")
	if text != "" && (line > len(lines) || column > len([]rune(lines[line-1]))+1 || !found(e, []rune(lines[line-1])[column-1:])) {
		return "" // the error is about another text
	}
	if text == "" {
		if e.Details["name"] != nil {
			return "" // the message says it already
		}
		if line == 1 {
			return fmt.Sprintf("(at character %d)", column)
		}
		return fmt.Sprintf("(in line %d, at character %d)", line, column)
	}
	runes := []rune(strings.ReplaceAll(lines[line-1], "\t", " "))
	before, after := runes[:column-1], runes[column-1:]
	head := ""
	if line > 1 {
		head = fmt.Sprintf("line %d: ", line)
	}
	if more := len(before) - shownBefore; more > 0 {
		before, head = before[more:], head+"…"
	}
	tail := ""
	if len(after) > shownAfter {
		after, tail = after[:shownAfter], "…"
	}
	head += printable.Line(string(before))
	return head + strings.TrimRight(printable.Line(string(after))+tail, " ") + "\n" + strings.Repeat(" ", textwidth.Of(head)) + "^"
}

// found reports whether a text begins with the word that an error names. A
// command can take several texts, and the error may be about another one.
func found(e *api.Error, at []rune) bool {
	for _, key := range []string{"found", "name", "function"} {
		what, _ := e.Details[key].(string)
		if what == "the end" {
			return len(at) == 0
		}
		if what != "" {
			there := strings.TrimLeft(strings.ToLower(string(at)), "\"`") // a name can be quoted
			return strings.HasPrefix(there, strings.TrimLeft(strings.ToLower(what), "\"`"))
		}
	}
	return true
}
