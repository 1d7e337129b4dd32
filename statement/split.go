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
	// Text is the statement without space and comments around it and without its
	// semicolon.
	Text string
	// At is where Text begins, in bytes from 0; Line and Column, in characters,
	// count from 1.
	At, Line, Column int
	// Ended says that a semicolon follows.
	Ended bool
}

// Split takes a text with statements apart at the semicolons outside of quotes
// and comments. Pieces of space and comments alone are left out. A quote or a
// comment that does not end belongs to the last piece, as does all behind it.
//
// It proves nothing: each piece has yet to be checked.
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

// Behind is err with its place moved from a text to another one, in which lead
// comes before it. Errors without a place, and nil, it returns as they are.
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
