package setup

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/config"
)

// NewWhoamiCmd returns 'da whoami'.
func NewWhoamiCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "whoami",
		Short:   "Show who you are to the server",
		Example: "  da whoami\n  da whoami --server prod --json",
		Args:    usage.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runWhoami(cmd.Context(), a)
		},
	}
}

func runWhoami(ctx context.Context, a *app.App) error {
	remote, err := a.Connect()
	if err != nil {
		return err
	}
	who, err := remote.Whoami(ctx)
	if err != nil {
		return err
	}
	result := loggedIn{User: who.User, Admin: who.Admin, Server: remote.Name}
	logins, err := config.LoadLogins(a.Places())
	if err != nil {
		return err
	}
	for _, l := range logins.Servers {
		if l.URL == remote.Name {
			result.Name = &l.Name
		}
	}
	admin := "no"
	if who.Admin {
		admin = "yes"
	}
	return a.ShowItems(a.OutputFormat(), result, output.List{
		Columns: []string{"user", "admin", "server", "name"},
		Rows:    [][]any{{result.User, admin, result.Server, output.Optional(result.Name)}},
	}, result)
}
