package googlesql

// The tree has only what is needed to limit the size that a statement can grow
// to.

// query is a SELECT, several of them with a set operation, or a query that reads
// another one.
type query struct {
	at        int
	recursive bool
	with      []cte
	sides     []*query // of set operations; otherwise selects is set
	selects   *selects
	rest      []*expr // ORDER BY and LIMIT
}

type cte struct {
	name string // in lower case
	as   *query
}

type selects struct {
	items  []item
	from   *relation
	rest   []*expr // conditions and windows
	groups []*expr
	sets   int64 // sets of rows that GROUP BY makes
	row    bool  // SELECT AS STRUCT or AS VALUE: one column
}

// item is one of the columns of a SELECT, or a star.
type item struct {
	star  bool
	value *expr // nil for a star of all
	alias string
}

// relation is one item of FROM.
type relation struct {
	at      int
	name    string // of a table or a WITH, in lower case
	alias   string // in lower case
	query   *query
	of      []*expr // the arrays that UNNEST and paths turn into rows
	parts   []*relation
	joined  []*expr  // conditions of joins
	made    []*expr  // columns that PIVOT makes
	columns []string // that UNNEST's offset and UNPIVOT add
}

type exprKind uint8

const (
	literal exprKind = iota
	column           // path names it
	call             // of the function in text
	subquery
	operators // anything else that is built from its parts
	branches  // CASE: one of its parts
)

type expr struct {
	at    int
	kind  exprKind
	text  string // of a literal, decoded; the function of a call, in lower case
	path  []string
	parts []*expr
	sub   *query
	grown bool // operators: with || among them
	stays bool // operators: a truth value or a number
}
