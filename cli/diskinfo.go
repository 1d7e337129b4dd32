package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/humanize"
)

func newDiskInfoCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "disk-info",
		Short:   "Show what da takes of the disk, and what is free",
		Example: "  da disk-info\n  da disk-info --json",
		Args:    exactArgs(),
		RunE: func(*cobra.Command, []string) error {
			return runDiskInfo(a)
		},
	}
}

// diskInfo is what da disk-info --json prints.
type diskInfo struct {
	analyst.DiskInfo
	ConfigFile string `json:"config_file"` // where snapshot_quota_gb stands, or would
}

func runDiskInfo(a *app) error {
	format, err := a.outputFormat()
	if err != nil {
		return err
	}
	work, err := a.analyst()
	if err != nil {
		return err
	}
	measured, err := work.DiskInfo()
	if err != nil {
		return err
	}
	info := diskInfo{DiskInfo: measured}
	info.ConfigFile, _ = a.places().ClientConfig() // no home folder: nowhere to set it
	if format != output.Table {
		return a.showRecord(format, info)
	}
	_, err = fmt.Fprintf(a.IO.Out, `Snapshots dir:    %s
Used by Agnes:    %s across %s
Free disk:        %s
Configured cap:   %s (%s: snapshot_quota_gb)
Synced tables:    %s in %s
Safe to delete:   %s of caches and results (server %s, local files %s, results %s)
`, a.tilde(info.SnapshotsDir)+string(filepath.Separator), humanize.Bytes(info.UsedBytes),
		humanize.Plural(int64(info.Snapshots), "snapshot", "snapshots"), humanize.Bytes(info.FreeBytes),
		humanize.Bytes(info.QuotaBytes), a.tilde(info.ConfigFile),
		humanize.Bytes(info.SyncedBytes), humanize.Plural(int64(info.SyncedTables), "table", "tables"),
		humanize.Bytes(info.CacheBytes+info.TabularBytes+info.ResultsBytes), humanize.Bytes(info.CacheBytes), humanize.Bytes(info.TabularBytes), humanize.Bytes(info.ResultsBytes))
	if err == nil && info.OverQuota {
		a.warnNotes(info.Warning())
	}
	return err
}

// quotaOf is the soft cap on snapshots, in bytes.
func quotaOf(cfg config.Client) int64 { return int64(cfg.SnapshotQuotaGB * 1e9) }

// warnOverQuota warns after writing a snapshot if all of them pass their soft cap.
func (a *app) warnOverQuota(work *analyst.Analyst) { a.warnNotes(work.OverQuota()...) }

// tilde shortens a path below the home folder, for people.
func (a *app) tilde(path string) string {
	if rest, ok := strings.CutPrefix(path, a.Home+string(filepath.Separator)); ok && a.Home != "" {
		return filepath.Join("~", rest)
	}
	return path
}
