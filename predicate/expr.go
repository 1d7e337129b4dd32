package predicate

import (
	"time"
)

// Expr is a node of a checked predicate. Trees are immutable, so they can be
// shared and used concurrently.
type Expr interface {
	// Type is the type of the node's value.
	Type() Type
	expr()
}

// Step is one step of a path into a nested column.
type Step struct {
	Field string // a struct field, by its exact name; otherwise
	Index int64  // a list element
	Mode  IndexMode
}

// IndexMode says how elements are numbered, and what an index beyond the end
// returns.
type IndexMode uint8

// The index modes.
const (
	NotIndex   IndexMode = iota // the step is a field
	OneBased                    // from 1; beyond the end is NULL; negative from the end (DuckDB)
	Subscript                   // by the array's own bounds; outside them is NULL (PostgreSQL)
	Offset                      // from 0; outside is an error (GoogleSQL)
	SafeOffset                  // from 0; outside is NULL (GoogleSQL)
)

// MayFail reports whether the step can be an error: all modes can, except those
// that return NULL.
func (s Step) MayFail() bool {
	switch s.Mode {
	case NotIndex, OneBased, Subscript, SafeOffset:
		return false
	}
	return true
}

// Column is a column, or a part of it at the end of a path.
type Column struct {
	Name string
	Path []Step
	T    Type
	// As is the engine whose rules apply to the values, if engines differ: 4-byte
	// floats, which engines widen at different points, and blank-padded texts.
	As Dialect
}

// Literal is a constant. Value is nil (NULL), bool, int64 or *big.Int (KindInt),
// float64, *big.Rat (KindDecimal), string (KindString, and KindUUID in lower-case
// hyphenated form), []byte, time.Time in UTC (KindDate, KindDateTime,
// KindTimestamp), time.Duration since midnight (KindTime), or Interval. It must
// not be modified.
type Literal struct {
	Value any
	T     Type
}

// Interval is the value of an interval literal. The three parts don't convert
// into each other.
type Interval struct {
	Months, Days, Micros int64
}

// CompareOp is a comparison.
type CompareOp uint8

// The comparisons. Distinct and NotDistinct take NULL for a value.
const (
	Eq CompareOp = iota
	Ne
	Lt
	Le
	Gt
	Ge
	Distinct
	NotDistinct
)

// mirrored is each comparison with its sides exchanged.
var mirrored = [...]CompareOp{Eq: Eq, Ne: Ne, Lt: Gt, Le: Ge, Gt: Lt, Ge: Le, Distinct: Distinct, NotDistinct: NotDistinct}

// Mirrored returns the operator for swapped sides: > for <.
func (op CompareOp) Mirrored() CompareOp { return mirrored[op] }

// Compare compares two values of comparable types.
type Compare struct {
	Op          CompareOp
	Left, Right Expr
	// As is the engine whose rules apply to the comparison, if engines differ:
	// the order of texts, NaN, blank padding. Empty if they all agree.
	As Dialect
}

// LogicOp joins conditions.
type LogicOp uint8

// The two ways to join.
const (
	OpAnd LogicOp = iota
	OpOr
)

// Logic joins two or more conditions.
type Logic struct {
	Op    LogicOp
	Terms []Expr
}

// Not negates a condition.
type Not struct{ X Expr }

// In tests for membership in a list of at least one value.
type In struct {
	X       Expr
	List    []Expr
	Negated bool
	As      Dialect // as in Compare
}

// Between is Low <= X AND X <= High.
type Between struct {
	X, Low, High Expr
	Negated      bool
	As           Dialect // as in Compare
}

// IsNull tests for NULL.
type IsNull struct {
	X       Expr
	Negated bool
}

// IsTruth is X IS [NOT] TRUE or FALSE; it is never NULL.
type IsTruth struct {
	X       Expr
	Value   bool
	Negated bool
}

