package predicate

import (
	"math/big"
	"strings"
)

// traits are all that lexer, parser, checker and printer know of a dialect.
// Each file dialect_*.go holds those of one; nothing else asks which it is.
type traits struct {
	name  Dialect
	title string // for people: PostgreSQL
	// parsed says that predicates can be written in the dialect; else it is
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

// lexing is what tokens look like.
type lexing struct {
	hexNumbers      bool   // 0x1F
	digitSeparators bool   // 1_000
	unicodeNames    bool   // letters beyond ASCII need no quotes
	dollarNames     bool   // a$b is a name
	hashComments    bool   // # begins a comment
	backtickNames   bool   // `name`; else "name"
	stringPrefixes  string // what may come right before a quote, in lower case, separated by blanks
	// backslashStrings have escapes in '…' and "…", which both make text, and
	// may be raw, of bytes, or of several lines between three quotes.
	backslashStrings bool
	dollarStrings    bool // $tag$…$tag$
	unicodeEscapes   bool // \u00e9 in E'…'
}

// grammar is which forms exist beside those that all dialects share.
type grammar struct {
	reserved   map[string]bool // words that are not names without quotes, in lower case
	clockWords map[string]bool // functions that are written without parentheses
	// typedLiterals are the words that may come before a string, with what
	// they make it.
	typedLiterals map[string]Type

	concatOperators  string // those that bind looser than +, separated by blanks
	productOperators string // those that bind like *
	regexpOperators  string // operators that match patterns
	// lackingOperators are those of another dialect of the family, each with
	// what does its job.
	lackingOperators map[string]string
	doubleEquals     bool // a == b
	castOperator     bool // x::type
	atTimeZone       bool // x AT TIME ZONE zone; else only inside of EXTRACT
	// collateC is the operator COLLATE "C", for the order of code points where
	// texts are ordered by a collation.
	collateC bool

	// flatTests are comparisons, IS, IN, LIKE and BETWEEN of one rank, which
	// don't chain; else IN, LIKE and BETWEEN bind tighter, and IS looser.
	flatTests        bool
	postfixNull      bool // x ISNULL, x NOTNULL
	isUnknown        bool // x IS UNKNOWN
	ilike            bool // x ILIKE pattern
	likeAny          bool // x LIKE ANY (a, b), x LIKE ALL (a, b)
	escapeClause     bool // LIKE pattern ESCAPE 'c'
	anyList          bool // x = ANY (list)
	inUnnest         bool // x IN UNNEST(list), which is refused
	betweenSymmetric bool // BETWEEN SYMMETRIC, which is refused

	safeCast         string // the function that gives NULL where a cast fails
	keywordArguments bool   // POSITION(a IN b), TRIM(LEADING a FROM b), SUBSTRING(a FROM 1 FOR 2)
	columnsStar      bool   // COLUMNS(…) stands for several columns
	partsAsText      bool   // functions take 'day' as text; else DAY as a word
	zonedTypes       bool   // TIMESTAMP WITH TIME ZONE
	listSuffix       bool   // type[] is a list
	angleTypes       bool   // ARRAY<type>, STRUCT<name type>; else STRUCT(name type)

	intervalCount  countForm // what may appear in INTERVAL n DAY
	intervalQuoted bool      // INTERVAL '30' DAY
	intervalText   bool      // INTERVAL '1 day 02:00'
	intervalRange  bool      // INTERVAL '1-2' YEAR TO MONTH

	// operatorHints say how the dialect does the job of operators and words of
	// others, in place of what is said for all.
	operatorHints map[string]string
}

// countForm is how the number of an interval may be written.
type countForm uint8

const (
	countNone       countForm = iota // not at all: it is part of the text
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
	bareStructs           bool // STRUCT alone: its fields are known from elsewhere
	casts                 []castType
	castHint              string // where the name is one of another dialect
	decimalDigits         int    // how many digits DECIMAL(p, s) may have; 0: those of the type
	castsAnything         bool   // every type can be cast to text
	castsBool32           bool   // booleans become integers of 32 bits only
	castsTimestampsToTime bool
	// implicitZone says that a date or a time without a zone, where a point in
	// time is meant, is one of the session's zone; else they don't mix.
	implicitZone bool
	nanOrdered   bool // NaN is equal to itself, and above all other numbers
	// zoneless are the types of dates with times that do not mix with points in time.
	zoneless []string
	// decimalLimit is the first number that is too large to be compared with a type of
	// decimals, where a number is read as that type; nil where it is not.
	decimalLimit func(Type) float64
}

// literals is what a literal means.
type literals struct {
	strictNull       bool // x = NULL is an error
	nulText          bool // texts may hold NUL
	untypedText      bool // a text becomes whatever it is compared with; else dates and times only
	roundsDecimals   bool // a text compared with a decimal is rounded to its scale
	timeNeedsSeconds bool
	zoneOffsets      bool // '+01:00' is a time zone, read by the standard
	// floatNumber tells numbers with a point or an exponent that are floats;
	// others are decimals.
	floatNumber func(text string) bool
	bigInteger  func(i *big.Int) *Literal // of more than 64 bits; nil: out of range
	// readBytes reads the text form of bytes.
	readBytes    func(s string) ([]byte, bool)
	bytesExample string
}

// functions is what can be called.
type functions struct {
	// cell is how the dialect writes an operation, in the form of row.
	cell func(r *row) string
	// job is how the dialect does what a function of another does.
	job            func(k *kin) string
	upperFunctions bool // names of functions are shown in upper case

	// partNames is how a part is written where a length or a boundary is meant
	// (date_trunc, date_diff, INTERVAL), fieldNames is that of EXTRACT.
	partNames, fieldNames map[string]Part
	weekdayWeeks          bool              // WEEK(MONDAY)
	partFunctions         map[string]string // functions named after the part that they extract
	clockOfDate           bool              // EXTRACT(HOUR FROM date)
	intervalArguments     bool              // DATE_ADD(d, INTERVAL n PART), where these are two arguments
	intResult             int               // the bits of the integers that functions give

	clocks      map[string]ClockKind // functions that tell the time
	clockInZone bool                 // CURRENT_DATE(zone)

	re2              bool   // patterns are those of RE2
	matchFunction    string // what the operator ~ calls; empty: it has its own row
	likeEscape       rune   // of patterns without ESCAPE; 0: there is none
	ilikeFoldsEscape bool   // a letter can't be the escape of ILIKE
	// likeForm returns the match with a written pattern in the form that the
	// engine needs, nil if it needs none. Where it is set, patterns must be
	// written out.
	likeForm func(x Expr, pattern string, escape rune, ignoreCase, negated bool) Expr
}

// printing is how a tree is written.
type printing struct {
	quoteIdent func(name string) string
	// nullsFirst tells where NULLs go that nothing was said about.
	nullsFirst func(desc bool) bool
	nullsOrder bool // ORDER BY x NULLS FIRST; else x IS NULL DESC, x

	// rewrite gives a predicate a form that the engine is good at; nil: as it is.
	rewrite func(e Expr) Expr
	// comparison prints a comparison that needs a form of its own, and says
	// whether this is one; nil if there are none.
	comparison    func(p *printer, e *Compare) bool
	nullSafeEqual bool // a <=> b in place of IS NOT DISTINCT FROM
	// nanGuard follows a comparison of the float $1 that takes NaN as dialects
	// do that are unlike this one in nanOrdered; empty: there is no way.
	nanGuard string
	// element picks an element, false where there is no equal; nil: there are no
	// paths.
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
	nanosecondWord string // before a date and time with nanoseconds; empty: there are none
	fourDigitYears bool   // dates are those of the years 1 to 9999
	interval       func(b *strings.Builder, iv Interval)
	clockSpelling  map[ClockKind]string
}

func nullsLast(bool) bool { return false }

func nullsAreLowest(desc bool) bool { return !desc }

func nullsAreHighest(desc bool) bool { return desc }
