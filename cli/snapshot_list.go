package cli

import (
	"time"

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
	var whole []snapshot.Meta
	for _, m := range metas {
		if m.Damage != nil {
			result.Damaged = append(result.Damaged, damagedSnapshot{m.Name, m.Damage.Kind, m.Damage.Message})
			continue
		}
		whole = append(whole, m)
	}
	result.Snapshots = append(result.Snapshots, whole...)
	list := snapshotRecords(whole)
	if forPeople(format) {
		list = snapshotTable(whole, a.Now())
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

// snapshotTable is the list for people.
func snapshotTable(metas []snapshot.Meta, now time.Time) output.List {
	list := output.List{Columns: []string{"name", "rows", "size", "age", "table", "where"}}
	for _, m := range metas {
		rows := humanize.Grouped(m.Rows)
		if m.Truncated {
			rows += " (cut)"
		}
		list.Rows = append(list.Rows, []any{
			m.Name, output.Figure(rows), output.Figure(humanize.Bytes(m.BytesLocal)), humanize.Age(now.Sub(m.FetchedAt)), m.TableID, optional(m.Where),
		})
	}
	return list
}

// snapshotRecords is the list for programs.
func snapshotRecords(metas []snapshot.Meta) output.List {
	list := output.List{Columns: []string{"name", "rows", "bytes_local", "fetched_at", "truncated", "table_id", "where"}}
	for _, m := range metas {
		list.Rows = append(list.Rows, []any{
			m.Name, m.Rows, m.BytesLocal, m.FetchedAt.Format(time.RFC3339), m.Truncated, m.TableID, optional(m.Where),
		})
	}
	return list
}
