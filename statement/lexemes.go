package statement

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// LexemeKind says what a part of a text is.
type LexemeKind uint8

// The kinds of lexemes.
const (
	Space   LexemeKind = iota
	Comment            // with its marks
	Text               // in quotes, with them
	Name               // in the quotes of names, with them
	Number
	Word // a keyword or a name
	Sign // any other character
)

// Lexeme is a part of a SQL text, for colouring and completion. It proves
// nothing.
type Lexeme struct {
	Kind LexemeKind
	Text string
	At   int // its byte offset
}

// MetricKey begins the names of the columns by which statements of metrics join tables. Of the joined
// table, the semantic model says that no key repeats.
const MetricKey = "key "

// Lexemes splits a text; joined together, the lexemes are the text. Something
// unterminated, such as a quote, extends to the end of the text.
func Lexemes(text string) []Lexeme {
	var all []Lexeme
	for at := 0; at < len(text); {
		kind, n := lexemeAt(text[at:])
		all = append(all, Lexeme{kind, text[at : at+n], at})
		at += n
	}
	return all
}

// OneLine writes a SQL text without comments and in one line. Line ends in quotes stay.
func OneLine(text string) string {
	var out strings.Builder
	gap := ""
	for _, l := range Lexemes(text) {
		if l.Kind == Space || l.Kind == Comment {
			gap = " "
			continue
		}
		if out.Len() > 0 {
			out.WriteString(gap)
		}
		gap = ""
		out.WriteString(l.Text)
	}
	return out.String()
}

func lexemeAt(s string) (kind LexemeKind, n int) {
	n, opaque := skip(s)
	switch {
	case n < 0:
		n = len(s)
		if strings.HasPrefix(s, "/*") {
			return Comment, n
		}
		return quoteKind(s), n
	case opaque:
		return quoteKind(s), n
	case n > 0 && (s[0] == '-' || s[0] == '/'):
		return Comment, n
	case n > 0:
		return Space, n
	}
	word := lexeme().FindString(s)
	switch {
	case '0' <= s[0] && s[0] <= '9':
		return Number, numberLength(s)
	case utf8.RuneCountInString(word) > 1 || letter().MatchString(word):
		return Word, len(word)
	}
	return Sign, len(word)
}

var letter = lazyregexp.New(`^[\pL_]`)

func quoteKind(s string) LexemeKind {
	if s[0] == '"' || s[0] == '`' {
		return Name
	}
	return Text
}

// numberLength returns the length of a number, including characters that may be
// between or after the digits.
func numberLength(s string) int {
	for i := range len(s) {
		c := s[i] | 0x20
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'z' || s[i] == '.' || s[i] == '_') {
			return i
		}
	}
	return len(s)
}

// Functions lists the names of functions that a statement can call, sorted.
func Functions() []string {
	names := slices.Clone(functions().near)
	for name := range functions().inFrom {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
