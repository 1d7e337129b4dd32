package keep

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
)

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
