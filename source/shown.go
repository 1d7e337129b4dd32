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

// Misnamed is what a caller who does not see all of the tables is told in place
// of the engine's own words, which could hold names that do not exist for them:
// the columns that there are. The names are in the details, too, so that whoever
// shows the hint can tell that it quotes them.
func (s Shown) Misnamed(kind string, err error) *api.Error {
	var lines []string
	for _, table := range slices.Sorted(maps.Keys(s)) {
		lines = append(lines, fmt.Sprintf("%s has the columns %s.", table, strings.Join(s[table], ", ")))
	}
	return &api.Error{Code: api.CodeQueryFailed, Kind: kind, Err: err, Hint: strings.Join(lines, " "), Details: map[string]any{"columns": map[string][]string(s)},
		Message: "the statement names a column that is not there, or uses one in a way that does not fit its type"}
}
