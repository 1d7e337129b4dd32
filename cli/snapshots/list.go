package snapshots

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/snapshot"
)

func newSnapshotListCmd(a *app.App) *cobra.Command {
	var parts bool
	var tag string
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List snapshots",
		Long: `List shows your snapshots. --parts shows what 'da query --fetch' has brought
instead: parts of tables without a name, which later fetches and queries use.
Beyond parts_quota_gb the least recently used go first.`,
		Example: "  da snapshot list\n  da snapshot list --tag audit\n  da snapshot list --json",
		Args:    usage.Exactly(),
		RunE: func(*cobra.Command, []string) error {
			if parts {
				return runPartsList(a)
			}
			return runSnapshotList(a, tag)
		},
	}
	cmd.Flags().BoolVar(&parts, "parts", false, "list what queries have fetched instead")
	cmd.Flags().StringVar(&tag, "tag", "", "only those with this `tag`")
	usage.Exclusive(cmd, "parts", "tag")
	complete.Offer(cmd, "tag", completeTag(a))
	return cmd
}

func runPartsList(a *app.App) error {
	work, format, err := a.Work()
	if err != nil {
		return err
	}
	result, err := plan.ListParts(work)
	if err != nil {
		return err
	}
	list := output.List{Columns: []string{"table", "columns", "where", "rows", "size", "age", "used"}}
	for _, m := range result.Parts {
		age := func(t time.Time) string { return humanize.Age(a.Now().Sub(t)) }
		list.Rows = append(list.Rows, []any{m.TableID, output.Joined(m.Select, "all columns"), output.Optional(m.Where),
			output.Figure(humanize.Grouped(m.Rows)), output.Figure(humanize.Bytes(m.BytesLocal)), age(m.FetchedAt), age(m.LastUsed)})
	}
	return a.ShowItems(format, result, list, result.Parts)
}

func runSnapshotList(a *app.App, tag string) error {
	work, format, err := a.Work()
	if err != nil {
		return err
	}
	result, err := keep.List(work)
	if err != nil {
		return err
	}
	if tag != "" {
		result.Whole = slices.DeleteFunc(result.Whole, func(m snapshot.Meta) bool { return !m.Tagged(tag) })
		result.Damaged = result.Damaged[:0]
	}
	if err := a.ShowItems(format, result, snapshotTable(result.Whole, a.Now()), result.Whole); err != nil {
		return err
	}
	for _, d := range result.Damaged {
		a.Warn([]string{d.Reason})
	}
	switch {
	case format != output.Table || len(result.Whole)+len(result.Damaged) > 0:
	case tag != "":
		a.Note("no snapshot has the tag '" + tag + "'")
	default:
		a.Note("no snapshots yet; 'da fetch <table>' makes one")
	}
	return nil
}

// snapshotTable is the list for people.
func snapshotTable(metas []snapshot.Meta, now time.Time) output.List {
	list := output.List{Columns: []string{"name", "rows", "size", "age", "table", "where"}}
	labelled := slices.ContainsFunc(metas, func(m snapshot.Meta) bool { return m.Note != "" || len(m.Tags) > 0 })
	if labelled {
		list.Columns = append(list.Columns, "tags", "note")
	}
	for _, m := range metas {
		rows := humanize.Grouped(m.Rows)
		if m.Truncated {
			rows += " (cut)"
		} else if m.Limit != nil {
			rows += " (limit)"
		}
		row := []any{
			m.Name, output.Figure(rows), output.Figure(humanize.Bytes(m.BytesLocal)), humanize.Age(now.Sub(m.FetchedAt)), m.TableID,
			output.Optional(m.Where),
		}
		if labelled {
			row = append(row, strings.Join(m.Tags, ", "), m.Note)
		}
		list.Rows = append(list.Rows, row)
	}
	return list
}
