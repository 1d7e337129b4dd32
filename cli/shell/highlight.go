package shell

import (
	"strings"

	"github.com/agnes-data/da/statement"
)

// Only the terminal's own sixteen colours are used, because users choose them to
// be readable on their background. Bold and dim work on any background.
const (
	bold, dim            = "\x1b[1m", "\x1b[2m"
	green, cyan, magenta = "\x1b[32m", "\x1b[36m", "\x1b[35m"
	plainAgain           = "\x1b[0m"
)

var colours = map[statement.LexemeKind]string{
	statement.Comment: dim, statement.Text: green, statement.Number: cyan,
}

// highlight adds colours to the typed text without changing its characters.
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

// backslash splits a backslash command from its arguments; ok is false for
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
