package predicate

import (
	"strings"

	"github.com/agnes-data/da/api"
)

// TokenKind says what a Token is.
type TokenKind = tokenKind

// The kinds of tokens.
const (
	TokenEnd    = tokEOF
	TokenWord   = tokWord   // an unquoted name or keyword
	TokenQuoted = tokQuoted // a quoted name
	TokenNumber = tokNumber
	TokenString = tokString
	TokenBytes  = tokBytes
	TokenSign   = tokOp // an operator, a bracket, a comma or a dot
)

// Token is a token of a SQL text. Text is the original for words, numbers and
// signs; quoted names, strings and bytes are decoded.
type Token struct {
	Kind    TokenKind
	At, End int // in bytes
	Text    string
}

// Tokens splits up to 64 KiB of SQL; the last token is a TokenEnd. Comments,
// semicolons and parameters are rejected with a CodeRejected error that has one
// of the kinds of this package and a position.
func Tokens(d Dialect, text string) ([]Token, error) {
	list, err := lex(d.traits(), text)
	if err != nil {
		return nil, rejected(err, text)
	}
	out := make([]Token, len(list))
	for i, t := range list {
		out[i] = Token{Kind: t.kind, At: t.at, End: t.end, Text: t.text}
	}
	return out, nil
}

// Uncommented replaces each character of a statement's comments, and semicolons
// at its end, by a space, so that positions stay the same. Errors are those of
// Tokens.
func Uncommented(d Dialect, text string) (string, error) {
	l := &lexer{d: d.traits(), src: text, statement: true}
	tokens, err := l.lex()
	if err != nil {
		return "", rejected(err, text)
	}
	var b strings.Builder
	end := 0
	for _, t := range tokens {
		for _, r := range text[end:t.at] {
			if r != '\n' {
				r = ' '
			}
			b.WriteRune(r)
		}
		b.WriteString(text[t.at:t.end])
		end = t.end
	}
	return b.String(), nil
}

// comment skips a comment of a statement, or a semicolon followed only by
// comments, and returns the number of bytes; 0 if there is nothing to skip.
func (l *lexer) comment() (n int, err error) {
	rest := l.src[l.at:]
	switch {
	case !l.statement:
		return 0, nil
	case strings.HasPrefix(rest, "--"), l.d.hashComments && rest[0] == '#':
		if n = strings.IndexByte(rest, '\n'); n < 0 {
			n = len(rest)
		}
	case strings.HasPrefix(rest, "/*"):
		if n = strings.Index(rest[2:], "*/") + 4; n < 4 {
			return 0, &fault{kind: api.KindSyntaxError, at: l.at, found: "/*", expected: "*/", msg: "the comment that begins here does not end", hint: "End it with */."}
		}
	case rest[0] == ';':
		behind := &lexer{d: l.d, src: rest[1:], statement: true}
		if err := behind.skipSpace(); err != nil || behind.at < len(behind.src) {
			return 0, err
		}
		n = len(rest)
	}
	l.at += n
	return n, nil
}
