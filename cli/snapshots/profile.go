package snapshots

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/analyst/profiles"
	"github.com/agnes-data/da/analyst/synced"
	"github.com/agnes-data/da/analyst/values"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/engine/profile"
	"github.com/agnes-data/da/internal/engine/profile/likely"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/shellwords"
)

// NewProfileCmd returns 'da profile'.
func NewProfileCmd(a *app.App) *cobra.Command {
	r := profiles.Request{MaxAge: profiles.DefaultAge}
	var estimate bool
	var maxAge string
	cmd := &cobra.Command{
		Use:   "profile <snapshot | table>",
		Short: "Show what the columns of a snapshot or table hold",
		Long: `Profile shows NULLs, different values, the least, middle and greatest value and
the commonest ones of each column, and what is remarkable: likely keys, constant
columns, texts that are dates, values that often stand for none, such as -1 and
N/A, and what likely is of people: e-mails, phones, cards, national numbers,
names, and texts with such. --json has histograms and rows by time, too.

All rows of a snapshot are read up to a million, and some thousand of more,
which is said; rows, NULLs and extremes are always of all, as are different
values of up to 5 million rows. It is kept until the snapshot has other rows.

A table of the catalog is profiled at its source, under your rights, by two
statements that read each column once: nothing is fetched. Only where the source
runs none, or a column is masked for you, it is fetched as 'da query --fetch'
does. --columns reads only these, and --estimate shows what that would cost. The
result is kept while the table has the same version; --max-age says how old it
may be where the source has no versions.`,
		Example:           "  da profile late\n  da profile late --columns delay,origin --json\n  da profile flights --columns origin --estimate",
		Args:              usage.Exactly("snapshot | table"),
		ValidArgsFunction: complete.Snapshot(a, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Name = args[0]
			var err error
			if maxAge != "" {
				if r.MaxAge, err = usage.ParseAge("max-age", maxAge); err != nil {
					return err
				}
			}
			return runProfile(cmd.Context(), a, r, estimate)
		},
	}
	cmd.Flags().BoolVar(&estimate, "estimate", false, "show what it would read at the source, and stop")
	cmd.Flags().StringSliceVar(&r.Columns, "columns", nil, "show these `columns` only")
	cmd.Flags().StringVar(&maxAge, "max-age", "", "take a kept profile up to this `age`, as in 2h (24h), where the source cannot tell changes")
	return cmd
}

func runProfile(ctx context.Context, a *app.App, r profiles.Request, estimate bool) error {
	work, format, err := a.Work()
	if err != nil {
		return err
	}
	have, err := columnsOf(ctx, work, r.Name)
	if err != nil {
		return err
	}
	if r.Columns, err = chosen(have, r.Name, r.Columns); err != nil {
		return err
	}
	if estimate {
		return priceProfile(ctx, a, work, r)
	}
	options, err := a.QueryOptions()
	if err != nil {
		return err
	}
	progress := a.Progress("reading")
	defer progress.Stop()
	options.OnProgress = progress.Set
	out, err := profiles.Of(ctx, work, r, options)
	if err != nil {
		return err
	}
	progress.Stop()
	columns, err := chosen(namesOf(out.Profile), r.Name, r.Columns)
	if err != nil {
		return err
	}
	out = out.Of(columns)
	p := out.Profile
	list := output.List{Columns: []string{"column", "nulls", "different", "min", "median", "max", "commonest"}}
	remarkable := output.List{Columns: []string{"column", "remarkable"}} // beside the figures there is no room for it
	for _, c := range p.Columns {
		list.Rows = append(list.Rows, []any{c.Name, output.Figure(humanize.Grouped(c.Nulls)), output.Figure(different(c)), plainText(c.Min),
			plainText(c.Median), plainText(c.Max), commonest(c)})
		if text := remarks(c); text != "" {
			remarkable.Rows = append(remarkable.Rows, []any{c.Name, text})
		}
	}
	out.Hint = maskHint(out.Table, p.Columns)
	if format != output.JSON {
		a.Tell(out.Caveats...)
	}
	if err := a.ShowItems(format, out, list, p.Columns); err != nil {
		return err
	}
	if app.ForPeople(format) && len(remarkable.Rows) > 0 {
		if err := a.Show(format, out, remarkable); err != nil {
			return err
		}
	}
	rows := humanize.Plural(p.Rows, "row", "rows")
	if p.Sampled < p.Rows {
		rows += "; median, commonest values and what is remarkable are of a sample of " + humanize.Grouped(p.Sampled)
	}
	a.Note(rows)
	if out.Hint != "" {
		a.Note(out.Hint)
	}
	return nil
}

