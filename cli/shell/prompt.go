package shell

import (
	"context"
	"errors"
	"strings"

	"github.com/agnes-data/da/internal/iostreams"
)

// Prompt lets another da command read typed lines, with the shell's editing,
// history and completion.
type Prompt struct {
	IO          *iostreams.Streams
	Getenv      func(string) string
	Text        string // such as "you> "
	HistoryFile string
	// Commands are words that a line can begin with, each with a description.
	Commands []Word
	Note     func(string)
}

// Open returns a function that reads one line per call; nil unless both sides are
// a terminal with line editing. At the end of the input the function returns
// io.EOF; see also Interrupted.
func (p Prompt) Open() func(context.Context) (string, error) {
	if term := p.Getenv("TERM"); !p.IO.InTerminal || !p.IO.OutTerminal || term == "dumb" || term == "" {
		return nil
	}
	return newEditor(editing{prompt: p.Text, more: p.Text, historyFile: p.HistoryFile, colour: p.IO.OutColor, note: p.Note,
		suggest: p.suggest}).read
}

// suggest offers commands at the beginning of a line.
func (p Prompt) suggest(before, _ string) suggestions {
	if strings.ContainsAny(before, " \t") || !strings.HasPrefix(before, "/") {
		return suggestions{}
	}
	return suggestions{words: starting(before, p.Commands), begun: before, space: true}
}

// Interrupted reports whether reading ended because the user cancelled the line.
func Interrupted(err error) bool { return errors.Is(err, errInterrupted) }
