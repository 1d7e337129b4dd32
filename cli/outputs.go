package cli

import (
	"maps"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/admin"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/reference"
	"github.com/agnes-data/da/cli/workfiles"
	"github.com/agnes-data/da/internal/build"
	"github.com/agnes-data/da/snapshot"
	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/toolbox/fit"
	"github.com/agnes-data/da/workspace/content"
)

// outputs says for each command what it prints with --json. The schemas in help
// are made from these types; a test compares them with the real output. A command
// that is missing here prints no JSON.
func outputs() output.Printed {
	all := output.Printed{
		"da catalog":          {{Value: api.TableList{}}, {When: "with --search", Value: api.SearchResult{}}},
		"da schema":           {{When: "with --diff", Value: analyst.SchemaDiff{}}, {When: "else", Value: api.TableSchema{}}},
		"da describe":         {{Value: description{}}},
		"da where":            {{Value: analyst.CheckedWhere{}}},
		"da quota":            {{Value: api.QuotaStatus{}}},
		"da fetch":            {{Value: fetched{}}, {When: "with --estimate", Value: estimated{}}},
		"da snapshot list":    {{When: "with --parts", Value: analyst.Parts{}}, {When: "else", Value: analyst.Snapshots{}}},
		"da snapshot show":    {{Value: snapshot.Meta{}}},
		"da snapshot drop":    {{Value: snapshotsDropped{}}},
		"da snapshot prune":   {{Value: snapshot.PruneResult{}}},
		"da snapshot refresh": {{When: "with --all", Value: refreshedAll{}}, {When: "else", Value: analyst.RefreshResult{}}},
		"da snapshot restore": {{Value: analyst.Restored{}}},
		"da snapshot import":  {{Value: analyst.ImportResult{}}},
		"da snapshot rename":  {{Value: analyst.Kept{}}},
		"da snapshot copy":    {{Value: analyst.Kept{}}},
		"da snapshot note":    {{Value: snapshot.Meta{}}},
		"da snapshot tag":     {{Value: snapshot.Meta{}}},
		"da snapshot pin":     {{Value: snapshot.Meta{}}},
		"da snapshot diff":    {{Value: analyst.Diff{}}},
		"da snapshot export":  {{Value: writtenFile{}}},
		"da open":             {{Value: writtenFile{}}},
		"da sync":             {{Value: analyst.SyncResult{}}},
		"da files add":        {{Value: content.Added{}}},
		"da files import":     {{Value: analyst.ImportResult{}}},
		"da files open":       {{Value: openedFile{}}},
		"da query": {{When: "with --max-tokens, or without --json where an agent runs da", Value: fit.Answer{}}, {When: "with --out", Value: writtenFile{}},
			{When: "of several statements", Value: []statementRows{}}, {When: "of several statements, as an answer that fits", Value: batchAnswer{}}, {When: "of several statements, with --out 'r{n}.csv'", Value: []writtenFile{}}, {When: "else", Value: []api.Row{}}},
		"da plan":           {{Value: analyst.Plan{}}},
		"da check":          {{Value: analyst.Checked{}}},
		"da report":         {{Value: reported{}}},
		"da result list":    {{Value: resultList{}}},
		"da result drop":    {{Value: resultsDropped{}}},
		"da disk-info":      {{Value: diskInfo{}}},
		"da table map":      {{Value: table.Map{}}},
		"da table describe": {{Value: table.Description{}}},
		"da table stats":    {{Value: table.Stats{}}},
		"da table rows":     {{When: "with --max-tokens, or without --json where an agent runs da", Value: fittedRows{}}, {When: "else", Value: table.Rows{}}},
		"da table query":    {{When: "with --max-tokens, or without --json where an agent runs da", Value: fittedResult{}}, {When: "else", Value: table.Result{}}},
		"da table export":   {{Value: table.Export{}}},
		"da login":          {{Value: loggedIn{}}},
		"da logout":         {{Value: loggedOut{}}},
		"da whoami":         {{Value: loggedIn{}}},
		"da init":           {{Value: initResult{}}},
		"da version":        {{Value: build.Info{}}},
		"da skills install": {{Value: skillsResult{}}},
		"da skills list":    {{Value: skillList{}}},
		"da config list":    {{Value: settingList{}}},
		"da config get":     {{Value: setting{}}},
		"da config set":     {{Value: setting{}}},
		"da config unset":   {{Value: setting{}}},
		"da config path":    {{Value: configPath{}}},
		"da help":           {{Value: reference.Document{}}},
		"da doctor":         {{Value: diagnosis{}}},
	}
	maps.Copy(all, admin.Outputs())
	maps.Copy(all, talkOutputs())
	maps.Copy(all, workfiles.Outputs())
	return all
}
