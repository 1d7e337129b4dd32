package toolbox

import (
	"slices"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestEveryActionIsACall checks the call of each action against the schema of its
// tool, and holds that no tool is without an action by oversight.
func TestEveryActionIsACall(t *testing.T) {
	forPeople := []api.Action{api.ActionResults, api.ActionDropResult, api.ActionLogin, api.ActionInit, api.ActionListAdmin, api.ActionCreateAdmin,
		api.ActionUnregister, api.ActionRefreshTable, api.ActionSet, api.ActionUnset,
		api.ActionPutFile, api.ActionFileVersions, api.ActionRestoreFile, api.ActionDrafts}
	b := &Box{names: map[string]bool{}, tools: tools()}
	byName := map[string]tool{}
	for _, tool := range tools() {
		b.names[tool.name], byName[tool.name] = true, tool
	}
	for _, s := range api.Actions() {
		call, ok := b.stepOf(s)
		if ok == slices.Contains(forPeople, s.Action) {
			t.Errorf("%s: a call: %t", s.Action, ok)
		}
		if !ok {
			continue
		}
		resolved, err := byName[call.Tool].in.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(call.Arguments); err != nil {
			t.Errorf("%s: %s %v: %v", s.Action, call.Tool, call.Arguments, err)
		}
	}
}
