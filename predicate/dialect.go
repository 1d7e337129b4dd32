package predicate

import (
	"maps"
	"strings"
	"sync"

	"github.com/agnes-data/da/predicate/syntax"
)

// Dialect names a SQL dialect.
type Dialect string

// The dialects. The last ones are only printed: nothing is parsed in them. MySQL has
// the form of MariaDB.
const (
	DuckDB     Dialect = "duckdb"
	GoogleSQL  Dialect = "bigquery"
	Postgres   Dialect = "postgres"
	MySQL      Dialect = "mysql"
	ClickHouse Dialect = "clickhouse"
	Spark      Dialect = "spark"
	Trino      Dialect = "trino"
	Snowflake  Dialect = "snowflake"
)

// dialects lists all dialects with their traits, which are built when first
// needed. Hints with a form for each dialect use this order.
var dialects []namedTraits

type namedTraits struct {
	name   Dialect
	traits func() *Traits
}

// It is set in init, because functions of the dialects look up other dialects in
// this list.
func init() { //nolint:gochecknoinits // an initial value would be a cycle
	dialects = []namedTraits{
		{DuckDB, derived(duckDB)},
		{GoogleSQL, derived(googleSQL)},
		{Postgres, derived(postgreSQL)},
		{MySQL, derived(mySQL)},
		{ClickHouse, derived(clickHouse)},
		{Spark, derived(spark)},
		{Trino, derived(trino)},
		{Snowflake, derived(snowflake)},
	}
}

// derived builds the traits of a dialect once, including derived fields.
func derived(make func() *Traits) func() *Traits {
	return sync.OnceValue(func() *Traits {
		t := make()
		t.spelling = spellings(t.fieldNames, t.partNames)
		return t
	})
}

// unknownDialect has the traits that all dialects of standard SQL share. It is
// neither parsed nor printed.
var unknownDialect = Traits{names: names{foldName: strings.ToLower}, Dialect: &syntax.Dialect{Ident: syntax.DoubleQuoted},
	types: types{nullsFirst: nullsLast, NullsOrder: true}}

// Traits returns the traits of the dialect; never nil.
func (d Dialect) Traits() *Traits {
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

// Hints shows how a dialect writes the most common parts of predicates:
// date_literal, timestamp_literal, interval_subtract, regex of a column field,
// cast of a column x. For a dialect that is only printed, the hints are in the
// dialect that is translated to it.
func Hints(d Dialect) map[string]string { return maps.Clone(d.Traits().hints) }

// OrdersNaN reports whether NaN is a value like others in the dialect: equal to
// itself, and above all numbers.
func OrdersNaN(d Dialect) bool { return d.Traits().NanOrdered }

// OrdersByCodePoint reports whether the dialect orders texts by code point, not
// by a collation.
func OrdersByCodePoint(d Dialect) bool { return !d.Traits().CollateC }

// QuoteIdent returns name as a quoted identifier of the dialect. The name must
// not contain NUL, because no engine can express that.
func QuoteIdent(d Dialect, name string) string { return d.Traits().QuoteIdent(name) }
