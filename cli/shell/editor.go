package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/reeflective/readline"
	"github.com/reeflective/readline/inputrc"
	"golang.org/x/term"

	"github.com/agnes-data/da/internal/words/textwidth"
)

// open chooses the input: line editing if both sides are a terminal that supports
// it, otherwise plain lines.
func (s *session) open() (input, error) {
	term := s.Getenv("TERM")
	if !s.IO.InTerminal || !s.IO.OutTerminal || term == "dumb" || term == "" {
		return newPlain(s), nil
	}
	o := editing{prompt: prompt, more: promptMore, historyFile: s.HistoryFile, colour: s.IO.OutColor, note: s.Note, suggest: s.suggest,
		complete: func(text string) bool { return complete(s.unfinished + text) }, highlight: highlight}
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
	free    int // rows of the screen below the beginning of the input that are known to be there
}

func newEditor(o editing) *editor {
	e := &editor{editing: o, history: openHistory(o.historyFile)}
	e.start()
	return e
}

// start makes a line editor with empty input.
func (e *editor) start() {
	o := e.editing
	e.lines = readline.NewShell()
	e.lines.Keymap.Register(map[string]func(){"self-insert": e.insert})
	for _, keymap := range []string{"emacs", "emacs-standard", "emacs-meta", "emacs-ctlx"} {
		maps.DeleteFunc(e.lines.Config.Binds[keymap], func(_ string, bind inputrc.Bind) bool {
			return !bind.Macro && !slices.Contains(strings.Fields(actions), bind.Action)
		})
	}
	_ = e.lines.Config.Bind("emacs", "\x1b[", "skip-csi-sequence", false) // keys without a meaning insert nothing
	_ = e.lines.Config.Bind("emacs", "\x1bO", "skip-csi-sequence", false)
	_ = e.lines.Config.Set("enable-bracketed-paste", true) // pasted text runs only when Enter is pressed
	// The terminal sends UTF-8. With convert-meta, the library takes letters below
	// U+0100 for keys pressed with Alt.
	_ = e.lines.Config.Set("convert-meta", false)
	_ = e.lines.Config.Set("input-meta", true)
	_ = e.lines.Config.Set("output-meta", true)
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
	e.lines.Prompt.Primary(func() string { e.scroll(); return o.prompt })
	e.lines.Prompt.Secondary(func() string { return o.more })
	if o.colour && o.highlight != nil {
		e.lines.SyntaxHighlighter = o.highlight
	}
	e.lines.Completer = e.offer
	e.lines.AcceptMultiline = func(line []rune) bool { return o.complete == nil || o.complete(string(line)) }
	e.lines.History.Add("history", e.history)
}

// actions are what keys can do. The library's other ones are for file names and
// words of the system's shell; on other texts some of them panic or never end.
const actions = `self-insert quoted-insert accept-line abort end-of-file bracketed-paste-begin skip-csi-sequence
	digit-argument do-lowercase-version overwrite-mode undo revert-line
	forward-char backward-char forward-word backward-word beginning-of-line end-of-line character-search character-search-backward
	delete-char backward-delete-char kill-line kill-whole-line backward-kill-line unix-line-discard kill-word backward-kill-word
	unix-word-rubout delete-horizontal-space yank yank-pop set-mark exchange-point-and-mark kill-region copy-region-as-kill
	transpose-chars up-case-word downcase-word capitalize-word clear-screen clear-display
	complete menu-complete menu-complete-backward possible-completions
	previous-history next-history up-line-or-history down-line-or-history beginning-of-history end-of-history
	beginning-of-buffer-or-history end-of-buffer-or-history reverse-search-history forward-search-history
	history-search-backward history-search-forward vi-editing-mode emacs-editing-mode`

// insert inserts what was typed. The library's own way inserts only the first code
// point of a character, draws the line anew after each, and loses a letter whose
// bytes come in two reads.
func (e *editor) insert() {
	e.lines.History.SkipSave()
	var came []byte // the key, and what came together with it
	for _, key := range e.lines.Keys.Caller() {
		if key >= fed {
			came = append(came, byte(key))
		} else {
			came = utf8.AppendRune(came, key)
		}
	}
	if bytes.ContainsAny(came, "\r\n") { // CR LF is one character, and Enter
		e.lines.Keymap.Commands()["accept-line"]()
		return
	}
	end := len(came)
	for key, none := e.lines.Keys.Pop(); !none; key, none = e.lines.Keys.Pop() {
		came = append(came, key)
	}
	if i := slices.IndexFunc(came[end:], func(b byte) bool { return b < ' ' || b == 0x7f }); i >= 0 {
		end += i
	} else {
		came = wholeLetter(came, os.Stdin)
		end = len(came)
	}
	e.lines.Cursor().InsertAt(slices.DeleteFunc([]rune(string(came[:end])), unicode.IsControl)...)
	e.feed(came[end:])
}

// wholeLetter reads the bytes that are missing of the last letter.
func wholeLetter(text []byte, in io.Reader) []byte {
	begin := len(text) - 1
	for begin > 0 && !utf8.RuneStart(text[begin]) {
		begin--
	}
	for begin >= 0 && !utf8.FullRune(text[begin:]) {
		var b [1]byte
		if n, err := in.Read(b[:]); n < 1 || err != nil {
			break
		}
		text = append(text, b[0])
	}
	return text
}

// fed marks the bytes of letters that are fed to the library. It takes keys as code
// points, but returns most of them as their lowest byte: the mark changes neither. Nobody
// types these last 256 code points.
const fed = 0x10ff00

// feed gives keys back to the library.
func (e *editor) feed(keys []byte) {
	for _, b := range keys {
		key := rune(b)
		if b >= utf8.RuneSelf {
			key |= fed
		}
		e.lines.Keys.Feed(false, key)
	}
}

// scroll keeps a row free below the input. The library erases what is below by
// going down and up again, and on the last row of the screen it would come back
// one row too high. It calls scroll before each drawing.
func (e *editor) scroll() {
	width, height, err := term.GetSize(int(os.Stderr.Fd())) // the file that the library asks, too
	if err != nil || width < 1 {
		return
	}
	rows := 1
	for line := range strings.SplitSeq(string(*e.lines.Line()), "\n") {
		rows += 1 + (len(e.prompt)+textwidth.Of(line))/width
	}
	if rows = min(rows, height) - 1; rows > e.free {
		fmt.Fprintf(os.Stdout, "%s\x1b[%dA", strings.Repeat(down, rows), rows)
		e.free = rows
	}
}

// down moves the cursor to the row below; on the last row it scrolls the screen.
const down = "\x1bD"

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
	e.free = 0
	text, err := e.readline()
	if errors.Is(err, readline.ErrInterrupt) {
		return "", errInterrupted
	}
	if err != nil {
		return "", err
	}
	e.keep(text)
	return text, nil
}

// readline reads one input. If the library fails at a key, what was typed goes to
// the history and the input begins anew.
func (e *editor) readline() (text string, err error) {
	defer func() {
		if failed := recover(); failed != nil {
			typed := string(*e.lines.Line())
			e.start()
			fmt.Fprintln(os.Stdout)
			e.note("the line editor failed at that key; what was typed is in the history: press Up")
			e.keep(typed)
			text, err = "", errInterrupted
		}
	}()
	return e.lines.Readline()
}
