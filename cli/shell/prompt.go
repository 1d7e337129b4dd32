package shell

import (
	"context"
	"errors"
	"strings"

	"github.com/agnes-data/da/internal/iostreams"
)

// Prompt is where another command of da reads lines that people type, with the
// shell's editing, history and completion.
type Prompt struct {
	IO          *iostreams.Streams
	Getenv      func(string) string
	Text        string // such as "you> "
	HistoryFile string
	// Commands are the words that a line may begin with, each with what it does.
	Commands []Word
	Note     func(string)
}

// Open returns what reads one line after the other; nil where no terminal on both
// sides understands line editing. The end of the input is io.EOF; see Interrupted.
func (p Prompt) Open() func(context.Context) (string, error) {
	if term := p.Getenv("TERM"); !p.IO.InTerminal || !p.IO.OutTerminal || term == "dumb" || term == "" {
		return nil
	}
	return newEditor(editing{prompt: p.Text, more: p.Text, historyFile: p.HistoryFile, colour: p.IO.OutColor, note: p.Note, suggest: p.suggest}).read
}

// suggest offers commands at the beginning of a line.
func (p Prompt) suggest(before, _ string) suggestions {
	if strings.ContainsAny(before, " \t") || !strings.HasPrefix(before, "/") {
		return suggestions{}
	}
	return suggestions{words: starting(before, p.Commands), begun: before, space: true}
}

// Interrupted reports whether reading ended because its user gave up a line.
func Interrupted(err error) bool { return errors.Is(err, errInterrupted) }
