package predicate

import (
	"math/big"
	"strings"
)

// traits are everything that lexer, parser, checker and printer know about a
// dialect. Each file dialect_*.go has those of one dialect; no other code depends
// on the dialect's name.
type traits struct {
	name  Dialect
	title string // for people: PostgreSQL
	// parsed says that predicates can be written in the dialect; otherwise it is
	// only printed.
	parsed bool
	hints  map[string]string // what Hints shows
	lexing
	grammar
	names
	types
	literals
	functions
	printing
	spelling map[Part]string // derived from partNames and fieldNames
}

// lexing describes tokens.
type lexing struct {
	hexNumbers      bool   // 0x1F
	digitSeparators bool   // 1_000
	unicodeNames    bool   // letters beyond ASCII need no quotes
	dollarNames     bool   // a$b is a name
	hashComments    bool   // # starts a comment
	backtickNames   bool   // `name`; otherwise "name"
	stringPrefixes  string // possible prefixes of a quote, in lower case, separated by blanks
	// backslashStrings have escapes in '…' and "…", which are both strings. They
	// can be raw, of bytes, or of several lines between triple quotes.
	backslashStrings bool
	dollarStrings    bool // $tag$…$tag$
	unicodeEscapes   bool // \u00e9 in E'…'
}

// grammar lists the forms that not all dialects share.
type grammar struct {
	reserved   map[string]bool // words that are not names without quotes, in lower case
	clockWords map[string]bool // functions that are written without parentheses
	// typedLiterals are the words that can precede a string, with the resulting
	// type.
	typedLiterals map[string]Type

	concatOperators  string // operators that bind looser than +, separated by blanks
	productOperators string // operators that bind like *
	regexpOperators  string // operators that match patterns
	// lackingOperators are operators of a related dialect, each with its
	// replacement.
	lackingOperators map[string]string
	doubleEquals     bool // a == b
	castOperator     bool // x::type
	atTimeZone       bool // x AT TIME ZONE zone; else only inside of EXTRACT
	// collateC is the operator COLLATE "C", which orders texts by code point
	// where the default is a collation.
	collateC bool

	// flatTests gives comparisons, IS, IN, LIKE and BETWEEN one rank, without
	// chaining. Otherwise IN, LIKE and BETWEEN bind tighter, and IS looser.
	flatTests        bool
	postfixNull      bool // x ISNULL, x NOTNULL
	isUnknown        bool // x IS UNKNOWN
	ilike            bool // x ILIKE pattern
	likeAny          bool // x LIKE ANY (a, b), x LIKE ALL (a, b)
	escapeClause     bool // LIKE pattern ESCAPE 'c'
	anyList          bool // x = ANY (list)
	inUnnest         bool // x IN UNNEST(list), which is refused
	betweenSymmetric bool // BETWEEN SYMMETRIC, which is refused

	safeCast         string // the function that returns NULL where a cast fails
	keywordArguments bool   // POSITION(a IN b), TRIM(LEADING a FROM b), SUBSTRING(a FROM 1 FOR 2)
	columnsStar      bool   // COLUMNS(…) means several columns
	partsAsText      bool   // functions take 'day' as text; otherwise DAY as a word
	zonedTypes       bool   // TIMESTAMP WITH TIME ZONE
	listSuffix       bool   // type[] is a list
	angleTypes       bool   // ARRAY<type>, STRUCT<name type>; else STRUCT(name type)

	intervalCount  countForm // the allowed forms of n in INTERVAL n DAY
	intervalQuoted bool      // INTERVAL '30' DAY
	intervalText   bool      // INTERVAL '1 day 02:00'
	intervalRange  bool      // INTERVAL '1-2' YEAR TO MONTH

	// operatorHints are replacements for operators and words of other dialects;
	// they override the general hints.
	operatorHints map[string]string
}

// countForm is the allowed form of the number in an interval.
type countForm uint8

const (
	countNone       countForm = iota // no number: it is part of the text
	countOperand                     // a number, or anything in parentheses
	countExpression                  // any expression
)

// names is how the names of columns, fields and elements are found.
type names struct {
	foldName func(name string) string // two names with one fold are the same
	// lowerNames says that names without quotes are read in lower case, and that
	// those of fields differ by case.
	lowerNames        bool
	clocksHideColumns bool // a word like CURRENT_DATE is never a column
	fieldSubscript    bool // struct['field']

	subscript          IndexMode            // of list[n]
	subscriptFunctions map[string]IndexMode // of list[function(n)], by the function
	subscriptForm      string               // how an element is picked, for messages
	subscriptHint      string
	elementHint        string // how a list is tested
}

