package snapshots

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/engine/profile"
	"github.com/agnes-data/da/internal/words/humanize"
)

// NewProfileCmd returns 'da profile'.
func NewProfileCmd(a *app.App) *cobra.Command {
	var columns []string
	cmd := &cobra.Command{
		Use:   "profile <snapshot>",
		Short: "Show what the columns of a snapshot hold",
		Long: `Profile shows NULLs, different values, the least, middle and greatest value and
the commonest ones of each column, and what is remarkable: likely keys, constant
columns, texts that are dates, and values that often stand for none, such as -1
and N/A. --json has histograms and the rows by the main time column, too.

All rows are read up to a million, and some thousand of more, which is said;
rows, NULLs and extremes are always of all, as are different values of up to 5
million rows. The result is kept until the snapshot has other rows.`,
		Example:           "  da profile late\n  da profile late --columns delay,origin --json",
		Args:              usage.Exactly("snapshot"),
		ValidArgsFunction: complete.Snapshot(a, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runProfile(cmd.Context(), a, args[0], columns)
		},
	}
	cmd.Flags().StringSliceVar(&columns, "columns", nil, "show these `columns` only")
	return cmd
}

func runProfile(ctx context.Context, a *app.App, name string, columns []string) error {
	work, format, err := a.Work()
	if err != nil {
		return err
	}
	links, err := work.Store.Link([]string{name})
	if err != nil {
		return err
	}
	defer links.Close()
	p, err := keep.Profile(ctx, work, work.Store, links)
	if err != nil {
		return err
	}
	for _, c := range columns {
		if !slices.Contains(links.Metas[0].Columns(), c) {
			return &api.Error{Code: api.CodeUnknownColumn, Message: fmt.Sprintf("snapshot '%s' has no column '%s'", name, c),
				Next: []api.Step{api.Do(api.ActionSnapshot, "see its columns", "name", name)}}
		}
	}
	if len(columns) > 0 {
		p.Columns = slices.DeleteFunc(p.Columns, func(c profile.Column) bool { return !slices.Contains(columns, c.Name) })
	}
	list := output.List{Columns: []string{"column", "nulls", "different", "min", "median", "max", "commonest", "remarkable"}}
	for _, c := range p.Columns {
		list.Rows = append(list.Rows, []any{c.Name, output.Figure(humanize.Grouped(c.Nulls)), output.Figure(different(c)), plainText(c.Min),
			plainText(c.Median), plainText(c.Max), commonest(c), remarks(c)})
	}
	if err := a.ShowItems(format, p, list, p.Columns); err != nil {
		return err
	}
	rows := humanize.Plural(p.Rows, "row", "rows")
	if p.Sampled < p.Rows {
		rows += "; median, commonest values and what is remarkable are of a sample of " + humanize.Grouped(p.Sampled)
	}
	a.Note(rows)
	return nil
}

func different(c profile.Column) string {
	if c.DistinctAtMost > c.Distinct {
		return humanize.Grouped(c.Distinct) + " or more"
	}
	return humanize.Grouped(c.Distinct)
}

// plainText is a value for people.
func plainText(v json.RawMessage) string { return api.Clip(profile.TextOf(v), 20) }

func commonest(c profile.Column) string {
	var few []string
	for _, v := range c.Top[:min(len(c.Top), 3)] {
		few = append(few, plainText(v.Value))
	}
	return strings.Join(few, ", ")
}

func remarks(c profile.Column) string {
	var all []string
	for text, is := range map[string]bool{"likely key": c.Key, "constant": c.Constant, "dates as text": c.Dates} {
		if is {
			all = append(all, text)
		}
	}
	for _, v := range c.Sentinels {
		all = append(all, fmt.Sprintf("%s × %s", humanize.Grouped(v.N), string(v.Value)))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
