package statement

import (
	"errors"
	"maps"
	"strings"
	"unicode/utf8"

	"github.com/agnes-data/da/api"
)

// Piece is one of the statements in a text.
type Piece struct {
	// Text is the statement without surrounding space and comments and without
	// its semicolon.
	Text string
	// At is the byte offset of Text, from 0. Line and Column are in characters,
	// from 1.
	At, Line, Column int
	// Ended says that a semicolon follows.
	Ended bool
}

// Split splits a text into statements at the semicolons outside of quotes and
// comments. It drops pieces of only space and comments. An unterminated quote or
// comment belongs to the last piece, with everything after it.
//
// It proves nothing: each piece still has to be checked.
func Split(text string) []Piece {
	var all []Piece
	begin, end := -1, 0
	add := func(ended bool) {
		if begin < 0 {
			return
		}
		p := Piece{Text: strings.TrimSpace(text[begin:end]), At: begin, Ended: ended}
		p.Line, p.Column = lineColumn(text, begin)
		all, begin = append(all, p), -1
	}
	for at := 0; at < len(text); {
		n, opaque := skip(text[at:])
		switch {
		case n < 0: // it does not end
			n, opaque = len(text)-at, true
		case n == 0 && text[at] == ';':
			add(true)
			at++
			continue
		case n == 0:
			n, opaque = len(lexeme().FindString(text[at:])), true
		}
		if opaque && begin < 0 {
			begin = at
		}
		if at += n; opaque {
			end = at
		}
	}
	add(false)
	return all
}

// Behind adapts the position in err to a text that starts with lead. It returns
// errors without a position, and nil, unchanged.
func Behind(lead string, err error) error {
	var e *api.Error
	if lead == "" || !errors.As(err, &e) || e.Details["position"] == nil {
		return err
	}
	moved := *e
	moved.Details = shifted(e, lead)
	return &moved
}

// shifted returns the details with their place moved behind lead.
func shifted(e *api.Error, lead string) map[string]any {
	details := maps.Clone(e.Details)
	add := func(key string, n int) {
		if at := e.Number(key); at > 0 {
			details[key] = at + n
		}
	}
	if e.Number("line") == 1 {
		add("column", utf8.RuneCountInString(lead[strings.LastIndexByte(lead, '\n')+1:]))
	}
	add("position", utf8.RuneCountInString(lead))
	add("line", strings.Count(lead, "\n"))
	return details
}

// lineColumn is the place of a byte offset; both count from 1, columns in
// characters.
func lineColumn(text string, offset int) (line, column int) {
	before := text[:offset]
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
}
