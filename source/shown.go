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

// maxNamed is how many columns of a table are named in a sentence.
const maxNamed = 50

// Columns says which columns each table has, in sentences.
func (s Shown) Columns() string {
	var lines []string
	for _, table := range slices.Sorted(maps.Keys(s)) {
		names, more := s[table], ""
		if n := len(names) - maxNamed; n > 0 {
			names, more = names[:maxNamed], fmt.Sprintf(" and %d more, which 'da schema %s' lists", n, table)
		}
		lines = append(lines, fmt.Sprintf("%s has the columns %s%s.", table, strings.Join(names, ", "), more))
	}
	return strings.Join(lines, " ")
}

// Misnamed is what a caller who does not see all of the tables is told in place
// of the engine's own words, which could hold names that do not exist for them:
// the columns that there are. The names are in the details, too, so that whoever
// shows the hint can tell that it quotes them.
func (s Shown) Misnamed(kind string, err error) *api.Error {
	return &api.Error{Code: api.CodeQueryFailed, Kind: kind, Err: err, Hint: s.Columns(), Details: map[string]any{"columns": map[string][]string(s)},
		Message: "the statement names a column that is not there, or uses one in a way that does not fit its type"}
}
