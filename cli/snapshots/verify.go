package snapshots

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
)

func newSnapshotVerifyCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "verify <name>",
		Short:   "Read a snapshot's rows again and compare them with its record",
		Example: "  da snapshot verify late",
		Args:    usage.Exactly("name"),

		ValidArgsFunction: complete.Snapshot(a, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			work, format, err := a.Work()
			if err != nil {
				return err
			}
			v, err := keep.Verify(cmd.Context(), work, args[0])
			if err != nil {
				return err
			}
			if format == output.Table {
				_, err = fmt.Fprintf(a.IO.Out, "%s: %s, as recorded\n", v.Snapshot, humanize.Plural(v.Rows, "row", "rows"))
				return err
			}
			return a.Show(format, v, output.List{Columns: []string{"snapshot", "rows", "content_hash", "compared"},
				Rows: [][]any{{v.Snapshot, v.Rows, v.ContentHash, v.Compared}}})
		},
	}
}
