package syntax

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agnes-data/da/api"
)

// TokenKind says what a token is.
type TokenKind uint8

// The kinds of tokens.
const (
	TokenEnd    TokenKind = iota
	TokenWord             // an unquoted name or keyword
	TokenQuoted           // a quoted identifier, decoded
	TokenNumber
	TokenString // a string literal, decoded
	TokenBytes  // a bytes literal, decoded
	TokenSign   // an operator, a bracket, a comma or a dot
)

// Token is a token of a SQL text. Text is the original for words, numbers and
// signs; quoted names, strings and bytes are decoded.
type Token struct {
	Kind TokenKind
	// double marks a string in double quotes, which elsewhere is a column.
	double bool
	At     int // byte offset of the start
	End    int // byte offset behind it
	Text   string
}

// lexer splits the text into tokens. It rejects comments, semicolons and
// parameters anywhere; the first error in the text is reported.
type lexer struct {
	d    *Dialect
	src  string
	at   int
	toks []Token
	// statement says that the text is a whole statement: comments are allowed,
	// and semicolons at its end.
	statement bool
}

// lex checks the caps and returns the tokens, the last one being tokEOF.
func lex(d *Dialect, src string) ([]Token, error) {
	return lexInto(d, src, nil)
}

// lexInto is lex with memory for the tokens, which is used if it is enough.
func lexInto(d *Dialect, src string, room []Token) ([]Token, error) {
	l := lexer{d: d, src: src, toks: room}
	return l.lex()
}

func (l *lexer) lex() ([]Token, error) {
	src := l.src
	if len(src) > MaxBytes {
		return nil, &Fault{Kind: api.KindTooLong, At: -1,
			Msg:   fmt.Sprintf("the text is %d bytes long, the most is %d", len(src), MaxBytes),
			Found: fmt.Sprint(len(src), " bytes"), Expected: fmt.Sprint(MaxBytes, " bytes"),
			Hint: "Put long lists into a table or a file and join with the fetched rows."}
	}
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRuneInString(src[i:])
		if r == 0 || r == utf8.RuneError && n == 1 {
			what := "a byte that is not UTF-8"
			if r == 0 {
				what = "a NUL byte"
			}
			return nil, &Fault{Kind: api.KindSyntaxError, At: i, Msg: "the text holds " + what, Found: what, Expected: "UTF-8 text"}
		}
		i += n
	}
	l.toks = slices.Grow(l.toks, 16+len(src)/6)
	for {
		if err := l.skipSpace(); err != nil {
			return nil, err
		}
		if l.at >= len(src) {
			l.toks = append(l.toks, Token{Kind: TokenEnd, At: len(src), End: len(src)})
			return l.toks, nil
		}
		if err := l.next(); err != nil {
			return nil, err
		}
	}
}

