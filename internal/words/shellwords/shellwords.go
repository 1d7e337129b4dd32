// Package shellwords writes commands that are shown to be copied into a POSIX
// shell, and takes lines apart as one does. It runs nothing.
package shellwords

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Quote makes s one word.
func Quote(s string) string {
	if s != "" && strings.IndexFunc(s, special) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// File makes the name of a file one word that no program takes for an option.
func File(path string) string {
	if path != "-" && strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return Quote(path)
}

// Join writes a command of several words.
func Join(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = Quote(w)
	}
	return strings.Join(quoted, " ")
}

// special reports whether a shell may give r a meaning.
func special(r rune) bool {
	return !(r == '_' || r == '-' || r == '.' || r == ',' || r == '/' || r == ':' || r == '@' ||
		'0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
}

// Split takes a line apart into words as a POSIX shell does, without expanding
// anything: quotes keep space together, and a backslash keeps the next
// character, in double quotes only before " and \. A quote that does not end is
// an error.
func Split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote rune
	begun, escaped := false, false
	for _, r := range line {
		switch {
		case escaped:
			if quote == '"' && r != '"' && r != '\\' {
				word.WriteByte('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			begun, escaped = true, true
		case r == quote && quote != 0:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			begun, quote = true, r
		case unicode.IsSpace(r):
			if begun {
				words = append(words, word.String())
			}
			begun = false
			word.Reset()
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("the quote %c does not end", quote)
	case escaped:
		return nil, errors.New("a backslash at the end keeps nothing")
	case begun:
		words = append(words, word.String())
	}
	return words, nil
}
