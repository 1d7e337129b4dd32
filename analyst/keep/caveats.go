package keep

import (
	"fmt"
	"slices"
	"strings"

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
		cut.Text = fmt.Sprintf("snapshot '%s' has only the first %s: %s stopped it", m.Name, humanize.Plural(m.Rows, "row", "rows"), api.CapName(m.CutBy))
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

// Caveats returns all that is known of a snapshot whose rows leave it otherwise than
// by a statement, the most serious first.
func Caveats(a *analyst.Analyst, m snapshot.Meta) []api.Caveat { return api.Arranged(UseCaveats(a, m)) }

// UseCaveats returns the caveats of a snapshot for a statement that names it.
func UseCaveats(a *analyst.Analyst, m snapshot.Meta) []api.Caveat {
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
	if part := m.Part(); part != "" && m.Name == m.TableID {
		caveats = append(caveats, api.Caveat{Kind: api.CaveatNotTheTable, About: api.Subject{Table: m.TableID, Snapshot: m.Name}, Reason: "part",
			Text: fmt.Sprintf("'%s' is not the whole table: the snapshot of that name has %s", m.Name, part),
			Next: []api.Step{api.Set(api.OptionFetch, "ask the table itself")}})
	}
	return caveats
}

// OfWorkspace is the prefix for names of workspace files.
const OfWorkspace = "workspace:"

// importStep is the step of importing a snapshot's file again.
func importStep(why, name, path string) api.Step {
	if file, ok := strings.CutPrefix(path, OfWorkspace); ok {
		return api.Do(api.ActionImportFile, why, "file", file, "as", name, "force", true)
	}
	return api.Do(api.ActionImport, why, "path", path, "as", name, "force", true)
}

// ImportAgain is the error for refreshing an imported snapshot; it says how to
// renew it.
func ImportAgain(name, path string) error {
	shown := path
	if path == "-" {
		shown = "standard input"
	}
	return &api.Error{Code: api.CodeUsage, Kind: api.KindImported,
		Message: fmt.Sprintf("snapshot '%s' was imported from %s: there is nothing to fetch again", name, shown),
		Hint:    "Import it again, with the options of the first time.",
		Next:    []api.Step{importStep("do so", name, path)},
		Details: map[string]any{"snapshot": name, "path": path}}
}
