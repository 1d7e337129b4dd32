package setup

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/ask"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/guard/purse"
	"github.com/agnes-data/da/server/state"
)

// NewQuotaCmd returns 'da quota'.
func NewQuotaCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "quota",
		Short: "Show what you have used today, and what is left",
		Long: `Quota shows the bytes that were delivered to you today, the bytes that sources
billed for you, and what is left of the day's quota and of the budget of your
session (DA_SESSION). Days end at 00:00 UTC.

If the prices of a model are known, it also shows what that model has cost you
today: the server's model, or without a server the one of da ask on this
machine. What is left is that of agent.daily_budget of the server.`,
		Example: "  da quota\n  da quota --json",
		Args:    usage.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runQuota(cmd.Context(), a)
		},
	}
}

func runQuota(ctx context.Context, a *app.App) error {
	remote, err := a.Connect()
	if err != nil {
		return err
	}
	q, err := remote.Quota(ctx)
	if err != nil {
		return err
	}
	if a.Served == nil {
		if err := addOwnModel(a, remote.Folder(), q); err != nil {
			return err
		}
	}
	if err := a.ShowItems(a.OutputFormat(), q, app.QuotaList([]api.QuotaStatus{*q}), q); err != nil {
		return err
	}
	a.Note("delivered: bytes of results, as Arrow, before any compression; billed: bytes that sources billed for them; held: what running requests may still deliver; the limit bounds delivered and billed, each for itself, a day in UTC")
	if q.ModelCost != nil {
		a.Note("model: what the model has cost, in the currency of its prices; left: of the day's budget, if there is one")
	}
	return nil
}

// addOwnModel adds what the user's own model has cost today, in the conversations
// of this machine. folder is the name of that of the page's.
func addOwnModel(a *app.App, folder string, q *api.QuotaStatus) error {
	cfg, err := a.ClientConfig()
	if err != nil {
		return err
	}
	if _, prices := ask.LimitsOf(cfg.Agent); prices == nil {
		return nil
	}
	store, err := ask.Conversations(a)
	if err != nil {
		return err
	}
	home, err := a.Places().Data()
	if err != nil {
		return err
	}
	now := a.Now().UTC()
	spent, err := agent.SpentSince(store, now.Truncate(24*time.Hour))
	if err != nil {
		return err
	}
	page, err := purse.Read(state.UserFolder(home, folder), now)
	if err != nil {
		return err
	}
	cost := float64(int64(spent)+page.Cost) / 1e9
	q.ModelCost = &cost
	return nil
}
