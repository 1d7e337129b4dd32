package source

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
)

// Shown are the columns of a statement's tables that exist for its caller.
type Shown map[string][]string

// With adds a column of a table.
func (s Shown) With(table, column string) Shown {
	if s == nil {
		s = Shown{}
	}
	s[table] = append(s[table], column)
	return s
}

// maxNamed is how many columns of a table are named in a sentence.
const maxNamed = 50

// Columns says which columns each table has, in sentences.
func (s Shown) Columns() string {
	var lines []string
	for _, table := range slices.Sorted(maps.Keys(s)) {
		names, more := s[table], ""
		if n := len(names) - maxNamed; n > 0 {
			names, more = names[:maxNamed], fmt.Sprintf(" and %d more", n)
		}
		lines = append(lines, fmt.Sprintf("%s has the columns %s%s.", table, strings.Join(names, ", "), more))
	}
	return strings.Join(lines, " ")
}

// Next lists the steps that show the columns of those tables for which Columns
// does not name all.
func (s Shown) Next() []api.Step {
	var steps []api.Step
	for _, table := range slices.Sorted(maps.Keys(s)) {
		if len(s[table]) > maxNamed {
			steps = append(steps, api.Do(api.ActionSchema, "see all columns of "+table, "table_id", table))
		}
	}
	return steps
}

// Misnamed replaces the engine's error for a caller who does not see all of the
// tables, because the engine could name hidden columns. The names in the hint are
// also in the details, so that a door can mark them as data.
func (s Shown) Misnamed(kind string, err error) *api.Error {
	return &api.Error{Code: api.CodeQueryFailed, Kind: kind, Err: err, Hint: s.Columns(), Next: s.Next(),
		Details: map[string]any{"columns": map[string][]string(s)},
		Message: "the statement names a column that is not there, or uses one in a way that does not fit its type"}
}
