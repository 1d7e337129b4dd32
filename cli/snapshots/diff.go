package snapshots

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/query"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/printable"
)

func newSnapshotDiffCmd(a *app.App) *cobra.Command {
	var o diffOptions
	cmd := &cobra.Command{
		Use:   "diff <before> <after>",
		Short: "Compare the columns and rows of two snapshots",
		Long: `Diff shows which columns and rows differ between two snapshots. Without --key
whole rows are compared: a row that changed counts as removed and as added. With
--key the rows of one key belong together, and diff shows which of their columns
changed. The order of rows does not matter.

Columns that only one snapshot has, or whose types differ, are named and not
compared; those of --ignore are neither. With --tolerance two numbers of one key
at most that far apart count as the same; NULL and NaN are the same only as
themselves, and numbers inside lists and structs are compared exactly.

--exit-code tells scripts: 0 is the same, 1 is different, and an error has
another code, or a message. --max-changed accepts a number of rows that differ,
or a share of the rows before, and implies --exit-code. Without --key a row that
changed counts twice there. Columns that differ are never accepted.`,
		Example: `  da snapshot diff people_may people
  da snapshot diff people_may people --key id --limit 50
  da snapshot diff people_may people --key id --ignore name --max-changed 1%`,
		Args:              usage.Exactly("before", "after"),
		ValidArgsFunction: complete.Snapshot(a, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Before, o.After = args[0], args[1]
			if err := o.check(cmd.Flags().Changed("tolerance")); err != nil {
				return err
			}
			return runSnapshotDiff(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.Key, "key", nil, "`columns` that tell rows apart, separated by commas")
	f.StringSliceVar(&o.Ignore, "ignore", nil, "`columns` that are neither compared nor named, separated by commas")
	f.Float64Var(&o.Tolerance, "tolerance", 0, "with --key: numbers at most this `far` apart count as the same")
	f.StringVar(&o.accepted, "max-changed", "", "exit with 1 only if more than this `share` of the rows before, such as 1%, or this many rows differ")
	f.IntVar(&o.Examples, "limit", 10, "show at most this many `rows` of each kind")
	usage.ExitCode(f, &o.exitCode)
	complete.Offer(cmd, "key", completeSnapshotColumns(a))
	complete.Offer(cmd, "ignore", completeSnapshotColumns(a))
	return cmd
}

type diffOptions struct {
	keep.DiffRequest
	exitCode bool
	accepted string // how many rows may differ, as given
	// most is how many rows may differ, or which share of those before.
	most  *big.Rat
	share bool
}

// check rejects flags that do not go together, and reads how many rows may differ.
func (o *diffOptions) check(tolerated bool) error {
	switch {
	case o.Examples < 0:
		return usage.Error("--limit cannot be negative")
	case tolerated && !(o.Tolerance >= 0 && o.Tolerance <= math.MaxFloat64):
		return usage.Error("--tolerance is a number from 0 on, such as 0.01")
	case tolerated && len(o.Key) == 0:
		return &api.Error{Code: api.CodeUsage, Message: "--tolerance compares numbers of rows that belong together, and no --key says which do",
			Hint: "Name the columns that tell rows apart: --key id."}
	}
	for _, name := range o.Ignore {
		if slices.Contains(o.Key, name) {
			return usage.Error("'" + name + "' is a column of both --key and --ignore")
		}
	}
	o.most = new(big.Rat)
	if o.accepted == "" {
		return nil
	}
	o.exitCode = true
	number, share := strings.CutSuffix(o.accepted, "%")
	most, ok := o.most.SetString(number)
	if o.share = share; !ok || most.Sign() < 0 || !share && !most.IsInt() {
		return usage.Error("--max-changed is a share of the rows before, such as 0.5%, or a number of rows, not " + api.Clip(o.accepted, 40))
	}
	return nil
}

// differs reports whether more differs than is accepted.
func (o *diffOptions) differs(d *keep.Diff) bool {
	most := new(big.Rat).Set(o.most)
	if o.share {
		most.Mul(most, big.NewRat(d.RowsBefore, 100))
	}
	return len(d.Columns) > 0 || new(big.Rat).SetInt64(d.Rows()).Cmp(most) > 0
}

// completeSnapshotColumns suggests columns of the snapshot in the first argument.
func completeSnapshotColumns(a *app.App) complete.Completer {
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
		return complete.StartingColumns(word, columns), directive
	}
}

func runSnapshotDiff(ctx context.Context, a *app.App, o diffOptions) error {
	work, format, err := a.Work()
	if err != nil {
		return err
	}
	progress := a.Progress("comparing " + o.Before + " with " + o.After)
	d, err := keep.Compare(ctx, work, o.DiffRequest)
	progress.Stop()
	if err != nil {
		return err
	}
	a.Tell(d.Caveats...)
	if o.exitCode && o.differs(d) {
		a.ExitCode = exit.Differs
	}
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
func diffText(d *keep.Diff) string {
	var b strings.Builder
	b.WriteString(ColumnsText(d.Columns))
	for _, e := range d.Examples {
		switch e.Change {
		case "added":
			fmt.Fprintf(&b, "+ %s\n", query.RowText(e.After))
		case "removed":
			fmt.Fprintf(&b, "- %s\n", query.RowText(e.Before))
		default:
			fmt.Fprintf(&b, "~ %s: %s\n", query.RowText(e.Key), changesText(e))
		}
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%s → %s: %s before, %s after\n", d.Before, d.After, humanize.Plural(d.RowsBefore, "row", "rows"),
		humanize.Grouped(d.RowsAfter))
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
	if len(d.Ignored) > 0 {
		fmt.Fprintf(&b, "not compared: %s\n", strings.Join(d.Ignored, ", "))
	}
	if d.Tolerance > 0 {
		fmt.Fprintf(&b, "numbers at most %v apart count as the same\n", d.Tolerance)
	}
	return b.String()
}

// ColumnsText formats columns that differ for people.
func ColumnsText(columns []keep.ColumnDiff) string {
	var b strings.Builder
	for _, c := range columns {
		switch {
		case c.Before == "":
			fmt.Fprintf(&b, "+ column %s %s\n", c.Name, c.After)
		case c.After == "":
			fmt.Fprintf(&b, "- column %s %s\n", c.Name, c.Before)
		default:
			fmt.Fprintf(&b, "~ column %s %s → %s\n", c.Name, c.Before, c.After)
		}
	}
	return b.String()
}

func changesText(e keep.RowDiff) string {
	items := make([]string, len(e.Before.Columns))
	for i, name := range e.Before.Columns {
		items[i] = fmt.Sprintf("%s %s → %s", printable.Line(name), query.ValueText(e.Before.Values[i]), query.ValueText(e.After.Values[i]))
	}
	return strings.Join(items, ", ")
}
