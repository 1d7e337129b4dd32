package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/humanize"
)

type refreshOptions struct {
	where       *string
	strict      bool
	allowCut    bool
	allowChange bool
}

func newSnapshotRefreshCmd(a *app.App) *cobra.Command {
	var where string
	var o refreshOptions
	cmd := &cobra.Command{
		Use:   "refresh <name>",
		Short: "Fetch a snapshot again with its stored request",
		Long: `Refresh runs the snapshot's stored request again, evaluates CURRENT_DATE and the
like anew, and reports what changed. If nothing did, the file is not replaced.
It fails, and changes nothing, if columns of the snapshot no longer exist, or if
the server is known to return only a part now.`,
		Example: "  da snapshot refresh late\n  da snapshot refresh late --where \"delay > 120\"",
		Args:    usage.Exactly("name"),

		ValidArgsFunction: completeSnapshot(a, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("where") {
				if strings.TrimSpace(where) == "" {
					return usage.Error("--where is empty; to fetch all rows, use 'da fetch --force' without it")
				}
				o.where = &where
			}
			return exit.About(where, runRefresh(cmd.Context(), a, args[0], o))
		},
	}
	cmd.Flags().StringVar(&where, "where", "", "use, and from now on store, this `predicate`")
	cmd.Flags().BoolVar(&o.strict, "strict", false, "fail, and change nothing, if the server cuts the result")
	cmd.Flags().BoolVar(&o.allowCut, "allow-cut", false, "run also what is known to be cut by a cap of the server")
	cmd.Flags().BoolVar(&o.allowChange, "allow-schema-change", false, "accept that columns of the snapshot no longer exist")
	return cmd
}

func runRefresh(ctx context.Context, a *app.App, name string, o refreshOptions) error {
	format, err := a.OutputFormat()
	if err != nil {
		return err
	}
	if err := api.CheckName("snapshot name", name); err != nil {
		return err
	}
	work, err := a.Analyst()
	if err != nil {
		return err
	}
	progress := a.Progress("refreshing " + name)
	result, err := work.Refresh(ctx, analyst.RefreshRequest{
		Name: name, Where: o.where, Strict: o.strict, AllowCut: o.allowCut, AllowSchemaChange: o.allowChange,
		AnyServer:  a.ServerURL != "" || a.InstancePath != "",
		OnProgress: progress.Set,
	})
	progress.Stop()
	if err != nil {
		return err
	}
	a.WarnNotes(result.Warnings...)
	a.WarnOverQuota(work)
	if format == output.Table {
		_, err = fmt.Fprint(a.IO.Out, refreshDiff(result))
		return err
	}
	return a.ShowItems(format, result, output.List{
		Columns: []string{"name", "rows before", "rows after", "identical"},
		Rows: [][]any{{result.Name, output.Figure(humanize.Grouped(result.Before.Rows)), output.Figure(humanize.Grouped(result.After.Rows)),
			result.Identical}},
	}, result)
}

// refreshDiff is the comparison for people.
func refreshDiff(r *analyst.RefreshResult) string {
	stamp := func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
	rows := [][3]string{
		{"rows:", humanize.Grouped(r.Before.Rows), fmt.Sprintf("%s   (%s)", humanize.Grouped(r.After.Rows), signed(r.RowsDelta))},
		{"size:", humanize.Bytes(r.Before.BytesLocal), humanize.Bytes(r.After.BytesLocal)},
		{"data as of:", stamp(r.Before.EffectiveAsOf), stamp(r.After.EffectiveAsOf)},
	}
	width := 0
	for _, row := range rows {
		width = max(width, len([]rune(row[1])))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Refreshed %s:\n", r.Name)
	for _, row := range rows {
		fmt.Fprintf(&b, "  %-11s %-*s  →  %s\n", row[0], width, row[1], row[2])
	}
	identical := "no"
	if r.Identical {
		identical = "yes; the file was left as it was"
	}
	fmt.Fprintf(&b, "  %-11s %s\n", "identical:", identical)
	return b.String()
}

func signed(n int64) string {
	if n < 0 {
		return "-" + humanize.Grouped(-n)
	}
	return "+" + humanize.Grouped(n)
}
