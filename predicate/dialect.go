package predicate

import "strings"

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

// QuoteIdent returns name as a quoted identifier of the dialect. The name must
// not hold NUL; no engine can express that.
func QuoteIdent(d Dialect, name string) string {
	switch d {
	case GoogleSQL:
		return quoteBacktick(name)
	case MySQL:
		return "`" + strings.ReplaceAll(name, "`", "``") + "`"
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// quoteBacktick follows GoogleSQL, where backtick identifiers know the same
// escapes as strings.
func quoteBacktick(name string) string {
	var b strings.Builder
	b.WriteByte('`')
	writeGoogleEscaped(&b, name, '`')
	b.WriteByte('`')
	return b.String()
}
