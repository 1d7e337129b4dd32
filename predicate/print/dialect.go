package print

import (
	"math/big"
	"strings"
	"time"

	"github.com/agnes-data/da/predicate"
)

// dialects are the engines that predicates are written for.
var dialects = map[predicate.Dialect]*dialect{
	predicate.DuckDB: duckDB, predicate.GoogleSQL: googleSQL, predicate.Postgres: postgreSQL, predicate.MySQL: mySQL,
	predicate.ClickHouse: clickHouse,
	predicate.Spark:      sparkPlan,
	predicate.Trino:      trino,
	predicate.Snowflake:  snowflake,
}

// dialect is how a dialect writes a tree.
type dialect struct {
	// rewrite changes a predicate to a form that the engine evaluates faster; may
	// be nil.
	rewrite func(e predicate.Expr) predicate.Expr
	// lacks names what the engine cannot do of a node, or does otherwise; may be nil.
	lacks func(e predicate.Expr) string
	// template changes the template of an operation to text; may be nil.
	template func(t string) string
	// comparison prints comparisons that need a special form, and reports whether
	// this is one; may be nil.
	comparison    func(p *printer, e *predicate.Compare) bool
	nullSafeEqual bool // a <=> b replaces IS NOT DISTINCT FROM
	// plainLists says that IN takes only constants without NULL, of the operand's kind;
	// other lists become comparisons.
	plainLists bool
	// noTruthTests says that x IS TRUE is written with coalesce.
	noTruthTests bool
	// strangeUUIDs says that UUIDs are not ordered by their digits.
	strangeUUIDs bool
	// nanGuard follows a comparison of the float $1, to treat NaN like dialects
	// with the other value of NanOrdered; empty if that is impossible.
	nanGuard string
	// element prints the access to an element, and returns false if there is no
	// equivalent; nil if the dialect has no paths.
	element func(b *strings.Builder, s predicate.Step) bool
	pattern func(p *printer, e *predicate.Like, pattern predicate.Expr)

	text           func(b *strings.Builder, s string)
	bytes          func(b *strings.Builder, v []byte)
	float          func(f float64) string
	decimal        func(p *printer, r *big.Rat, digits int, t predicate.Type) string // with so many digits behind the point
	bigIntegers    bool                                                              // of more than 64 bits
	uuids          bool
	datetimeWord   string // before a date and time without zone
	timestampWord  string // before a point in time
	timestampZone  string // behind it
	nanosecondWord string // written before a date and time with nanoseconds; empty if unsupported
	fourDigitYears bool   // dates are those of the years 1 to 9999
	// moment prints dates and times that need a special form; may be nil.
	moment   func(p *printer, t predicate.Type, v time.Time)
	interval func(b *strings.Builder, iv predicate.Interval)
}
