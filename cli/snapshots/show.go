package snapshots

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/snapshot"
)

func newSnapshotShowCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "show <name>",
		Short:   "Show where a snapshot is from and what it holds",
		Example: "  da snapshot show late\n  da snapshot show late --json",
		Args:    usage.Exactly("name"),

		ValidArgsFunction: complete.Snapshot(a, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			return runSnapshotShow(a, args[0])
		},
	}
}

func runSnapshotShow(a *app.App, name string) error {
	work, format, err := a.Work()
	if err != nil {
		return err
	}
	meta, err := work.Store.Get(name)
	if err != nil {
		return err
	}
	a.Tell(keep.RowCaveats(meta)...)
	if err := a.ShowItems(format, meta, snapshotFacts(a, meta), meta); err != nil || format != output.Table {
		return err
	}
	columns := output.List{Columns: []string{"column", "type"}}
	for _, c := range meta.Schema {
		columns.Rows = append(columns.Rows, []any{c.Name, c.Type})
	}
	a.BlankLine()
	return a.Show(format, meta, columns)
}

// snapshotFacts formats a snapshot's description for people.
func snapshotFacts(a *app.App, m snapshot.Meta) output.List {
	list := output.List{Columns: []string{"field", "value"}}
	add := func(field string, value any) { list.Rows = append(list.Rows, []any{field, value}) }
	add("name", m.Name)
	if m.Note != "" {
		add("note", m.Note)
	}
	if len(m.Tags) > 0 {
		add("tags", strings.Join(m.Tags, ", "))
	}
	add("table", m.TableID)
	add("select", output.Joined(m.Select, "all columns"))
	add("where", orNone(m.Where))
	add("order by", output.Joined(m.OrderBy, "none"))
	add("limit", orNone(m.Limit))
	add("rows", humanize.Grouped(m.Rows))
	add("truncated", m.Truncated)
	add("size", humanize.Bytes(m.BytesLocal))
	add("fetched", m.FetchedAt.Format("2006-01-02 15:04:05 UTC")+" ("+humanize.Age(a.Now().Sub(m.FetchedAt))+")")
	if m.From != nil {
		add("taken from", strings.TrimPrefix(m.From.String(), "from "))
	}
	add("as of", m.EffectiveAsOf.Format("2006-01-02 15:04:05 UTC"))
	add("server", m.Server)
	add("content hash", m.ContentHash)
	return list
}

// orNone formats an optional value for people.
func orNone[T any](p *T) any {
	if p == nil {
		return "none"
	}
	return *p
}
