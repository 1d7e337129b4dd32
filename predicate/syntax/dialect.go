package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Dialect is how a SQL dialect is written: its tokens, and the forms that not
// all dialects share.
type Dialect struct {
	Title string                                // for people: PostgreSQL
	Ident func(b *strings.Builder, name string) // writes a name in quotes

	hexNumbers      bool   // 0x1F
	digitSeparators bool   // 1_000
	unicodeNames    bool   // letters beyond ASCII need no quotes
	dollarNames     bool   // a$b is a name
	hashComments    bool   // # starts a comment
	BacktickNames   bool   // `name`; otherwise "name"
	stringPrefixes  string // possible prefixes of a quote, in lower case, separated by blanks
	// backslashStrings have escapes in '…' and "…", which are both strings. They
	// can be raw, of bytes, or of several lines between triple quotes.
	backslashStrings bool
	// plainStrings, besides, have few escapes, may go over several lines, and have a quote
	// in them also where it is written twice. None is raw, of bytes or in triple quotes.
	plainStrings   bool
	doubleNames    bool // "…" is a name all the same
	dollarStrings  bool // $tag$…$tag$
	unicodeEscapes bool // \u00e9 in E'…'

	Reserved      map[string]bool // words that are not names without quotes, in lower case
	ClockWords    map[string]bool // functions that are written without parentheses
	TypedLiterals map[string]bool // names of types that can precede a string

	concatOperators  string // operators that bind looser than +, separated by blanks
	productOperators string // operators that bind like *
	regexpOperators  string // operators that match patterns
	// lackingOperators are operators of a related dialect, each with its
	// replacement.
	lackingOperators map[string]string
	doubleEquals     bool // a == b
	castOperator     bool // x::type
	atTimeZone       bool // x AT TIME ZONE zone; else only inside of EXTRACT
	// CollateC is the operator COLLATE "C", which orders texts by code point
	// where the default is a collation.
	CollateC bool

	// flatTests gives comparisons, IS, IN, LIKE and BETWEEN one rank, without
	// chaining. Otherwise IN, LIKE and BETWEEN bind tighter, and IS looser.
	flatTests        bool
	postfixNull      bool // x ISNULL, x NOTNULL
	isUnknown        bool // x IS UNKNOWN
	ilike            bool // x ILIKE pattern
	LikeAny          bool // x LIKE ANY (a, b), x LIKE ALL (a, b)
	EscapeClause     bool // LIKE pattern ESCAPE 'c'
	anyList          bool // x = ANY (list)
	inUnnest         bool // x IN UNNEST(list), which is refused
	betweenSymmetric bool // BETWEEN SYMMETRIC, which is refused

	SafeCast         string // the function that returns NULL where a cast fails
	keywordArguments bool   // POSITION(a IN b), TRIM(LEADING a FROM b), SUBSTRING(a FROM 1 FOR 2)
	columnsStar      bool   // COLUMNS(…) means several columns
	PartsAsText      bool   // functions take 'day' as text; otherwise DAY as a word
	ZonedTypes       bool   // TIMESTAMP WITH TIME ZONE
	listSuffix       bool   // type[] is a list
	AngleTypes       bool   // ARRAY<type>, STRUCT<name type>; else STRUCT(name type)

	intervalCount  countForm // the allowed forms of n in INTERVAL n DAY
	IntervalQuoted bool      // INTERVAL '30' DAY
	intervalText   bool      // INTERVAL '1 day 02:00'
	intervalRange  bool      // INTERVAL '1-2' YEAR TO MONTH

	// operatorHints are replacements for operators and words of other dialects;
	// they override the general hints.
	operatorHints map[string]string

	subscriptForm string // how an element is picked, for messages
	subscriptHint string
}

// countForm is the allowed form of the number in an interval.
type countForm uint8

const (
	countNone       countForm = iota // no number: it is part of the text
	countOperand                     // a number, or anything in parentheses
	countExpression                  // any expression
)

// QuoteIdent returns name in quotes.
func (d *Dialect) QuoteIdent(name string) string {
	var b strings.Builder
	b.Grow(len(name) + 2)
	d.Ident(&b, name)
	return b.String()
}

// DoubleQuoted is the standard's form of a quoted identifier.
func DoubleQuoted(b *strings.Builder, name string) { WriteDoubled(b, name, '"') }

// WriteDoubled writes s between quotes; those inside are written twice.
func WriteDoubled(b *strings.Builder, s string, quote byte) {
	b.WriteByte(quote)
	for {
		i := strings.IndexByte(s, quote)
		if i < 0 {
			break
		}
		b.WriteString(s[:i+1])
		b.WriteByte(quote)
		s = s[i+1:]
	}
	b.WriteString(s)
	b.WriteByte(quote)
}

// backtickQuoted follows GoogleSQL, where backtick identifiers know the same
// escapes as strings.
func backtickQuoted(b *strings.Builder, name string) {
	b.WriteByte('`')
	WriteEscaped(b, name, '`')
	b.WriteByte('`')
}

// IsWord reports whether a name is one word of the dialect, which can be a
// reserved one.
func (d *Dialect) IsWord(name string) bool {
	for _, r := range name {
		if r < utf8.RuneSelf && !IsWordByte(byte(r)) || r >= utf8.RuneSelf && !(d.unicodeNames && unicode.In(r, nameRunes...)) {
			return false
		}
	}
	return name != "" && !IsDigit(name[0])
}

// Lower is s with the letters of ASCII in lower case.
func Lower(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'Z' {
			b := []byte(s)
			for j := i; j < len(b); j++ {
				if b[j] >= 'A' && b[j] <= 'Z' {
					b[j] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}
