package shell

import (
	"context"
	"errors"
	"strings"

	"github.com/reeflective/readline"
)

// open chooses the input: line editing if both sides are a terminal that supports
// it, otherwise plain lines.
func (s *session) open() (input, error) {
	term := s.Getenv("TERM")
	if !s.IO.InTerminal || !s.IO.OutTerminal || term == "dumb" || term == "" {
		return newPlain(s), nil
	}
	o := editing{prompt: prompt, more: promptMore, historyFile: s.HistoryFile, colour: s.IO.OutColor, note: s.Note, suggest: s.suggest, complete: complete, highlight: highlight}
	e := newEditor(o)
	s.keep = e.keep
	return e, nil
}

// editing configures an editor.
type editing struct {
	prompt, more string
	historyFile  string
	colour       bool
	note         func(string)
	// suggest gets the text before the cursor, and the whole text.
	suggest func(before, whole string) suggestions
	// complete reports whether Enter ends the text; nil: every line is complete.
	complete  func(text string) bool
	highlight func([]rune) string // nil: no colours
}

// editor reads with line editing, history and completion. The library itself
// reads the user's inputrc and the process's terminal.
type editor struct {
	editing
	lines   *readline.Shell
	history *history
}

func newEditor(o editing) *editor {
	e := &editor{editing: o, lines: readline.NewShell(), history: openHistory(o.historyFile)}
	_ = e.lines.Config.Set("enable-bracketed-paste", true) // pasted text runs only when Enter is pressed
	// The first Tab shows the choices; the next one picks.
	_ = e.lines.Config.Set("menu-complete-display-prefix", true)
	for _, keymap := range []string{"emacs", "emacs-standard", "vi", "vi-insert"} {
		if bind := e.lines.Config.Binds[keymap]["\t"]; bind.Action == "complete" {
			_ = e.lines.Config.Bind(keymap, "\t", "menu-complete", false)
		}
	}
	// Asking the terminal for the cursor position costs a round trip per key, and
	// loses keys that arrive together with the answer. It is not needed, because
	// our prompts start at the beginning of a line.
	_ = e.lines.Config.Set("cursor-position-probe", false) // a new version of the library might rename this; a test that types fast would notice
	e.lines.Prompt.Primary(func() string { return o.prompt })
	e.lines.Prompt.Secondary(func() string { return o.more })
	if o.colour && o.highlight != nil {
		e.lines.SyntaxHighlighter = o.highlight
	}
	e.lines.Completer = e.offer
	e.lines.AcceptMultiline = func(line []rune) bool { return o.complete == nil || o.complete(string(line)) }
	e.lines.History.Add("history", e.history)
	return e
}

// keep adds a typed or edited text to the history.
func (e *editor) keep(text string) {
	if err := e.history.add(text); err != nil {
		e.note("not kept in the history: " + err.Error())
	}
}

// offer lists completions for the word before the cursor.
func (e *editor) offer(line []rune, cursor int) readline.Completions {
	before := string(line[:min(cursor, len(line))])
	found := e.suggest(before, string(line))
	// The library takes everything between spaces for the word, for example
	// count(del.
	blank := before[strings.LastIndexAny(before, " \t\n")+1:]
	stem := strings.TrimSuffix(blank, found.begun)
	candidates := make([]readline.Completion, len(found.words))
	for i, w := range found.words {
		// Keep the typed part in its own case.
		candidates[i] = readline.Completion{Value: stem + found.begun + w.Text[len(found.begun):], Display: w.Text, Description: w.About}
		if e.colour { // the headings are coloured
			candidates[i].Tag = groups[w.group]
		}
	}
	if len(candidates) == 1 && found.space {
		candidates[0].Value += " "
	}
	all := readline.CompleteRaw(candidates)
	all.PREFIX = blank
	return all
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
	e.keep(text)
	return text, nil
}