// types maps names of types to each other.
type types struct {
	typeNames             map[string]Type // of columns without parts, in lower case
	structTypes           string          // what structs are called, separated by blanks
	listType, mapType     string
	bareStructs           bool // STRUCT alone is a type; its fields are known from elsewhere
	casts                 []castType
	castHint              string // where the name is one of another dialect
	decimalDigits         int    // maximum digits of DECIMAL(p, s); 0: those of the type
	castsAnything         bool   // every type can be cast to text
	castsBool32           bool   // booleans become integers of 32 bits only
	castsTimestampsToTime bool
	// implicitZone says that a date or a time without time zone is taken in the
	// session's zone where a point in time is needed; otherwise the two do not
	// mix.
	implicitZone bool
	nanOrdered   bool // NaN equals itself and is greater than all other numbers
	// zoneless are the types of dates with times that do not mix with points in time.
	zoneless []string
	// decimalLimit is the first number that is too large for a comparison with a
	// decimal type, if the engine converts numbers to that type; otherwise nil.
	decimalLimit func(Type) float64
}

// literals describes the meaning of literals.
type literals struct {
	nulText          bool // texts can contain NUL
	untypedText      bool // a text takes the type of the other operand; otherwise only dates and times do
	roundsDecimals   bool // a text compared with a decimal is rounded to its scale
	timeNeedsSeconds bool
	zoneOffsets      bool // '+01:00' is a time zone, read by the standard
	// floatNumber reports whether a number with a point or an exponent is a
	// float; all others are decimals.
	floatNumber func(text string) bool
	bigInteger  func(i *big.Int) *Literal // for more than 64 bits; nil: out of range
	// readBytes parses the text form of bytes.
	readBytes    func(s string) ([]byte, bool)
	bytesExample string
}

// functions describes what can be called.
type functions struct {
	// cell is how the dialect writes an operation, in the form of row.
	cell func(r *row) string
	// job returns how the dialect does what another dialect's function does.
	job            func(k *kin) string
	upperFunctions bool // names of functions are shown in upper case

	// partNames are the parts for lengths and boundaries (date_trunc, date_diff,
	// INTERVAL); fieldNames are those of EXTRACT.
	partNames, fieldNames map[string]Part
	weekdayWeeks          bool              // WEEK(MONDAY)
	partFunctions         map[string]string // functions named after the part that they extract
	clockOfDate           bool              // EXTRACT(HOUR FROM date)
	intervalArguments     bool              // DATE_ADD(d, INTERVAL n PART), where these are two arguments
	intResult             int               // the bits of integers that functions return

	clocks      map[string]ClockKind // functions that return the time
	clockInZone bool                 // CURRENT_DATE(zone)

	re2              bool   // patterns are those of RE2
	matchFunction    string // the function for the operator ~; empty: it has its own row
	likeEscape       rune   // the default escape character of patterns; 0 if there is none
	ilikeFoldsEscape bool   // a letter can't be the escape of ILIKE
	// likeForm returns the match with a constant pattern in the form that the
	// engine needs, or nil to leave it unchanged. If it is set, patterns must be
	// constants.
	likeForm func(x Expr, pattern string, escape rune, ignoreCase, negated bool) Expr
}

// printing is how a tree is written.
type printing struct {
	ident func(b *strings.Builder, name string) // quoted
	// nullsFirst returns the default position of NULLs.
	nullsFirst func(desc bool) bool
	nullsOrder bool // ORDER BY x NULLS FIRST; else x IS NULL DESC, x

	// rewrite changes a predicate to a form that the engine evaluates faster; may
	// be nil.
	rewrite func(e Expr) Expr
	// comparison prints comparisons that need a special form, and reports whether
	// this is one; may be nil.
	comparison    func(p *printer, e *Compare) bool
	nullSafeEqual bool // a <=> b replaces IS NOT DISTINCT FROM
	// nanGuard follows a comparison of the float $1, to treat NaN like dialects
	// with the other value of nanOrdered; empty if that is impossible.
	nanGuard string
	// element prints the access to an element, and returns false if there is no
	// equivalent; nil if the dialect has no paths.
	element func(b *strings.Builder, s Step) bool
	pattern func(p *printer, e *Like, pattern Expr)

	text           func(b *strings.Builder, s string)
	bytes          func(b *strings.Builder, v []byte)
	float          func(f float64) string
	decimal        func(p *printer, r *big.Rat, digits int, t Type) string // with so many digits behind the point
	bigIntegers    bool                                                    // of more than 64 bits
	uuids          bool
	datetimeWord   string // before a date and time without zone
	timestampWord  string // before a point in time
	timestampZone  string // behind it
	nanosecondWord string // written before a date and time with nanoseconds; empty if unsupported
	fourDigitYears bool   // dates are those of the years 1 to 9999
	interval       func(b *strings.Builder, iv Interval)
	clockSpelling  map[ClockKind]string
}

func nullsLast(bool) bool { return false }

func nullsAreLowest(desc bool) bool { return !desc }

func nullsAreHighest(desc bool) bool { return desc }
