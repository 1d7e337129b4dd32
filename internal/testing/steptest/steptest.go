// Package steptest has an example of every step that an error can suggest, for tests
// of the doors that put them into words. It must not say what a door makes of them.
package steptest

import "github.com/agnes-data/da/api"

// All lists every action with an example of its arguments.
func All() []api.Step {
	scan := map[string]any{"table_id": "flights", "select": []string{"delay"}, "where": "delay > 60", "order_by": []string{"delay DESC"}, "limit": 5}
	return []api.Step{
		{Action: api.ActionCatalog, Args: map[string]any{"search": "delay"}},
		{Action: api.ActionSchema, Args: map[string]any{"table_id": "flights"}},
		{Action: api.ActionSample, Args: map[string]any{"table_id": "flights"}},
		{Action: api.ActionWhere, Args: map[string]any{"table_id": "flights", "where": "delay > 60"}},
		{Action: api.ActionEstimate, Args: scan},
		{Action: api.ActionFetch, Args: scan},
		{Action: api.ActionFetch, Args: map[string]any{"table_id": "flights", "as": "late", "force": true}},
		{Action: api.ActionSync, Args: map[string]any{"tables": []string{"airports"}}},
		{Action: api.ActionSnapshots},
		{Action: api.ActionSnapshot, Args: map[string]any{"name": "late"}},
		{Action: api.ActionRefresh, Args: map[string]any{"name": "late", "server": "https://da.example.com"}},
		{Action: api.ActionRefresh, Args: map[string]any{"name": "late", "instance": "/srv/instance.yaml"}},
		{Action: api.ActionRefresh, Args: map[string]any{"name": "late", "where": "delay > 60", "accept_drift": true}},
		{Action: api.ActionLearn, Args: map[string]any{"name": "late"}},
		{Action: api.ActionDrop, Args: map[string]any{"name": "late"}},
		{Action: api.ActionPrune},
		{Action: api.ActionImport, Args: map[string]any{"path": "my file.csv", "as": "mine", "force": true}},
		{Action: api.ActionQuery, Args: map[string]any{"sql": "SELECT count(*) FROM late"}},
		{Action: api.ActionQueryRemote, Args: map[string]any{"sql": "SELECT count(*) FROM flights"}},
		{Action: api.ActionResults},
		{Action: api.ActionDropResult, Args: map[string]any{"name": "@r1"}},
		{Action: api.ActionMap, Args: map[string]any{"path": "my file.csv"}},
		{Action: api.ActionQueryFile, Args: map[string]any{"path": "my file.csv", "sql": "SELECT count(*) FROM data"}},
		{Action: api.ActionMetrics},
		{Action: api.ActionMetric, Args: map[string]any{"name": []string{"on_time_rate"}}},
		{Action: api.ActionQuota},
		{Action: api.ActionLogin, Args: map[string]any{"server": "https://da.example.com"}},
		{Action: api.ActionDiskUsage},
		{Action: api.ActionInit, Args: map[string]any{"folder": "data"}},
		{Action: api.ActionListAdmin, Args: map[string]any{"what": "token"}},
		{Action: api.ActionCreateAdmin, Args: map[string]any{"what": "user", "name": "NAME", "admin": true}},
		{Action: api.ActionUnregister, Args: map[string]any{"table_id": "flights"}},
		{Action: api.ActionMoveState},
		{Action: api.ActionRefreshTable, Args: map[string]any{"table_id": "flights"}},
		{Action: api.ActionFiles, Args: map[string]any{"pattern": "*.xlsx"}},
		{Action: api.ActionPutFile, Args: map[string]any{"path": "my letter.pdf", "as": "letter.pdf"}},
		{Action: api.ActionImportFile, Args: map[string]any{"file": "budget.xlsx", "as": "mine", "force": true}},
		{Action: api.ActionReadFile, Args: map[string]any{"file": "budget.xlsx"}},
		{Action: api.ActionFileInfo, Args: map[string]any{"file": "budget.xlsx"}},
		{Action: api.ActionFileVersions, Args: map[string]any{"file": "budget.xlsx"}},
		{Action: api.ActionRestoreFile, Args: map[string]any{"file": "budget.xlsx"}},
		{Action: api.ActionDrafts},
		{Action: api.ActionSet, Args: map[string]any{"option": api.OptionLimit, "value": "1000"}},
		{Action: api.ActionUnset, Args: map[string]any{"option": api.OptionStrict}},
	}
}
