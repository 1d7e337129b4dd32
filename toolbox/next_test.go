package toolbox

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/steptest"
	"github.com/agnes-data/da/toolbox/tool"
)

// TestEveryActionIsACall checks the call of each action against the schema of its
// tool, and holds that no tool is without an action by oversight.
func TestEveryActionIsACall(t *testing.T) {
	forPeople := []api.Action{api.ActionResults, api.ActionDropResult, api.ActionLogin, api.ActionInit, api.ActionListAdmin, api.ActionCreateAdmin, api.ActionMoveState,
		api.ActionUnregister, api.ActionRefreshTable, api.ActionSet, api.ActionUnset,
		api.ActionPutFile, api.ActionFileVersions, api.ActionRestoreFile, api.ActionDrafts, api.ActionLearn}
	c := tool.NewCall(&tool.Config{}, tools(), false)
	for _, s := range steptest.All() {
		var answer struct {
			Next *struct {
				Tool      string         `json:"tool"`
				Arguments map[string]any `json:"arguments"`
			} `json:"next"`
		}
		failed := c.Failed(t.Context(), "", &api.Error{Code: api.CodeUsage, Next: []api.Step{s}})
		if err := json.Unmarshal(failed.Text, &answer); err != nil {
			t.Fatal(err)
		}
		call, ok := answer.Next, answer.Next != nil
		if ok == slices.Contains(forPeople, s.Action) {
			t.Errorf("%s: a call: %t", s.Action, ok)
		}
		if !ok {
			continue
		}
		known, _ := tools().Named(call.Tool)
		resolved, err := known.In.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(call.Arguments); err != nil {
			t.Errorf("%s: %s %v: %v", s.Action, call.Tool, call.Arguments, err)
		}
	}
}
