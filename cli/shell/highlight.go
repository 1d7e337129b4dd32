package shell

import (
	"strings"

	"github.com/agnes-data/da/statement"
)

// The colours are of the sixteen that every terminal has, which its user has
// chosen to be readable on the background; what is only bold or dim is so on all.
const (
	bold, dim            = "\x1b[1m", "\x1b[2m"
	green, cyan, magenta = "\x1b[32m", "\x1b[36m", "\x1b[35m"
	plainAgain           = "\x1b[0m"
)

var colours = map[statement.LexemeKind]string{
	statement.Comment: dim, statement.Text: green, statement.Number: cyan,
}

// highlight colours what is typed, and changes no character of it.
func highlight(line []rune) string {
	text := string(line)
	if command, rest, ok := backslash(text); ok {
		return magenta + command + plainAgain + rest
	}
	var b strings.Builder
	for _, l := range statement.Lexemes(text) {
		colour := colours[l.Kind]
		if l.Kind == statement.Word && isKeyword(l.Text) {
			colour = bold
		}
		if colour == "" {
			b.WriteString(l.Text)
			continue
		}
		b.WriteString(colour + l.Text + plainAgain)
	}
	return b.String()
}

// backslash splits a backslash command from what follows it; ok is false for
// statements.
func backslash(text string) (command, rest string, ok bool) {
	begin := len(text) - len(strings.TrimLeft(text, " \t"))
	if !strings.HasPrefix(text[begin:], `\`) {
		return "", "", false
	}
	if end := strings.IndexAny(text[begin:], " \t"); end >= 0 {
		return text[:begin+end], text[begin+end:], true
	}
	return text, "", true
}
