package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
)

func newSnapshotDropCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "drop <name>...",
		Aliases: []string{"rm"},
		Short:   "Remove snapshots",
		Example: "  da snapshot drop late",

		ValidArgsFunction: a.completeSnapshot(0),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError(fmt.Sprintf("'%s' takes at least one <name>", cmd.CommandPath()))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return runSnapshotDrop(a, args)
		},
	}
}

func runSnapshotDrop(a *app, names []string) error {
	format, err := a.outputFormat()
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := api.CheckName("snapshot name", name); err != nil {
			return err
		}
	}
	work, err := a.analyst()
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
		a.warn(warnings)
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
	return a.show(format, snapshotsDropped{names}, dropped)
}
