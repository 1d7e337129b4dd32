package snapshots

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/analyst/query"
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
columns, texts that are dates, values that often stand for none, such as -1 and
N/A, and what likely is of people: e-mails, phones, cards, national numbers,
names, and texts with such. --json has histograms and rows by time, too.

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
	Hint    string       `json:"hint,omitempty" jsonschema:"how to grant the table without what it likely holds of people"`
	Caveats []api.Caveat `json:"caveats"`
	table   string       // of the catalog; empty: the rows are another file's
}

func runProfile(ctx context.Context, a *app.App, name string, columns []string, estimate bool) error {
	work, format, err := a.Work()
	if err != nil {
		return err
	}
	have, err := columnsOf(ctx, work, name)
	if err != nil {
		return err
	}
	if columns, err = chosen(have, name, columns); err != nil {
		return err
	}
	if estimate {
		return priceProfile(ctx, a, work, name, columns)
	}
	out, err := profileOf(ctx, a, work, name, columns)
	if err != nil {
		return err
	}
	p := out.Profile
	if columns, err = chosen(namesOf(p), name, columns); err != nil {
		return err
	}
	if len(columns) > 0 {
		p.Columns = slices.DeleteFunc(p.Columns, func(c profile.Column) bool { return !slices.Contains(columns, c.Name) })
		out.Caveats = api.CaveatsAbout(columns, out.Caveats)
	}
	list := output.List{Columns: []string{"column", "nulls", "different", "min", "median", "max", "commonest"}}
	remarkable := output.List{Columns: []string{"column", "remarkable"}} // beside the figures there is no room for it
	for _, c := range p.Columns {
		list.Rows = append(list.Rows, []any{c.Name, output.Figure(humanize.Grouped(c.Nulls)), output.Figure(different(c)), plainText(c.Min),
			plainText(c.Median), plainText(c.Max), commonest(c)})
		if text := remarks(c); text != "" {
			remarkable.Rows = append(remarkable.Rows, []any{c.Name, text})
		}
	}
	out.Hint = maskHint(out.table, p.Columns)
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

// profileOf looks at a snapshot, or else a synced table, or else at a table of the catalog.
func profileOf(ctx context.Context, a *app.App, work *analyst.Analyst, name string, columns []string) (*profiled, error) {
	store := work.Store
	links, err := store.Link([]string{name})
	told := func(a *analyst.Analyst, m snapshot.Meta) []api.Caveat {
		all := keep.Caveats(a, m)
		for i := range all { // there is no --fetch here
			all[i].Next = slices.DeleteFunc(all[i].Next, func(s api.Step) bool { return s.Args["option"] == api.OptionFetch })
		}
		return all
	}
	if api.CodeUnknownSnapshot.Is(err) {
		if path, m, here, err := synced.At(work.Home).Link(name, ""); here {
			p, profileErr := keep.ProfileFile(ctx, work, name, path)
			out := &profiled{Profile: p, AsOf: m.SyncedAt, Caveats: api.Arranged(query.SyncedCaveats(work, m)), table: name}
			return out, errors.Join(err, profileErr)
		}
		told = func(_ *analyst.Analyst, m snapshot.Meta) []api.Caveat { return keep.RowCaveats(m) }
		store, links, err = fetchProfiled(ctx, a, work, name, columns)
	}
	if err != nil {
		return nil, err
	}
	defer links.Close()
	p, err := keep.Profile(ctx, work, store, links)
	meta := links.Metas[0]
	out := &profiled{Profile: p, AsOf: meta.EffectiveAsOf, Caveats: api.Arranged(told(work, meta))}
	if _, file := meta.Imported(); !file {
		out.table = meta.TableID
	}
	return out, err
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
	if c.Likely != nil {
		all = append(all, likelyText(*c.Likely))
	}
	for _, v := range c.Sentinels {
		all = append(all, fmt.Sprintf("%s × %s", humanize.Grouped(v.N), string(v.Value)))
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
