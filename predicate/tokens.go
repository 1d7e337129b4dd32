package predicate

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
