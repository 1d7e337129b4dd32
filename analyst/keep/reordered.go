package keep

import (
	"fmt"

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

// ChangedOrders returns the columns whose dates were read in another order before.
func ChangedOrders(before, after snapshot.Meta) (changed []Reordered) {
	if before.Provenance == nil || after.Provenance == nil {
		return nil
	}
	for _, was := range before.Provenance.Columns {
		for _, is := range after.Provenance.Columns {
			if is.Name == was.Name && is.DateOrder != "" && was.DateOrder != "" && is.DateOrder != was.DateOrder {
				changed = append(changed, Reordered{was, is})
			}
		}
	}
	return changed
}
