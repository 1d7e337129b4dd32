package snapshots

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/snapshot"
)

func newSnapshotDropCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "drop <name>...",
		Aliases: []string{"rm", "delete", "remove"},
		Short:   "Remove snapshots",
		Long: `drop removes snapshots, all of them or none. A name with * or ? stands for the
snapshots that it matches.`,
		Example: "  da snapshot drop late\n  da snapshot drop 'late_*'",

		ValidArgsFunction: complete.Snapshot(a, 0),
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
	format := a.OutputFormat()
	work, err := a.Analyst()
	if err != nil {
		return err
	}
	if names, err = matching(work.Store, names); err != nil {
		return err
	}
	// Drop either all of them or, if one is unknown, nothing.
	for _, name := range names {
		if _, err := work.Store.Get(name); api.CodeUnknownSnapshot.Is(err) {
			return err
		}
	}
	dropped := output.List{Columns: []string{"dropped"}}
	for _, name := range names {
		warnings, err := keep.Drop(work, name)
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

// matching replaces each pattern by the names that it matches, and validates the
// other names.
func matching(store *snapshot.Store, names []string) (out []string, err error) {
	var all []snapshot.Meta
	for _, name := range names {
		if !strings.ContainsAny(name, "*?") {
			if err := api.CheckName("snapshot name", name); err != nil {
				return nil, err
			}
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
			continue
		}
		if all == nil {
			if all, err = store.List(); err != nil {
				return nil, err
			}
		}
		found := false
		for _, m := range all {
			ok, err := path.Match(name, m.Name)
			if err != nil {
				return nil, usage.Error(fmt.Sprintf("%q is not a pattern", name))
			}
			if found = found || ok; ok && !slices.Contains(out, m.Name) {
				out = append(out, m.Name)
			}
		}
		if !found {
			return nil, &api.Error{Code: api.CodeUnknownSnapshot, Message: fmt.Sprintf("no snapshot has a name like '%s'", api.Clip(name, 64)),
				Next: []api.Step{api.Do(api.ActionSnapshots, "see their names")}}
		}
	}
	return out, nil
}

// snapshotsDropped is what da snapshot drop --json prints.
type snapshotsDropped struct {
	Dropped []string `json:"dropped"`
}
