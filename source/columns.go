package source

import (
	"fmt"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
)

// A Described column is an api.Column, and what its source knows of it besides.
type Described interface{ ColumnName() string }

// Column finds a column of a relation by its name. One that the caller may not see
// does not exist.
func Column[C Described](rel Relation, all []C, name string) (found C, err error) {
	for _, c := range all {
		if c.ColumnName() == name && rel.Sees(name) {
			return c, nil
		}
	}
	return found, UnknownColumn(name)
}

// Selected returns the columns that a scan selects, in its order. It fails if the
// scan names a column that does not exist for the caller, be it in a condition.
func Selected[C Described](s Scan, all []C) (columns []C, err error) {
	for i, name := range s.Columns() { // those that it selects are the first
		c, err := Column(s.Relation, all, name)
		if err != nil {
			return nil, err
		}
		if i < len(s.Select) {
			columns = append(columns, c)
		}
	}
	return columns, nil
}

// FirstRows is the scan of n rows, with all columns that the caller may see.
func FirstRows[C Described](rel Relation, all []C, n int) Scan {
	limit := int64(n)
	return Scan{Relation: rel, Select: Visible(rel, all), Limit: &limit}
}

// Visible returns the names of the columns that exist for the caller.
func Visible[C Described](rel Relation, all []C) (names []string) {
	for _, c := range all {
		if rel.Sees(c.ColumnName()) {
			names = append(names, c.ColumnName())
		}
	}
	return names
}

// Columns lists the columns that a scan returns, filters and orders by, in this
// order; a column can occur more than once. It does not include those of the row
// rule, which are not the caller's.
func (s Scan) Columns() []string {
	names := append(append([]string{}, s.Select...), predicate.Columns(s.Where)...)
	for _, o := range s.OrderBy {
		names = append(names, o.Column)
	}
	return names
}

// Reads lists the columns that the source reads for a scan: Columns, and those of
// the row rule.
func (s Scan) Reads() []string {
	return append(s.Columns(), predicate.Columns(s.Relation.Rule)...)
}

// UnknownColumn is the error for a column that does not exist and for one that
// the caller cannot see, so that the error does not reveal which it is.
func UnknownColumn(name string) error {
	return &api.Error{Code: api.CodeUnknownColumn, Message: fmt.Sprintf("unknown column '%s'", api.Clip(name, 80)),
		Details: map[string]any{"column": name}}
}

// Unreadable is the error for a value that Arrow cannot represent. The reason may quote
// the value, so only who sees all of the table is told it.
func Unreadable(column string, err error, seesAll bool) error {
	out := &api.Error{Code: api.CodeQueryFailed, Kind: api.KindUnreadableValue,
		Message: fmt.Sprintf("a value of column '%s' cannot be read", api.Clip(column, 80)),
		Hint:    "Select the other columns, or leave out such rows with a predicate.", Err: err}
	if seesAll {
		out.Message += ": " + api.Clip(err.Error(), 200)
	}
	return out
}
