package predicate

import (
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

// The list is no initial value, because what dialects do looks others up in it.
func init() {
	dialects = []namedTraits{
		{DuckDB, sync.OnceValue(duckDB)},
		{GoogleSQL, sync.OnceValue(googleSQL)},
		{Postgres, sync.OnceValue(postgreSQL)},
		{MySQL, sync.OnceValue(mySQL)},
	}
}

// unknownDialect has what is the same in every dialect that follows the
// standard. Nothing is parsed or printed in it.
var unknownDialect = traits{printing: printing{quoteIdent: doubleQuoted, nullsFirst: nullsLast}}

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

// QuoteIdent returns name as a quoted identifier of the dialect. The name must
// not hold NUL; no engine can express that.
func QuoteIdent(d Dialect, name string) string { return d.traits().quoteIdent(name) }

// doubleQuoted is the standard's form of a quoted identifier.
func doubleQuoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
