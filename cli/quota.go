package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/humanize"
)

func newQuotaCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "quota",
		Short: "Show what you have used today, and what is left",
		Long: `Quota shows the bytes that were delivered to you today, the bytes that sources
billed for you, and what is left of the day's quota and of the budget of your
session (DA_SESSION). Days end at 00:00 UTC.`,
		Example: "  da quota\n  da quota --json",
		Args:    exactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runQuota(cmd.Context(), a)
		},
	}
}

func runQuota(ctx context.Context, a *app) error {
	format, err := a.outputFormat()
	if err != nil {
		return err
	}
	remote, err := a.connect()
	if err != nil {
		return err
	}
	q, err := remote.Quota(ctx)
	if err != nil {
		return err
	}
	if err := a.showItems(format, q, quotaList([]api.QuotaStatus{*q}), q); err != nil {
		return err
	}
	a.note("delivered: bytes of results, as Arrow, before any compression; billed: bytes that sources billed for them; held: what running requests may still deliver; the limit bounds delivered and billed, each for itself, a day in UTC")
	return nil
}

func quotaList(quotas []api.QuotaStatus) output.List {
	list := output.List{Columns: []string{"user", "day", "delivered", "billed", "held", "limit", "left", "running", "session left"}}
	size := func(n *int64) any {
		if n == nil {
			return nil
		}
		return humanize.Bytes(*n)
	}
	for _, q := range quotas {
		running := fmt.Sprint(q.Running)
		if q.RunningLimit != nil {
			running = fmt.Sprintf("%d of %d", q.Running, *q.RunningLimit)
		}
		list.Rows = append(list.Rows, []any{q.User, q.Day, humanize.Bytes(q.ResultBytes), humanize.Bytes(q.ScanBytes),
			humanize.Bytes(q.ReservedBytes), size(q.DailyBytesLimit), size(q.Remaining.QuotaBytes), running, size(q.Remaining.SessionBytes)})
	}
	return list
}
