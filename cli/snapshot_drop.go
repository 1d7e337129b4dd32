package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
)

func newSnapshotDropCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "drop <name>...",
		Aliases: []string{"rm"},
		Short:   "Remove snapshots",
		Example: "  da snapshot drop late",

		ValidArgsFunction: completeSnapshot(a, 0),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage.Error(fmt.Sprintf("'%s' takes at least one <name>", cmd.CommandPath()))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return runSnapshotDrop(a, args)
		},
	}
}

func runSnapshotDrop(a *app.App, names []string) error {
	format, err := a.OutputFormat()
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := api.CheckName("snapshot name", name); err != nil {
			return err
		}
	}
	work, err := a.Analyst()
	if err != nil {
		return err
	}
	// Either all are there, or none is dropped.
	for _, name := range names {
		if _, err := work.Store.Get(name); api.CodeUnknownSnapshot.Is(err) {
			return err
		}
	}
	dropped := output.List{Columns: []string{"dropped"}}
	for _, name := range names {
		warnings, err := work.Drop(name)
		if err != nil {
			return err
		}
		a.Warn(warnings)
		dropped.Rows = append(dropped.Rows, []any{name})
		if format == output.Table {
			if _, err := fmt.Fprintf(a.IO.Out, "dropped %s\n", name); err != nil {
				return err
			}
		}
	}
	if format == output.Table {
		return nil
	}
	return a.Show(format, snapshotsDropped{names}, dropped)
}

// snapshotsDropped is what da snapshot drop --json prints.
type snapshotsDropped struct {
	Dropped []string `json:"dropped"`
}
