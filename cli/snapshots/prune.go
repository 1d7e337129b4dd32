package snapshots

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/snapshot"
)

type pruneOptions struct {
	olderThan  string
	largerThan string
	all        bool
	auto       bool
	dryRun     bool
}

func newSnapshotPruneCmd(a *app.App) *cobra.Command {
	var o pruneOptions
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove snapshots by age, size or to get under the quota",
		Long: `Prune removes the snapshots that meet all given conditions. Without a condition
it removes nothing and fails.

--auto removes expired snapshots first, then those not queried for longest,
until the rest fits snapshot_quota_gb of the client config.`,
		Example: "  da snapshot prune --older-than 7d --dry-run\n  da snapshot prune --larger-than 1g\n  da snapshot prune --auto",
		Args:    usage.Exactly(),
		RunE: func(*cobra.Command, []string) error {
			return runSnapshotPrune(a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.olderThan, "older-than", "", "fetched longer ago than this `age`, as in 12h, 7d, 2w")
	f.StringVar(&o.largerThan, "larger-than", "", "larger than this `size`, as in 500m, 1g")
	f.BoolVar(&o.all, "all", false, "every snapshot")
	f.BoolVar(&o.auto, "auto", false, "as many as needed to get under the quota")
	f.BoolVar(&o.dryRun, "dry-run", false, "only report what would be removed")
	return cmd
}

func (o pruneOptions) policy(cfg config.Client) (snapshot.PrunePolicy, error) {
	p := snapshot.PrunePolicy{All: o.all, Auto: o.auto}
	var err error
	if o.olderThan != "" {
		if p.OlderThan, err = usage.ParseAge("older-than", o.olderThan); err != nil {
			return p, err
		}
	}
	if o.largerThan != "" {
		if p.LargerThan, err = usage.ParseSize("larger-than", o.largerThan); err != nil {
			return p, err
		}
	}
	if o.auto {
		p.Quota = app.QuotaOf(cfg)
		p.StaleAfter = app.StaleAfter(cfg)
	}
	return p, nil
}

func runSnapshotPrune(a *app.App, o pruneOptions) error {
	format := a.OutputFormat()
	cfg, err := a.ClientConfig()
	if err != nil {
		return err
	}
	policy, err := o.policy(cfg)
	if err != nil {
		return err
	}
	work, err := a.Analyst()
	if err != nil {
		return err
	}
	result, err := keep.Prune(work, policy, o.dryRun)
	if err != nil {
		return err
	}
	a.Warn(result.Warnings)
	list := output.List{Columns: []string{"name", "size", "reason"}}
	for _, p := range result.Removed {
		list.Rows = append(list.Rows, []any{p.Name, output.Figure(humanize.Bytes(p.Bytes)), p.Reason})
	}
	if err := a.ShowItems(format, result, list, result.Removed); err != nil || format == output.JSON {
		return err
	}
	for _, s := range result.Skipped {
		a.Warn([]string{fmt.Sprintf("snapshot '%s' was left: %s", s.Name, s.Reason)})
	}
	verb := "removed"
	if o.dryRun {
		verb = "would remove"
	}
	a.Note(fmt.Sprintf("%s %s, %s", verb, humanize.Plural(int64(len(result.Removed)), "snapshot", "snapshots"),
		humanize.Bytes(result.FreedBytes)))
	return nil
}
