package keep

import (
	"fmt"
	"slices"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/snapshot"
)

// RowCaveats returns what is known of the rows of a snapshot.
func RowCaveats(m snapshot.Meta) []api.Caveat {
	caveats := slices.Clone(m.Caveats)
	if m.Truncated {
		cut := api.CutCaveat(m.Rows, m.CutBy)
		cut.About.Snapshot = m.Name
		cut.Text = fmt.Sprintf("snapshot '%s' has only the first %s: %s stopped it", m.Name, humanize.Plural(m.Rows, "row", "rows"),
			api.CapName(m.CutBy))
		caveats = append(caveats, cut)
	}
	if m.RowRule {
		caveats = append(caveats, api.RowRuleCaveat())
	}
	return caveats
}

// InstallCaveats returns the caveats of a snapshot that was just installed, and what went
// wrong beside that.
func InstallCaveats(m snapshot.Meta, beside []string) []api.Caveat {
	return api.Arranged(append(RowCaveats(m), api.CaveatsOf(api.CaveatOther, beside...)...))
}

// Caveats returns what who uses a snapshot by its name must know: what is known of its
// rows, its age, and whether it is less than the table of that name. The most serious
// comes first.
func Caveats(a *analyst.Analyst, m snapshot.Meta) []api.Caveat {
	caveats := RowCaveats(m)
	about := api.Subject{Snapshot: m.Name}
	if age := a.Now().Sub(m.FetchedAt); a.StaleAfter > 0 && age > a.StaleAfter {
		again := api.Do(api.ActionRefresh, "fetch it again", "name", m.Name)
		if path, imported := m.Imported(); imported {
			again = importStep("import it again", m.Name, path)
		}
		caveats = append(caveats, api.Caveat{Kind: api.CaveatStale, About: about, Reason: "age",
			Text: fmt.Sprintf("snapshot '%s' is %s old", m.Name, humanize.Duration(age)), Next: []api.Step{again}})
	}
	table, _ := api.AsOf(m.TableID)
	if part := m.Part(); part != "" && m.Name == table {
		caveats = append(caveats, api.Caveat{Kind: api.CaveatNotTheTable, About: api.Subject{Table: table, Snapshot: m.Name}, Reason: "part",
			Text: fmt.Sprintf("'%s' is not the whole table: the snapshot of that name has %s", m.Name, part),
			Next: []api.Step{api.Set(api.OptionFetch, "ask the table itself")}})
	}
	return api.Arranged(caveats)
}
