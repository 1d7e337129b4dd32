// Package admin has the commands below 'da admin': one file per subject. They
// show and change what a server offers its admins. They do not decide who is
// allowed to do so.
package admin

import (
	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/usage"
)

// New returns the command with its subcommands, and those of other groups.
func New(a *app.App, others ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "admin <command>",
		Short: "Manage users, tokens, grants and tables; see who used what",
		Long: `Admin changes who may read what, and shows what was asked and used. It works on
the instance of this machine, or on a server with an admin's token. What it
changes acts at once, also in a server that runs on the same state.`,
		Args: cobra.ArbitraryArgs,
		RunE: usage.Group,
	}
	cmd.Example = "  da admin token create --user ann@example.com --expires 90d\n  da admin grant --user ann@example.com --table orders\n  da admin audit --since 24h"
	cmd.AddCommand(newUserCmd(a), newGroupCmd(a), newTokenCmd(a), newGrantCmd(a), newTableCmd(a),
		newQuotaCmd(a), newRequestCmd(a), newAuditCmd(a), newBackupCmd(a), newStateCmd(a), newRefreshCmd(a))
	cmd.AddCommand(others...)
	return cmd
}
