package syntax

import (
	"strings"

	"github.com/agnes-data/da/api"
)

// Tokens splits up to 64 KiB of SQL; the last token is a TokenEnd. Comments,
// semicolons and parameters are rejected with a CodeRejected error that has one
// of the kinds of this package and a position.
func Tokens(d *Dialect, text string) ([]Token, error) {
	list, err := lex(d, text)
	if err != nil {
		return nil, Rejected(err, text)
	}
	return list, nil
}

// Uncommented replaces each character of a statement's comments, and semicolons
// at its end, by a space, so that positions stay the same. Errors are those of
// Tokens.
func Uncommented(d *Dialect, text string) (string, error) {
	l := &lexer{d: d, src: text, statement: true}
	tokens, err := l.lex()
	if err != nil {
		return "", Rejected(err, text)
	}
	var b strings.Builder
	end := 0
	for _, t := range tokens {
		for _, r := range text[end:t.At] {
			if r != '\n' {
				r = ' '
			}
			b.WriteRune(r)
		}
		b.WriteString(text[t.At:t.End])
		end = t.End
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
			return 0, &Fault{Kind: api.KindSyntaxError, At: l.at, Found: "/*", Expected: "*/", Msg: "the comment that begins here does not end",
				Hint: "End it with */."}
		}
	case rest[0] == ';':
		behind := &lexer{d: l.d, src: rest[1:], statement: true}
		if err := behind.skipSpace(); err != nil || behind.at < len(behind.src) {
			return 0, err
		}
		n = len(rest)
	}
	if text := strings.TrimSuffix(strings.TrimSuffix(rest[:n], "\n"), "\r"); l.d.plainStrings && n > 0 &&
		(strings.LastIndex(text, "/*") > 0 && text[0] == '/' || text[0] != '/' && strings.ContainsAny(text, "\r\\")) {
		return 0, &Fault{Kind: api.KindSyntaxError, At: l.at, Found: text[:2], Expected: "a plain comment",
			Msg: "the comment that begins here may end elsewhere for the engine", Hint: "Write comments without another inside and without backslashes."}
	}
	l.at += n
	return n, nil
}
