package keep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/snapshot"
)

// Reordered is a column in whose dates day and month have changed places.
type Reordered struct{ was, is api.Column }

// Lost reports whether the dates proved the order before, and the new one is guessed.
func (r Reordered) Lost() bool { return !r.was.DateGuessed && r.is.DateGuessed }

// String words the change.
func (r Reordered) String() string {
	how := map[bool]string{true: "guessed", false: "proven by its dates"}
	return fmt.Sprintf("'%s' was %s, %s, and is %s, %s", r.is.Name, r.was.DateOrder, how[r.was.DateGuessed], r.is.DateOrder,
		how[r.is.DateGuessed])
}

// Caveat tells the change.
func (r Reordered) Caveat() api.Caveat {
	return api.Caveat{Kind: api.CaveatChanged, About: api.Subject{Columns: []string{r.is.Name}},
		Text: fmt.Sprintf("day and month have changed places: column %s; rows that were there before may have other dates now", r)}
}

// OrderLost returns an error if dates that proved their order are not read in it any more.
// kept says what stays as it was.
func OrderLost(changed []Reordered, table, kept string, next ...api.Step) error {
	if !slices.ContainsFunc(changed, Reordered.Lost) {
		return nil
	}
	texts := make([]string, len(changed))
	for i, c := range changed {
		texts[i] = c.String()
	}
	return &api.Error{Code: api.CodeSchemaDrift, Kind: api.KindSchemaDrift,
		Message: fmt.Sprintf("The dates of %s are read in another order now: %s", table, api.Clip(strings.Join(texts, "; "), 300)),
		Hint:    kept + " The key date_format of the table in the instance file sets the order.",
		Next:    append(next, api.Set(api.OptionAcceptDrift, "have the new order")),
		Details: map[string]any{"changed": texts, "table_id": table}}
}

// ChangedOrders returns the columns whose dates were read in another order before.
func ChangedOrders(before, after snapshot.Meta) []Reordered {
	if before.Provenance == nil || after.Provenance == nil {
		return nil
	}
	return Reorders(before.Provenance.Columns, after.Provenance.Columns)
}

// Reorders is ChangedOrders for the columns of a table.
func Reorders(before, after []api.Column) (changed []Reordered) {
	for _, was := range before {
		for _, is := range after {
			if is.Name == was.Name && is.DateOrder != "" && was.DateOrder != "" && is.DateOrder != was.DateOrder {
				changed = append(changed, Reordered{was, is})
			}
		}
	}
	return changed
}
