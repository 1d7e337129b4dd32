package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/usage"
)

func newQuotaCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "quota",
		Short: "Show what you have used today, and what is left",
		Long: `Quota shows the bytes that were delivered to you today, the bytes that sources
billed for you, and what is left of the day's quota and of the budget of your
session (DA_SESSION). Days end at 00:00 UTC.`,
		Example: "  da quota\n  da quota --json",
		Args:    usage.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runQuota(cmd.Context(), a)
		},
	}
}

func runQuota(ctx context.Context, a *app.App) error {
	format, err := a.OutputFormat()
	if err != nil {
		return err
	}
	remote, err := a.Connect()
	if err != nil {
		return err
	}
	q, err := remote.Quota(ctx)
	if err != nil {
		return err
	}
	if err := a.ShowItems(format, q, app.QuotaList([]api.QuotaStatus{*q}), q); err != nil {
		return err
	}
	a.Note("delivered: bytes of results, as Arrow, before any compression; billed: bytes that sources billed for them; held: what running requests may still deliver; the limit bounds delivered and billed, each for itself, a day in UTC")
	return nil
}
