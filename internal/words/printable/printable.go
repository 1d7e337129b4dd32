// Package printable makes untrusted text safe to show on a terminal: it makes
// control characters, escape sequences and direction overrides visible. It
// changes nothing else, and must not be used for data that will be read back.
package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns s with everything that a terminal would interpret, except line
// feeds, replaced by escapes such as \x1b or \u202e.
func Text(s string) string { return escape(s, true) }

// Line is like Text, for a single line: line feeds are escaped, too.
func Line(s string) string { return escape(s, false) }

func escape(s string, keepNewline bool) string {
	clean := true
	for _, r := range s {
		if Hazardous(r) && !(keepNewline && r == '\n') {
			clean = false
			break
		}
	}
	if clean && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\n' && keepNewline:
			b.WriteRune(r)
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !Hazardous(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// Hazardous reports whether a terminal could interpret r instead of drawing it:
// C0 and C1 controls, and format characters that reorder or hide text.
func Hazardous(r rune) bool {
	if unicode.IsControl(r) {
		return true
	}
	if r == '\u200d' || r == '\u200c' { // joiners belong to scripts and emoji
		return false
	}
	return unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
}
