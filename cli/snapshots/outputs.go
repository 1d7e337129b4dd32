// Package snapshots has the commands below 'da snapshot', and those for synced
// tables: one file per command. They do not know how snapshots lie on the disk.
package snapshots

import (
	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/query"
	"github.com/agnes-data/da/snapshot"
)

// Outputs says for each command for snapshots what it prints with --json.
func Outputs() output.Printed {
	return output.Printed{
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
		"da snapshot export":  {{Value: query.WrittenFile{}}},
		"da open":             {{Value: query.WrittenFile{}}},
		"da sync":             {{Value: analyst.SyncResult{}}},
		"da disk-info":        {{Value: diskInfo{}}},
	}
}