func (l *lexer) skipSpace() error {
	for l.at < len(l.src) {
		switch l.src[l.at] {
		case ' ', '\t', '\n', '\r', '\f':
			l.at++
		default:
			if n, err := l.comment(); n == 0 || err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *lexer) peek(ahead int) byte {
	if l.at+ahead < len(l.src) {
		return l.src[l.at+ahead]
	}
	return 0
}

// add appends a token that ends at end and moves behind it.
func (l *lexer) add(kind TokenKind, end int, text string) {
	l.toks = append(l.toks, Token{Kind: kind, At: l.at, End: end, Text: text})
	l.at = end
}

func (l *lexer) next() error {
	c := l.src[l.at]
	switch {
	case IsDigit(c), c == '.' && IsDigit(l.peek(1)) && !l.afterOperand():
		return l.number()
	case c == '\'' || c == '"' || c == '`' || c == '$':
		return l.quoted()
	case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf:
		if n := l.prefixedString(); n > 0 {
			return l.quotedWithPrefix(n)
		}
		return l.word()
	}
	return l.operator()
}

// afterOperand distinguishes `a.5` (a path) from `> .5` (a number).
func (l *lexer) afterOperand() bool {
	if len(l.toks) == 0 {
		return false
	}
	t := l.toks[len(l.toks)-1]
	if t.End != l.at {
		return false
	}
	return t.Kind == TokenWord || t.Kind == TokenQuoted || t.Kind == TokenSign && (t.Text == ")" || t.Text == "]")
}

// IsDigit reports whether a byte is a decimal digit.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// IsWordByte reports whether a byte can be in a name without quotes.
func IsWordByte(c byte) bool {
	return c == '_' || IsDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// number takes a number's spelling; the checker reads its value.
func (l *lexer) number() error {
	i := l.at
	digits := func() {
		for i < len(l.src) && (IsDigit(l.src[i]) || l.src[i] == '_' && l.d.digitSeparators) {
			i++
		}
	}
	hex := l.d.hexNumbers && l.src[i] == '0' && (l.peek(1) == 'x' || l.peek(1) == 'X')
	if hex {
		i += 2
		for i < len(l.src) && IsHex(l.src[i]) {
			i++
		}
	} else {
		digits()
		if i < len(l.src) && l.src[i] == '.' {
			i++
			digits()
		}
		if i < len(l.src) && (l.src[i] == 'e' || l.src[i] == 'E') {
			j := i
			i++
			if i < len(l.src) && (l.src[i] == '+' || l.src[i] == '-') {
				i++
			}
			if i >= len(l.src) || !IsDigit(l.src[i]) {
				i = j
			}
			digits()
		}
	}
	if i < len(l.src) && (IsWordByte(l.src[i]) || l.src[i] >= utf8.RuneSelf) {
		end := i
		for end < len(l.src) && (IsWordByte(l.src[end]) || l.src[end] >= utf8.RuneSelf) {
			end++
		}
		return &Fault{Kind: api.KindSyntaxError, At: l.at, Found: l.src[l.at:end], Expected: "a number",
			Msg:  fmt.Sprintf("%q is not a number", Clip(l.src[l.at:end])),
			Hint: "A name that starts with a digit must be quoted: " + l.d.QuoteIdent(Clip(l.src[l.at:end])) + "."}
	}
	if strings.Contains(l.src[l.at:i], "__") || strings.HasSuffix(l.src[l.at:i], "_") {
		return &Fault{Kind: api.KindSyntaxError, At: l.at, Found: l.src[l.at:i], Expected: "a number",
			Msg: fmt.Sprintf("%q is not a number", Clip(l.src[l.at:i])), Hint: "An underscore in a number must be between two digits."}
	}
	l.add(TokenNumber, i, l.src[l.at:i])
	return nil
}

// IsHex reports whether a byte is a hexadecimal digit.
func IsHex(c byte) bool {
	return IsDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// nameRunes are the characters beyond ASCII that names can have without quotes.
var nameRunes = []*unicode.RangeTable{unicode.Letter, unicode.Digit, unicode.Mn, unicode.Mc}

func (l *lexer) word() error {
	i := l.at
	for i < len(l.src) {
		if IsWordByte(l.src[i]) || l.src[i] == '$' && l.d.dollarNames {
			i++
			continue
		}
		if l.src[i] < utf8.RuneSelf {
			break
		}
		r, n := utf8.DecodeRuneInString(l.src[i:])
		if !l.d.unicodeNames || !unicode.In(r, nameRunes...) {
			return l.strangeRune(i, r)
		}
		i += n
	}
	l.add(TokenWord, i, l.src[l.at:i])
	return nil
}

// strangeRune explains a character that has no meaning in any dialect, such as
// curly quotes from word processors.
func (l *lexer) strangeRune(at int, r rune) error {
	f := &Fault{Kind: api.KindSyntaxError, At: at, Found: fmt.Sprintf("%U", r),
		Msg: fmt.Sprintf("the character %q (%U) means nothing here", r, r)}
	switch {
	case unicode.In(r, unicode.Quotation_Mark) || strings.ContainsRune("´ˋʼ′″＇＂", r):
		f.Hint = "Text is written in straight quotes: 'text'."
		f.Expected = "a straight quote"
	case unicode.IsSpace(r) || unicode.Is(unicode.Cf, r):
		f.Hint = "Use an ordinary space."
		f.Expected = "a space"
	case unicode.IsLetter(r):
		quotes := "double quotes"
		if l.d.BacktickNames {
			quotes = "backticks"
		}
		f.Hint = "A name with letters beyond ASCII must be quoted in " + quotes + "."
	}
	return f
}

// operators, longest first. Operators that the grammar does not support are
// included, so that errors name the whole operator.
var operators = []string{
	"!~~*", "->>", "!~~", "~~*", "!~*", "<=>", "#>>", "===",
	"::", "||", "<>", "!=", "<=", ">=", "==", "//", "**", "->", "=>", "~~", "!~", "~*", "&&", "@>", "<@", "<<", ">>", "^@", "#>", "|>",
	"+", "-", "*", "/", "%", "=", "<", ">", "~", "^", "&", "|", ":", "{", "}", "!", "#", "@", "\\",
}

// operatorBytes are the characters of operators, except brackets, commas and
// dots, which are always single.
const operatorBytes = "+-*/%=<>~^&|:!#@?"

// alone are the operators that do not start a longer one.
const alone = "(),[]."

func (l *lexer) operator() error {
	rest := l.src[l.at:]
	if strings.IndexByte(alone, rest[0]) >= 0 {
		l.add(TokenSign, l.at+1, rest[:1])
		return nil
	}
	switch {
	case strings.HasPrefix(rest, "--"), strings.HasPrefix(rest, "/*"), l.d.hashComments && rest[0] == '#':
		return &Fault{Kind: api.KindCommentInject, At: l.at, Found: rest[:min(2, len(rest))],
			Msg:  "comments are not allowed in a predicate",
			Hint: "Remove the comment; write a minus before a negative number with a space or parentheses: 1 - (-1)."}
	case rest[0] == ';':
		return &Fault{Kind: api.KindMultiStatement, At: l.at, Found: ";",
			Msg: "a semicolon ends a statement, and a predicate is only one condition", Hint: "Remove the semicolon and all that follows it."}
	case rest[0] == '?', strings.HasPrefix(rest, "@@"):
		return l.parameter(rest)
	case rest[0] == '@' && len(rest) > 1 && (IsWordByte(rest[1]) || rest[1] == '`'),
		rest[0] == ':' && len(rest) > 1 && IsWordByte(rest[1]) && !IsDigit(rest[1]) && !l.afterOperand():
		return l.parameter(rest)
	case strings.HasPrefix(rest, "{{"), strings.HasPrefix(rest, "{%"):
		return &Fault{Kind: api.KindSyntaxError, At: l.at, Found: rest[:2], Msg: "templates are not filled in here",
			Hint: "Write the value itself."}
	}
	if strings.IndexByte(operatorBytes, rest[0]) >= 0 && (len(rest) == 1 || strings.IndexByte(operatorBytes, rest[1]) < 0) {
		l.add(TokenSign, l.at+1, rest[:1])
		return nil
	}
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			l.add(TokenSign, l.at+len(op), op)
			return nil
		}
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return l.strangeRune(l.at, r)
}

func (l *lexer) parameter(rest string) error {
	end := 1
	for end < len(rest) && (IsWordByte(rest[end]) || rest[end] == '@') {
		end++
	}
	what := "query parameters"
	if strings.HasPrefix(rest, "@@") {
		what = "system variables"
	}
	hint := "Write the value itself as a literal."
	if strings.HasPrefix(strings.TrimLeft(rest[end:], " "), "'") { // js ? 'a', js @@ '$.a'
		hint = jsonHint
	}
	return &Fault{Kind: api.KindParameter, At: l.at, Found: rest[:end], Msg: what + " are not allowed in a predicate", Hint: hint}
}
