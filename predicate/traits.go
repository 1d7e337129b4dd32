package predicate

// traits are all that lexer, parser, checker and printer know of a dialect.
// Each file dialect_*.go holds those of one; nothing else asks which it is.
type traits struct {
	name  Dialect
	title string // for people: PostgreSQL
	// parsed says that predicates can be written in the dialect; else it is
	// only printed.
	parsed bool
	lexing
	grammar
	printing
}

// lexing is what tokens look like.
type lexing struct {
	hexNumbers      bool   // 0x1F
	digitSeparators bool   // 1_000
	unicodeNames    bool   // letters beyond ASCII need no quotes
	dollarNames     bool   // a$b is a name
	hashComments    bool   // # begins a comment
	backtickNames   bool   // `name`; else "name"
	stringPrefixes  string // what may stand right before a quote, in lower case, separated by blanks
	// backslashStrings have escapes in '…' and "…", which both make text, and
	// may be raw, of bytes, or of several lines between three quotes.
	backslashStrings bool
	dollarStrings    bool // $tag$…$tag$
	unicodeEscapes   bool // \u00e9 in E'…'
}

// grammar is which forms exist beside those that all dialects share.
type grammar struct {
	reserved   map[string]bool // words that are no names without quotes, in lower case
	clockWords map[string]bool // functions that are written without parentheses
	// typedLiterals are the words that may stand before a string, with what
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

	intervalCount countForm // what may stand in INTERVAL n DAY
	intervalText  bool      // INTERVAL '1 day 02:00'
	intervalRange bool      // INTERVAL '1-2' YEAR TO MONTH

	// operatorHints say how the dialect does the job of operators and words of
	// others, in place of what is said for all.
	operatorHints map[string]string
	subscriptForm string // how an element is picked
	subscriptHint string
}

// countForm is how the number of an interval may be written.
type countForm uint8

const (
	countNone       countForm = iota // not at all: it is part of the text
	countOperand                     // a number, or anything in parentheses
	countExpression                  // any expression
)

// printing is how a tree is written.
type printing struct {
	quoteIdent func(name string) string
	// nullsFirst tells where NULLs go that nothing was said about.
	nullsFirst func(desc bool) bool
}

func nullsLast(bool) bool { return false }

func nullsAreLowest(desc bool) bool { return !desc }

func nullsAreHighest(desc bool) bool { return desc }
