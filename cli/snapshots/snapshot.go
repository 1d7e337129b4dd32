package snapshots

import (
	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/usage"
)

// New returns 'da snapshot'.
func New(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "snapshot <command>",
		Aliases: []string{"snapshots"},
		Short:   "List, compare, export, refresh and remove snapshots",
		Long: `Snapshots are the parts of tables that you have fetched: parquet files with a
record of where they came from. 'da fetch' makes them, 'da snapshot import'
makes them of local files, 'da query' reads them.

A note and tags say what a snapshot is kept for. 'da snapshot export' writes one
for a spreadsheet, or as a folder for another machine.`,
		Args: cobra.ArbitraryArgs,
		RunE: usage.Group,
	}
	cmd.AddCommand(newSnapshotListCmd(a), newSnapshotShowCmd(a), newSnapshotImportCmd(a), newSnapshotRefreshCmd(a),
		newSnapshotRestoreCmd(a), newSnapshotDropCmd(a), newSnapshotPruneCmd(a), newSnapshotRenameCmd(a), newSnapshotCopyCmd(a),
		newSnapshotNoteCmd(a), newSnapshotTagCmd(a), newSnapshotPinCmd(a), newSnapshotDiffCmd(a), newSnapshotExportCmd(a),
		newSnapshotVerifyCmd(a))
	return cmd
}
