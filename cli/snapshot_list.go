package cli

import (
	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/humanize"
	"github.com/agnes-data/da/snapshot"
)

func newSnapshotListCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List snapshots",
		Example: "  da snapshot list\n  da snapshot list --json",
		Args:    exactArgs(),
		RunE: func(*cobra.Command, []string) error {
			return runSnapshotList(a)
		},
	}
}

// snapshotList is what da snapshot list --json prints.
type snapshotList struct {
	Snapshots []snapshot.Meta   `json:"snapshots"`
	Damaged   []damagedSnapshot `json:"damaged"`
}

// damagedSnapshot is one that cannot be read.
type damagedSnapshot struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}

func runSnapshotList(a *app) error {
	format, err := a.outputFormat()
	if err != nil {
		return err
	}
	work, err := a.analyst()
	if err != nil {
		return err
	}
	metas, err := work.Store.List()
	if err != nil {
		return err
	}
	result := snapshotList{Snapshots: []snapshot.Meta{}, Damaged: []damagedSnapshot{}}
	list := output.List{Columns: []string{"name", "rows", "size", "age", "table", "where"}}
	for _, m := range metas {
		if m.Damage != nil {
			result.Damaged = append(result.Damaged, damagedSnapshot{m.Name, m.Damage.Kind, m.Damage.Message})
			continue
		}
		result.Snapshots = append(result.Snapshots, m)
		rows := humanize.Grouped(m.Rows)
		if m.Truncated {
			rows += " (cut)"
		}
		list.Rows = append(list.Rows, []any{m.Name, output.Figure(rows), output.Figure(humanize.Bytes(m.BytesLocal)), humanize.Age(a.Now().Sub(m.FetchedAt)), m.TableID, optional(m.Where)})
	}
	if err := a.show(format, result, list); err != nil {
		return err
	}
	for _, d := range result.Damaged {
		a.warn([]string{d.Reason})
	}
	if format == output.Table && len(metas) == 0 {
		a.note("no snapshots yet; 'da fetch <table>' makes one")
	}
	return nil
}
