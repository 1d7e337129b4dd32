// Package snapshots has the commands below 'da snapshot', and those for synced
// tables: one file per command. They do not know how snapshots lie on the disk.
package snapshots

import (
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/analyst/profiles"
	"github.com/agnes-data/da/analyst/tablesync"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/query"
	"github.com/agnes-data/da/snapshot"
)

// Outputs says for each command for snapshots what it prints with --json.
func Outputs() output.Printed {
	return output.Printed{
		"da snapshot list":    {{When: "with --parts", Value: plan.Parts{}}, {When: "else", Value: keep.Snapshots{}}},
		"da snapshot show":    {{Value: snapshot.Meta{}}},
		"da snapshot drop":    {{Value: snapshotsDropped{}}},
		"da snapshot prune":   {{Value: snapshot.PruneResult{}}},
		"da snapshot refresh": {{When: "with --all", Value: refreshedAll{}}, {When: "else", Value: fetch.RefreshResult{}}},
		"da snapshot restore": {{Value: keep.Restored{}}},
		"da snapshot import":  {{Value: keep.ImportResult{}}},
		"da snapshot rename":  {{Value: keep.Copied{}}},
		"da snapshot copy":    {{Value: keep.Copied{}}},
		"da snapshot note":    {{Value: snapshot.Meta{}}},
		"da snapshot tag":     {{Value: snapshot.Meta{}}},
		"da snapshot pin":     {{Value: snapshot.Meta{}}},
		"da snapshot verify":  {{Value: keep.Verified{}}},
		"da snapshot diff":    {{Value: keep.Diff{}}},
		"da snapshot export":  {{Value: query.WrittenFile{}}},
		"da profile":          {{When: "with --estimate", Value: plan.Plan{}}, {When: "else", Value: profiles.Profiled{}}},
		"da open":             {{Value: query.WrittenFile{}}},
		"da sync":             {{Value: tablesync.Result{}}},
		"da disk-info":        {{Value: diskInfo{}}},
	}
}
