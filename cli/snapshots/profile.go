package snapshots

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/engine/profile"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/snapshot"
)

// NewProfileCmd returns 'da profile'.
func NewProfileCmd(a *app.App) *cobra.Command {
	var columns []string
	var estimate bool
	cmd := &cobra.Command{
		Use:   "profile <snapshot | table>",
		Short: "Show what the columns of a snapshot or table hold",
		Long: `Profile shows NULLs, different values, the least, middle and greatest value and
the commonest ones of each column, and what is remarkable: likely keys, constant
columns, texts that are dates, and values that often stand for none, such as -1
and N/A. --json has histograms and the rows by the main time column, too.

All rows are read up to a million, and some thousand of more, which is said;
rows, NULLs and extremes are always of all, as are different values of up to 5
million rows. The result is kept until the snapshot has other rows.

A table of the catalog is fetched first, as 'da query --fetch' does, and kept:
--columns reads only these, and --estimate shows what that would cost.`,
		Example:           "  da profile late\n  da profile late --columns delay,origin --json\n  da profile flights --columns origin --estimate",
		Args:              usage.Exactly("snapshot"),
		ValidArgsFunction: complete.Snapshot(a, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runProfile(cmd.Context(), a, args[0], columns, estimate)
		},
	}
	cmd.Flags().BoolVar(&estimate, "estimate", false, "show what it would read at the source, and stop")
	cmd.Flags().StringSliceVar(&columns, "columns", nil, "show these `columns` only")
	return cmd
}

// profiled is what da profile prints with --json.
type profiled struct {
	*profile.Profile
	AsOf    time.Time    `json:"as_of" jsonschema:"when the rows were last known to be those of their source"`
	Caveats []api.Caveat `json:"caveats"`
}

func runProfile(ctx context.Context, a *app.App, name string, columns []string, estimate bool) error {
	work, format, err := a.Work()
	if err != nil {
		return err
	}
	if estimate {
		return priceProfile(ctx, a, work, name, columns)
	}
	store := work.Store
	links, err := store.Link([]string{name})
	if api.CodeUnknownSnapshot.Is(err) && isTable(ctx, work, name) {
		store, links, err = fetchProfiled(ctx, a, work, name, columns)
	}
	if err != nil {
		return err
	}
	defer links.Close()
	p, err := keep.Profile(ctx, work, store, links)
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
	out := profiled{p, links.Metas[0].EffectiveAsOf, api.Arranged(keep.RowCaveats(links.Metas[0]))}
	if format != output.JSON {
		a.Tell(out.Caveats...)
	}
	if err := a.ShowItems(format, out, list, p.Columns); err != nil {
		return err
	}
	rows := humanize.Plural(p.Rows, "row", "rows")
	if p.Sampled < p.Rows {
		rows += "; median, commonest values and what is remarkable are of a sample of " + humanize.Grouped(p.Sampled)
	}
	a.Note(rows)
	return nil
}

// isTable reports whether a name is that of a table of the catalog.
func isTable(ctx context.Context, work *analyst.Analyst, name string) bool {
	remote, err := work.Connect()
	if err == nil {
		_, err = remote.Schema(ctx, name)
	}
	return err == nil
}

// fetchProfiled pins the rows of a table, and returns the store that they are in.
func fetchProfiled(ctx context.Context, a *app.App, work *analyst.Analyst, table string, columns []string) (*snapshot.Store,
	*snapshot.Links, error) {
	options, err := a.QueryOptions()
	if err != nil {
		return nil, nil, err
	}
	progress := a.Progress("fetching")
	defer progress.Stop()
	options.OnProgress = progress.Set
	part, err := plan.Rows(ctx, work, plan.AllRows(table, columns), options)
	if err != nil {
		return nil, nil, err
	}
	store := work.PartsStore()
	if _, err := work.Store.Get(part.Links.Metas[0].Name); err == nil || store == nil {
		store = work.Store
	}
	return store, part.Links, nil
}

// priceProfile shows what fetching the rows would read.
func priceProfile(ctx context.Context, a *app.App, work *analyst.Analyst, table string, columns []string) error {
	p, err := plan.Make(ctx, work, plan.AllRows(table, columns), false)
	if err != nil {
		return err
	}
	list := output.List{Columns: []string{"table", "from", "reads"}}
	for _, t := range p.Tables {
		reads := "0 B"
		if t.Estimate != nil {
			reads = app.EstimateLine(t.Estimate)
		}
		list.Rows = append(list.Rows, []any{t.TableID, t.From, reads})
	}
	return a.ShowItems(a.OutputFormat(), p, list, p.Tables)
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
