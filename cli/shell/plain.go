package shell

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/statement"
)

// The prompts: for a new statement, and for its further lines.
const (
	prompt     = "da> "
	promptMore = "  > "
)

// plain reads lines from a pipe, a file, or a terminal without escape sequences.
type plain struct {
	s     *session
	lines chan line
	// asked says that a read is already in progress; an interrupt does not end
	// it.
	asked bool
	in    *bufio.Reader
}

type line struct {
	text string
	err  error
}

func newPlain(s *session) *plain {
	return &plain{s: s, in: bufio.NewReader(s.IO.In), lines: make(chan line, 1)}
}

// read implements input.
func (p *plain) read(ctx context.Context) (string, error) {
	var text strings.Builder
	for {
		p.ask(text.Len() > 0 || p.s.unfinished != "")
		got, err := p.line(ctx)
		text.WriteString(got)
		switch {
		case errors.Is(err, io.EOF) && p.s.people:
			fmt.Fprintln(p.s.IO.Err) // below the prompt
			return "", io.EOF        // the input ended inside a statement
		case err != nil:
			return text.String(), err
		case text.Len() > statement.MaxBytes:
			return "", &api.Error{Code: api.CodeUsage, Message: fmt.Sprintf("the statement is longer than %d bytes", statement.MaxBytes),
				Hint: "Does a semicolon or a quote at its end miss?"}
		case !strings.Contains(got, ";") && !isCommand(got) && pending(p.s.unfinished+text.String()):
		case complete(p.s.unfinished + text.String()):
			return text.String(), nil
		}
	}
}

// ask shows a prompt if a person is typing.
func (p *plain) ask(more bool) {
	if !p.s.people {
		return
	}
	if more {
		fmt.Fprint(p.s.IO.Err, promptMore)
		return
	}
	fmt.Fprint(p.s.IO.Err, prompt)
}

// line waits for a line or for a signal.
func (p *plain) line(ctx context.Context) (string, error) {
	if !p.asked {
		p.asked = true
		go func() {
			text, err := p.in.ReadString('\n')
			p.lines <- line{text, err}
		}()
	}
	select {
	case l := <-p.lines:
		p.asked = false
		if l.err != nil && !errors.Is(l.err, io.EOF) {
			l.err = &api.Error{Code: api.CodeReadFailed, Message: "cannot read standard input: " + l.err.Error(), Err: l.err}
		}
		return l.text, l.err
	case sig := <-p.s.stops:
		if sig == os.Interrupt && p.s.people {
			fmt.Fprintln(p.s.IO.Err)
			return "", errInterrupted
		}
		return "", interrupted(errTerminated)
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// pending reports whether a text starts an incomplete statement. It is a quick
// check that does not read the whole text.
func pending(text string) bool {
	text = strings.TrimSpace(text)
	return strings.ContainsAny(text, "\n ") && text[0] != '\\'
}

// complete reports whether a text can be run: its statements have ended, it is a
// backslash command, or it is empty.
func complete(text string) bool {
	text = strings.TrimSpace(text)
	switch strings.ToLower(text) {
	case "exit", "quit", "help":
		return true
	}
	if strings.HasPrefix(text, `\`) {
		return true
	}
	if _, command := behind(text); command != "" {
		return true
	}
	pieces := statement.Split(text)
	return len(pieces) == 0 || pieces[len(pieces)-1].Ended
}

// isCommand reports whether a line is a backslash command.
func isCommand(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), `\`) }

// behind splits off a backslash command in the last line, as psql does. command is empty if
// that line is no command or lies in quotes.
func behind(text string) (before, command string) {
	text = strings.TrimRight(text, " \t\r\n")
	at := strings.LastIndexByte(text, '\n') + 1
	if at == 0 || !isCommand(text[at:]) {
		return text, ""
	}
	for _, l := range statement.Lexemes(text) {
		if l.At < at && l.At+len(l.Text) > at && strings.TrimSpace(l.Text) != "" {
			return text, ""
		}
	}
	return text[:at], strings.TrimSpace(text[at:])
}
