package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/printable"
)

func newSnapshotDiffCmd(a *app.App) *cobra.Command {
	var req analyst.DiffRequest
	cmd := &cobra.Command{
		Use:   "diff <before> <after>",
		Short: "Compare the columns and rows of two snapshots",
		Long: `Diff shows which columns and rows differ between two snapshots. Without --key
whole rows are compared: a row that changed counts as removed and as added. With
--key the rows of one key belong together, and diff shows which of their columns
changed. The order of rows does not matter.

Columns that only one snapshot has, or whose types differ, are named and not
compared.`,
		Example:           "  da snapshot diff people_may people\n  da snapshot diff people_may people --key id --limit 50",
		Args:              usage.Exactly("before", "after"),
		ValidArgsFunction: completeSnapshot(a, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if req.Examples < 0 {
				return usage.Error("--limit cannot be negative")
			}
			req.Before, req.After = args[0], args[1]
			return runSnapshotDiff(cmd.Context(), a, req)
		},
	}
	cmd.Flags().StringSliceVar(&req.Key, "key", nil, "`columns` that tell rows apart, separated by commas")
	cmd.Flags().IntVar(&req.Examples, "limit", 10, "show at most this many `rows` of each kind")
	offer(cmd, "key", completeSnapshotColumns(a))
	return cmd
}

// completeSnapshotColumns suggests columns of the snapshot in the first argument.
func completeSnapshotColumns(a *app.App) completer {
	return func(_ *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		const directive = cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
		store, err := a.OpenStore()
		if err != nil || len(args) == 0 {
			return nil, directive
		}
		meta, _ := store.Get(args[0]) // without it, there are no suggestions
		columns := make([]api.Column, len(meta.Schema))
		for i, c := range meta.Schema {
			columns[i] = api.Column{Name: c.Name, Type: c.Type}
		}
		return startingColumns(word, columns), directive
	}
}

func runSnapshotDiff(ctx context.Context, a *app.App, req analyst.DiffRequest) error {
	work, format, err := a.Work()
	if err != nil {
		return err
	}
	progress := a.Progress("comparing " + req.Before + " with " + req.After)
	d, err := work.Diff(ctx, req)
	progress.Stop()
	if err != nil {
		return err
	}
	a.Tell(d.Caveats...)
	if format == output.Table {
		return a.Page(func(w io.Writer) error {
			_, err := io.WriteString(w, printable.Text(diffText(d)))
			return err
		})
	}
	return a.ShowItems(format, d, output.List{
		Columns: []string{"before", "after", "added", "removed", "changed", "same"},
		Rows:    [][]any{{d.Before, d.After, d.Added, d.Removed, d.Changed, d.Same}},
	}, d.Examples)
}

// diffText formats the comparison for people.
func diffText(d *analyst.Diff) string {
	var b strings.Builder
	for _, c := range d.Columns {
		switch {
		case c.Before == "":
			fmt.Fprintf(&b, "+ column %s %s\n", c.Name, c.After)
		case c.After == "":
			fmt.Fprintf(&b, "- column %s %s\n", c.Name, c.Before)
		default:
			fmt.Fprintf(&b, "~ column %s %s → %s\n", c.Name, c.Before, c.After)
		}
	}
	for _, e := range d.Examples {
		switch e.Change {
		case "added":
			fmt.Fprintf(&b, "+ %s\n", rowText(e.After))
		case "removed":
			fmt.Fprintf(&b, "- %s\n", rowText(e.Before))
		default:
			fmt.Fprintf(&b, "~ %s: %s\n", rowText(e.Key), changesText(e))
		}
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%s → %s: %s before, %s after\n", d.Before, d.After, humanize.Plural(d.RowsBefore, "row", "rows"), humanize.Grouped(d.RowsAfter))
	fmt.Fprintf(&b, "%s added, %s removed, ", humanize.Grouped(d.Added), humanize.Grouped(d.Removed))
	if len(d.Key) > 0 {
		fmt.Fprintf(&b, "%s changed, ", humanize.Grouped(d.Changed))
	}
	fmt.Fprintf(&b, "%s the same\n", humanize.Grouped(d.Same))
	var columns []string
	for _, c := range d.ByColumn {
		columns = append(columns, fmt.Sprintf("%s (%s)", c.Column, humanize.Grouped(c.Rows)))
	}
	if len(columns) > 0 {
		fmt.Fprintf(&b, "changed columns: %s\n", strings.Join(columns, ", "))
	}
	return b.String()
}

// longestValue is the length at which a value is cut for people, in characters.
const longestValue = 60

func valueText(v any) string {
	if v == nil {
		return "NULL"
	}
	if s, ok := v.(string); ok {
		return printable.Line(api.Clip(s, longestValue))
	}
	text, err := output.EncodeJSON(v, "")
	if err != nil {
		return fmt.Sprint(v)
	}
	return printable.Line(api.Clip(strings.TrimSpace(string(text)), longestValue))
}

func rowText(r *api.Row) string {
	items := make([]string, len(r.Columns))
	for i, name := range r.Columns {
		items[i] = printable.Line(name) + "=" + valueText(r.Values[i])
	}
	return strings.Join(items, " ")
}

func changesText(e analyst.RowDiff) string {
	items := make([]string, len(e.Before.Columns))
	for i, name := range e.Before.Columns {
		items[i] = fmt.Sprintf("%s %s → %s", printable.Line(name), valueText(e.Before.Values[i]), valueText(e.After.Values[i]))
	}
	return strings.Join(items, ", ")
}
