package snapshots

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
)

// NewDiskInfoCmd returns 'da disk-info'.
func NewDiskInfoCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "disk-info",
		Short:   "Show what da takes of the disk, and what is free",
		Example: "  da disk-info\n  da disk-info --json",
		Args:    usage.Exactly(),
		RunE: func(*cobra.Command, []string) error {
			return runDiskInfo(a)
		},
	}
}

// diskInfo is what da disk-info --json prints.
type diskInfo struct {
	keep.DiskInfo
	ConfigFile string `json:"config_file"` // the file that sets snapshot_quota_gb, or could
}

func runDiskInfo(a *app.App) error {
	work, format, err := a.Work()
	if err != nil {
		return err
	}
	measured, err := keep.DiskUsage(work)
	if err != nil {
		return err
	}
	info := diskInfo{DiskInfo: measured}
	info.ConfigFile, _ = a.Places().ClientConfig() // without a home folder, there is no such file
	if format != output.Table {
		return a.ShowRecord(format, info)
	}
	_, err = fmt.Fprintf(a.IO.Out, `Snapshots dir:    %s
Used by Agnes:    %s across %s
Free disk:        %s
Configured cap:   %s (%s: snapshot_quota_gb)
Synced tables:    %s in %s
Before refreshes: %s (kept for da snapshot restore)
Workspace:        %s with older versions and drafts (da files)
Conversations:    %s (da conversations)
Safe to delete:   %s of caches and results (server %s, local files %s, results %s, parts of queries %s)
`, a.Tilde(info.SnapshotsDir)+string(filepath.Separator), humanize.Bytes(info.UsedBytes),
		humanize.Plural(int64(info.Snapshots), "snapshot", "snapshots"), humanize.Bytes(info.FreeBytes),
		humanize.Bytes(info.QuotaBytes), a.Tilde(info.ConfigFile),
		humanize.Bytes(info.SyncedBytes), humanize.Plural(int64(info.SyncedTables), "table", "tables"), humanize.Bytes(info.PreviousBytes),
		humanize.Bytes(info.WorkspaceBytes), humanize.Bytes(info.ConversationsBytes),
		humanize.Bytes(info.CacheBytes+info.TabularBytes+info.ResultsBytes+info.PartsBytes), humanize.Bytes(info.CacheBytes),
		humanize.Bytes(info.TabularBytes),
		humanize.Bytes(info.ResultsBytes), humanize.Bytes(info.PartsBytes))
	if err == nil && info.OverQuota {
		a.Tell(info.Warning())
	}
	return err
}
