// Package shellwords writes commands that are shown to be copied into a POSIX
// shell. It runs nothing.
package shellwords

import "strings"

// Quote makes s one word.
func Quote(s string) string {
	if s != "" && strings.IndexFunc(s, special) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
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
