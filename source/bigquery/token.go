package bigquery

import (
	"strings"
	"unicode/utf8"

	"github.com/agnes-data/da/api"
)

// token is a token of GoogleSQL, as far as the gate must tell them apart.
type token struct {
	kind tokenKind
	// text is a name, without its quotes, or a sign. Literals have none.
	text string
	at   int // in bytes
}

type tokenKind uint8

const (
	nameToken   tokenKind = iota // a word or a number
	quotedToken                  // a name in backticks
	literalToken
	signToken
)

// word reports whether the token is the word, not quoted.
func (t token) word(w string) bool { return t.kind == nameToken && strings.EqualFold(t.text, w) }

func (t token) sign(s string) bool { return t.kind == signToken && t.text == s }

// tokens reads a statement's tokens. It refuses what it does not understand;
// comments and semicolons are not read.
func tokens(sql string) ([]token, error) {
	if !utf8.ValidString(sql) {
		return nil, rejected("bad_text", "the statement is not UTF-8")
	}
	var out []token
	for at := 0; at < len(sql); {
		rest := sql[at:]
		c := rest[0]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			at++
		case c == '#' || strings.HasPrefix(rest, "--") || strings.HasPrefix(rest, "/*"):
			return nil, rejected("comment", "comments are not part of a statement")
		case c == ';':
			if strings.TrimSpace(rest[1:]) != "" {
				return nil, rejected("multi_statement", "one statement at a time")
			}
			return out, nil
		case quoteLength(rest) > 0:
			n, ok := quoted(rest)
			if !ok {
				return nil, rejected("syntax_error", "a quote is not closed")
			}
			if c == '`' {
				name := rest[1 : n-1]
				if strings.Contains(name, `\`) {
					return nil, rejected("syntax_error", "names with a backslash are not read")
				}
				out = append(out, token{quotedToken, name, at})
			} else {
				out = append(out, token{literalToken, "", at})
			}
			at += n
		case isWord(c):
			n := 1
			for n < len(rest) && isWord(rest[n]) {
				n++
			}
			out = append(out, token{nameToken, rest[:n], at})
			at += n
		case c < utf8.RuneSelf && c > ' ' && c != '\\' && c != '$' && c != 0x7f:
			out = append(out, token{signToken, rest[:1], at})
			at++
		default:
			return nil, rejected("syntax_error", "the statement has a character that is not part of SQL")
		}
	}
	return out, nil
}

func isWord(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// quoteLength is the length of the prefix and the first quote of what is
// quoted; 0: nothing is.
func quoteLength(s string) int {
	i := 0
	for i < 2 && i < len(s) && strings.IndexByte("rRbB", s[i]) >= 0 {
		i++
	}
	if i < len(s) && (s[i] == '\'' || s[i] == '"' || s[i] == '`' && i == 0) {
		return i + 1
	}
	return 0
}

// quoted is the length of a text or a name in quotes. A backslash takes the
// meaning of a quote away, in raw texts too.
func quoted(s string) (int, bool) {
	i := quoteLength(s) - 1
	mark := s[i : i+1]
	if three := strings.Repeat(mark, 3); mark != "`" && strings.HasPrefix(s[i:], three) {
		mark = three
	}
	for i += len(mark); i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case strings.HasPrefix(s[i:], mark):
			return i + len(mark), true
		case s[i] == '\n' && len(mark) == 1:
			return 0, false
		}
	}
	return 0, false
}

func rejected(kind, message string) error {
	return &api.Error{Code: api.CodeStatement, Kind: kind, Message: message,
		Hint: "A remote query on BigQuery is one SELECT over tables of da catalog."}
}