// Env is the context of evaluating a predicate.
type Env struct {
	// Now is the time for clock functions, which are then printed as literals in
	// UTC; if it is zero, the functions themselves are printed.
	Now time.Time
}

// Order is one term of an ORDER BY, with the dialect's default spelt out.
type Order struct {
	Column     string
	Desc       bool
	NullsFirst bool
}

func (e *Column) Type() Type  { return e.T }
func (e *Literal) Type() Type { return e.T }
func (e *Compare) Type() Type { return Type{Kind: KindBool} }
func (e *Logic) Type() Type   { return Type{Kind: KindBool} }
func (e *Not) Type() Type     { return Type{Kind: KindBool} }
func (e *In) Type() Type      { return Type{Kind: KindBool} }
func (e *Between) Type() Type { return Type{Kind: KindBool} }
func (e *IsNull) Type() Type  { return Type{Kind: KindBool} }
func (e *IsTruth) Type() Type { return Type{Kind: KindBool} }

func (*Column) expr()  {}
func (*Literal) expr() {}
func (*Compare) expr() {}
func (*Logic) expr()   {}
func (*Not) expr()     {}
func (*In) expr()      {}
func (*Between) expr() {}
func (*IsNull) expr()  {}
func (*IsTruth) expr() {}

// Like matches a whole text against patterns with % and _.
type Like struct {
	X        Expr
	Patterns []Expr // one, or several for LIKE ANY and LIKE ALL
	All      bool   // all patterns must match, not just one
	// Escape is the character that makes % and _ literal; 0: no such character.
	Escape     rune
	IgnoreCase bool
	Negated    bool
	// As names the engine whose rules match, where engines differ.
	As Dialect
}

// Prefix returns the text that a pattern starts with, if the rest of the pattern
// is empty or only %. whole says that it is empty, so that the match is an
// equality. ok is false for other patterns, and if case is ignored.
func (e *Like) Prefix() (text string, whole, ok bool) {
	if len(e.Patterns) != 1 || e.IgnoreCase {
		return "", false, false
	}
	l, written := e.Patterns[0].(*Literal)
	if !written {
		return "", false, false
	}
	pattern, written := l.Value.(string)
	if !written {
		return "", false, false
	}
	parts, complete := SplitPattern(pattern, e.Escape)
	for i, part := range parts {
		if part.Wild {
			return text, false, complete && part.R == '%' && i == len(parts)-1
		}
		text += string(part.R)
	}
	return text, true, complete
}

// Call is an operation of the catalogue.
type Call struct {
	Op   *Operation
	Part Part // of operations on date parts; otherwise empty
	Args []Expr
	T    Type
}

// Cast converts X to a type. A Safe cast returns NULL where the conversion fails.
type Cast struct {
	X    Expr
	To   Type
	Safe bool
	// As names the engine whose rules convert, where engines differ.
	As Dialect
}

// Case returns the value of the first matching arm.
type Case struct {
	Operand Expr // nil: the arms are conditions
	Arms    []Arm
	Else    Expr // nil: NULL
	T       Type
	// As names the engine whose rules compare the operand, where engines differ.
	As Dialect
}

// Arm is one WHEN … THEN … of a Case.
type Arm struct{ When, Then Expr }

// ClockKind says what a Clock returns.
type ClockKind uint8

// The clocks.
const (
	ClockDate      ClockKind = iota // today in UTC
	ClockTimestamp                  // the instant
	ClockDateTime                   // date and time in UTC
	ClockTime                       // time of day in UTC
)

// Clock is the time of the request.
type Clock struct {
	Which ClockKind
	T     Type
}

func (e *Like) Type() Type  { return Type{Kind: KindBool} }
func (e *Call) Type() Type  { return e.T }
func (e *Cast) Type() Type  { return e.To }
func (e *Case) Type() Type  { return e.T }
func (e *Clock) Type() Type { return e.T }

func (*Like) expr()  {}
func (*Call) expr()  {}
func (*Cast) expr()  {}
func (*Case) expr()  {}
func (*Clock) expr() {}
