package predicate

import (
	"maps"
	"strings"
	"sync"
)

// Dialect names a SQL dialect.
type Dialect string

// The dialects. MySQL, in the form that MariaDB has, is only printed: nothing is
// parsed in it.
const (
	DuckDB    Dialect = "duckdb"
	GoogleSQL Dialect = "bigquery"
	Postgres  Dialect = "postgres"
	MySQL     Dialect = "mysql"
)

// dialects are all dialects with their traits, which are made when they are
// first asked for. The order is that of hints with a form for each dialect.
var dialects []namedTraits

type namedTraits struct {
	name   Dialect
	traits func() *traits
}

// The list is not an initial value, because what dialects do looks others up in it.
func init() { //nolint:gochecknoinits // an initial value would be a cycle
	dialects = []namedTraits{
		{DuckDB, derived(duckDB)},
		{GoogleSQL, derived(googleSQL)},
		{Postgres, derived(postgreSQL)},
		{MySQL, derived(mySQL)},
	}
}

// derived makes the traits of a dialect once, with what follows from them.
func derived(make func() *traits) func() *traits {
	return sync.OnceValue(func() *traits {
		t := make()
		t.spelling = spellings(t.fieldNames, t.partNames)
		return t
	})
}

// unknownDialect has what is the same in every dialect that follows the
// standard. Nothing is parsed or printed in it.
var unknownDialect = traits{names: names{foldName: strings.ToLower}, printing: printing{quoteIdent: doubleQuoted, nullsFirst: nullsLast, nullsOrder: true}}

// traits returns what the dialect has. It never returns nil.
func (d Dialect) traits() *traits {
	for i := range dialects {
		if dialects[i].name == d {
			return dialects[i].traits()
		}
	}
	return &unknownDialect
}

// Dialects returns the dialects that predicates can be written in.
func Dialects() []Dialect {
	var list []Dialect
	for _, d := range dialects {
		if d.traits().parsed {
			list = append(list, d.name)
		}
	}
	return list
}

// Hints shows how a dialect writes what predicates need most, by what that is:
// date_literal, timestamp_literal, interval_subtract, regex of a column field,
// cast of a column x. What is only printed is hinted at in the dialect that is
// printed in it.
func Hints(d Dialect) map[string]string { return maps.Clone(d.traits().hints) }

// OrdersNaN reports whether NaN is a value like others in the dialect: equal to
// itself, and above all numbers.
func OrdersNaN(d Dialect) bool { return d.traits().nanOrdered }

// OrdersByCodePoint reports whether texts are ordered by their code points in the
// dialect, and not by a collation.
func OrdersByCodePoint(d Dialect) bool { return !d.traits().collateC }

// QuoteIdent returns name as a quoted identifier of the dialect. The name must
// not hold NUL; no engine can express that.
func QuoteIdent(d Dialect, name string) string { return d.traits().quoteIdent(name) }

// doubleQuoted is the standard's form of a quoted identifier.
func doubleQuoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
