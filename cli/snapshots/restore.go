package snapshots

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/snapshot"
)

func newSnapshotRestoreCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "restore <name>",
		Short: "Undo the last refresh of a snapshot",
		Long: `Restore brings back what a snapshot was before its last refresh. What it is now
is kept in exchange, so that a second restore undoes the first.

What a snapshot was is kept until its next refresh, until it is dropped, or
until space is short: 'da snapshot prune --auto' takes it before any snapshot.`,
		Example: "  da snapshot refresh late --where \"delay > 90\"\n  da snapshot restore late",
		Args:    usage.Exactly("name"),

		ValidArgsFunction: complete.Snapshot(a, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSnapshotRestore(cmd.Context(), a, args[0])
		},
	}
}

func runSnapshotRestore(ctx context.Context, a *app.App, name string) error {
	work, format, err := a.Work()
	if err != nil {
		return err
	}
	r, err := keep.Restore(ctx, work, name)
	if err != nil {
		return err
	}
	a.Tell(r.Caveats...)
	m := r.Snapshot
	if format == output.Table {
		_, err = fmt.Fprintf(a.IO.Out, "%s: %s, as of %s\n", m.Name, humanize.Plural(m.Rows, "row", "rows"),
			m.EffectiveAsOf.Format("2006-01-02 15:04 UTC"))
		return err
	}
	return a.ShowItems(format, r, snapshotTable([]snapshot.Meta{m}, a.Now()), m)
}
