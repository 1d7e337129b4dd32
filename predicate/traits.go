package predicate

import (
	"math/big"

	"github.com/agnes-data/da/predicate/syntax"
)

// Traits are everything that checker and printer know about a dialect, beside how it
// is written. Each file dialect_*.go has those of one dialect; no other code depends
// on the dialect's name.
type Traits struct {
	Name Dialect
	*syntax.Dialect
	// parsed says that predicates can be written in the dialect; otherwise it is
	// only printed.
	parsed bool
	hints  map[string]string // what Hints shows
	names
	types
	literals
	functions
	spelling map[Part]string // derived from partNames and fieldNames
}

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
	elementHint        string               // how a list is tested
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
	// ImplicitZone says that a date or a time without time zone is taken in the
	// session's zone where a point in time is needed; otherwise the two do not
	// mix.
	ImplicitZone bool
	nullsFirst   func(desc bool) bool // the default position of NULLs in an order
	NullsOrder   bool                 // ORDER BY x NULLS FIRST; else x IS NULL DESC, x
	NanOrdered   bool                 // NaN equals itself and is greater than all other numbers
	// zoneless are the types of dates with times that do not mix with points in time.
	zoneless []string
	// decimalLimit is the first number that is too large for a comparison with a
	// decimal type, if the engine converts numbers to that type; otherwise nil.
	decimalLimit func(Type) float64
}

// literals describes the meaning of literals.
type literals struct {
	NulText          bool // texts can contain NUL
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

	clocks        map[string]ClockKind // functions that return the time
	clockInZone   bool                 // CURRENT_DATE(zone)
	ClockSpelling map[ClockKind]string // how each clock is written

	re2              bool   // patterns are those of RE2
	matchFunction    string // the function for the operator ~; empty: it has its own row
	likeEscape       rune   // the default escape character of patterns; 0 if there is none
	ilikeFoldsEscape bool   // a letter can't be the escape of ILIKE
	// LikeForm returns the match with a constant pattern in the form that the
	// engine needs, or nil to leave it unchanged. If it is set, patterns must be
	// constants.
	LikeForm func(x Expr, pattern string, escape rune, ignoreCase, negated bool) Expr
}

func nullsLast(bool) bool { return false }

func nullsAreLowest(desc bool) bool { return !desc }

func nullsAreHighest(desc bool) bool { return desc }
