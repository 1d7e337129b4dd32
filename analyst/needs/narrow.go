package needs

import (
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
)

// Key reports whether a predicate can list values of a column, and whether they
// compare here with values of the local type other without conversion.
func Key(t Table, column, other string) bool {
	c, err := newCollector(t)
	if err != nil || !c.travels(column) {
		return false
	}
	for _, f := range c.typed.Columns() {
		if f.Name != column {
			continue
		}
		switch f.Type.Kind {
		case predicate.KindInt:
			return slices.Contains([]string{"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}, other)
		case predicate.KindString, predicate.KindDate:
			return LocalType(f.Type) == other
		}
	}
	return false
}

// Narrow adds to a predicate, in the table's dialect, that a column has one of
// some values, given as text. ok is false if the source cannot check that.
func Narrow(t Table, where, column string, values []string) (narrowed string, ok bool) {
	c, err := newCollector(t)
	if err != nil {
		return "", false
	}
	items := make([]string, len(values))
	for i, v := range values {
		items[i] = c.constant(column, v)
	}
	in, err := predicate.Parse(predicate.DuckDB, duckdb.Quote(column)+" IN ("+strings.Join(items, ", ")+")", c.typed)
	if err != nil || c.unfit(in) != "" {
		return "", false
	}
	there, err := predicate.NewSchema(t.Dialect, t.Columns)
	if err != nil {
		return "", false
	}
	var both predicate.Expr
	if where != "" {
		if both, err = predicate.Parse(t.Dialect, where, there.Named(t.ID)); err != nil {
			return "", false
		}
	}
	both = predicate.Canonical(predicate.And(both, in))
	if narrowed, err = print.SQL(t.Dialect, both, predicate.Env{}); err != nil || c.accepted(narrowed) != nil {
		return "", false
	}
	return narrowed, true
}

// constant writes a value of a column as a literal of the engine.
func (c *collector) constant(column, text string) string {
	for _, f := range c.typed.Columns() {
		if f.Name == column && f.Type.Kind == predicate.KindInt {
			return text
		}
	}
	return duckdb.Literal(text) // of a date, too
}