func namesOf(p *profile.Profile) (names []string) {
	for _, c := range p.Columns {
		names = append(names, c.Name)
	}
	return names
}

// columnsOf names the columns of a snapshot or a table; none if they are known only once
// it is read.
func columnsOf(ctx context.Context, work *analyst.Analyst, name string) (names []string, err error) {
	meta, missing := work.Store.Get(name)
	if missing == nil {
		return meta.Columns(), nil
	}
	if _, here := synced.At(work.Home).Get(name); here || !api.CodeUnknownSnapshot.Is(missing) {
		return nil, nil // the read that follows explains the error
	}
	remote, err := work.Connect()
	if err != nil {
		return nil, missing
	}
	schema, err := remote.Schema(ctx, name)
	switch {
	case api.CodeUnknownTable.Is(err), api.CodeForbidden.Is(err):
		var e *api.Error
		if errors.As(missing, &e) {
			e.Next = append(e.Next, api.Do(api.ActionCatalog, "see the tables"))
		}
		return nil, missing
	case err != nil:
		return nil, err
	}
	for _, c := range schema.Columns {
		names = append(names, c.Name)
	}
	return names, nil
}

// chosen are the columns that the caller names, as they are written; there may be none of
// which it is known that they are there.
func chosen(have []string, name string, columns []string) (out []string, err error) {
	for _, c := range columns {
		i := slices.IndexFunc(have, func(h string) bool { return strings.EqualFold(h, c) })
		switch exact := slices.Contains(have, c); {
		case len(have) == 0 || exact:
			out = append(out, c)
		case i >= 0:
			out = append(out, have[i])
		default:
			return nil, values.UnknownColumn(name, c, have)
		}
	}
	return out, nil
}

// priceProfile shows what statements at the source would read, or else fetching the rows.
func priceProfile(ctx context.Context, a *app.App, work *analyst.Analyst, r profiles.Request) error {
	p, err := plan.Make(ctx, work, plan.AllRows(r.Name, r.Columns), false)
	if err != nil {
		return err
	}
	if p.Tables[0].From == plan.FromFetch {
		switch est, here, err := profiles.Price(ctx, work, r); {
		case here:
			p = &plan.Plan{Tables: []plan.Table{{TableID: r.Name, From: plan.FromReuse}}, ScanBytes: new(int64), CostUSD: new(float64)}
		case err == nil:
			p = &plan.Plan{Tables: []plan.Table{{TableID: r.Name, From: plan.FromSource, Estimate: est.Shown()}}, ScanBytes: est.ScanBytes,
				CostUSD: est.CostUSD}
		case !profiles.Fetched(err):
			return err
		}
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
	if c.Uncounted {
		return "not counted"
	}
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
	if c.Likely != nil {
		all = append(all, likelyText(*c.Likely))
	}
	for _, v := range c.Sentinels {
		all = append(all, fmt.Sprintf("%s × %s", humanize.Grouped(v.N), string(v.Value)))
	}
	if c.NotFinite > 0 {
		all = append(all, humanize.Grouped(c.NotFinite)+" NaN or infinite, left out of min, median and max")
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// people are the words for what columns hold of people, and the mask that suits it.
var people = map[string][2]string{
	likely.Email: {"e-mails", "hash"}, likely.Phone: {"phones", "last4"}, likely.Card: {"cards", "last4"}, likely.Account: {"accounts", "last4"},
	likely.National: {"national numbers", "hash"}, likely.Name: {"names", "null"}, likely.FreeText: {"texts", "null"},
}

func likelyText(p likely.People) string {
	switch text := people[p.Kind][0]; {
	case p.Kind == likely.FreeText:
		return fmt.Sprintf("%s with %s (%d of %d)", text, people[p.With][0], p.N, p.Of)
	case p.With != "":
		return "likely " + text + " (" + p.With + ")"
	default:
		return "likely " + text
	}
}

// maskHint is how a table is granted without what its columns likely hold of people; empty:
// nothing.
func maskHint(table string, columns []profile.Column) string {
	command := []string{"da", "admin", "grant", "--group", "GROUP", "--table", table}
	for _, c := range columns {
		if c.Likely != nil {
			command = append(command, "--mask", c.Name+"="+people[c.Likely.Kind][1])
		}
	}
	if len(command) == 7 || table == "" {
		return ""
	}
	return "grant it without what it likely holds of people: " + shellwords.Join(command)
}
