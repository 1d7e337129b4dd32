// Package growth estimates an upper bound of what a query can grow to: how many
// parts its plan has once every name is replaced by its definition, and how long
// the texts are that it creates. Engines expand names and build texts without
// checking their own memory limits, so a few hundred bytes of SQL can use all
// memory.
//
// Each gate computes the bounds on its own parse tree. They are rough but never
// too low, with one exception: the text of a column counts as ColumnText bytes,
// however long it is.
package growth

// Assumed sizes of values that are not in the query's text, and limits.
const (
	ColumnText = 64 // assumed bytes of a column's value
	ValueText  = 8  // assumed bytes of a number, or of an element of a list
	// TableWidth is how many columns a table counts for where all are named.
	TableWidth = 64

	MaxNodes = 100_000 // of a plan with every name written out
	MaxWidth = 10_000  // columns of a result
	MaxText  = 1 << 20 // maximum bytes of all texts created for one row
	// PatternText is the maximum length of a text that is matched with a regular
	// expression, because the time can grow with the square of the length.
	PatternText = 2 << 10
	// SmallText is the length up to which a text does not count towards MaxText.
	SmallText = 4 << 10

	// Unbounded is the size of something that has no bound; sums and products are
	// capped at this value.
	Unbounded int64 = 1 << 40
)

// Size bounds the value of an expression.
type Size struct {
	Nodes int64 // parts of the expression, with every name written out
	Text  int64 // bytes of its value
}

// Column is the size of a table's column, Value that of a number.
var (
	Column = Size{1, ColumnText}
	Value  = Size{1, ValueText}
)

// Plus adds two sizes up.
func (s Size) Plus(t Size) Size { return Size{Sum(s.Nodes, t.Nodes), Sum(s.Text, t.Text)} }

// Times is the size of n of a kind.
func (s Size) Times(n int64) Size { return Size{Product(s.Nodes, n), Product(s.Text, n)} }

// Max is the larger one, part by part.
func (s Size) Max(t Size) Size { return Size{max(s.Nodes, t.Nodes), max(s.Text, t.Text)} }

// Sum adds numbers that are not negative, up to Unbounded.
func Sum(a, b int64) int64 { return min(a+b, Unbounded) }

// Product multiplies numbers that are not negative, up to Unbounded.
func Product(a, b int64) int64 {
	if a != 0 && b > Unbounded/a {
		return Unbounded
	}
	return min(a*b, Unbounded)
}
