package predicate

import "strings"

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

// Token is a part of a text in a dialect of SQL. Text is as written for words,
// numbers and signs; names, strings and bytes in quotes are decoded.
type Token struct {
	Kind    TokenKind
	At, End int // in bytes
	Text    string
}

// Tokens splits up to 64 KiB of SQL; the last token is a TokenEnd. Comments,
// semicolons and parameters are refused, with an error of CodeRejected that has
// one of the kinds of this package and a position.
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

// Uncommented is a statement with a space in place of each character of its
// comments and of semicolons at its end, so that every place in it stays the
// same. Errors are those of Tokens.
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

// comment moves behind a comment of a statement, or a semicolon that only
// comments follow, and returns the number of bytes; 0: there is none.
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
			return 0, &fault{kind: RejectSyntax, at: l.at, found: "/*", expected: "*/", msg: "the comment that begins here does not end", hint: "End it with */."}
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
