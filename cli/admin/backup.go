package admin

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/server/state"
)

func newBackupCmd(a *app.App) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "backup <file>",
		Short: "Copy the state of this machine's instance, even while in use",
		Long: `Backup writes users, tokens, grants, registered tables, usage and audit, as they
are at one moment, into one file that only you can read. It runs on the server's
machine, beside the server. The file is checked before it appears.

To restore, stop the server, remove state.db, state.db-wal and state.db-shm from
server.state_dir, and put the file there as state.db.`,
		Example: "  da admin backup state-monday.db\n  da admin backup latest.db --force",
		Args:    usage.Exactly("file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runAdminBackup(cmd.Context(), a, args[0], force)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace an existing file")
	return cmd
}

// backedUp is what da admin backup --json prints.
type backedUp struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
	state.Content
}

func runAdminBackup(ctx context.Context, a *app.App, file string, force bool) error {
	file = a.Absolute(file)
	if err := output.CheckTarget(file, force); err != nil {
		return err
	}
	store, err := openState(a)
	if err != nil {
		return err
	}
	defer store.Close()
	holds, err := store.Backup(ctx, file)
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	made := backedUp{File: file, Bytes: info.Size(), Content: holds}
	return report(a, made, output.List{
		Columns: []string{"file", "size", "users", "tokens", "grants", "audit rows"},
		Rows:    [][]any{{file, humanize.Bytes(info.Size()), holds.Users, holds.Tokens, holds.Grants, holds.Audit}},
	}, made)
}
