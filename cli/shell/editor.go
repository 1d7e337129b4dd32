package shell

import (
	"context"
	"errors"

	"github.com/reeflective/readline"
)

// open chooses how to read: with line editing where a terminal on both sides
// understands it, else plainly.
func (s *session) open() (input, error) {
	term := s.Getenv("TERM")
	if !s.IO.InTerminal || !s.IO.OutTerminal || term == "dumb" || term == "" {
		return newPlain(s), nil
	}
	return newEditor(s), nil
}

// editor reads with line editing, history and completion. The library reads the
// user's inputrc, and the process's terminal itself.
type editor struct {
	s       *session
	lines   *readline.Shell
	history *history
}

func newEditor(s *session) *editor {
	e := &editor{s: s, lines: readline.NewShell(), history: openHistory(s.HistoryFile)}
	// Asking the terminal where the cursor is takes a round trip for each key, and
	// loses keys that arrive together with the answer. Our prompts begin a line.
	_ = e.lines.Config.Set("cursor-position-probe", false) // an unknown name would be a change of the library; a test types fast
	e.lines.Prompt.Primary(func() string { return prompt })
	e.lines.Prompt.Secondary(func() string { return promptMore })
	e.lines.AcceptMultiline = func(line []rune) bool { return complete(string(line)) }
	e.lines.History.Add("history", e.history)
	return e
}

// read implements input.
func (e *editor) read(context.Context) (string, error) {
	text, err := e.lines.Readline()
	if errors.Is(err, readline.ErrInterrupt) {
		return "", errInterrupted
	}
	if err != nil {
		return "", err
	}
	if kept := e.history.add(text); kept != nil {
		e.s.Note("not kept in the history: " + kept.Error())
	}
	return text, nil
}
