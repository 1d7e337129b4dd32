package catalog

import (
	"context"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cache"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
)

// NewCatalogCmd returns 'da catalog'.
func NewCatalogCmd(a *app.App) *cobra.Command {
	var refresh bool
	var search string
	var limit int
	cmd := &cobra.Command{
		Use:   "catalog",
		Short: "List the tables that you may read",
		Long: `Catalog lists the tables that you may read.

What a server said is kept for 5 minutes (columns and samples for an hour) and
answers again without asking; offline it answers however old it is, and says so.
--refresh asks anew, and forgets what is kept here once the server has answered.

--search finds the tables in which every word occurs, or a form or abbreviation
of it, in id, name, description, columns, values that a type lists, joins or
metrics, the best first. If no table has all words, it shows those that have
some, and says so; a word that is nowhere is taken for one like it.`,
		Example: "  da catalog\n  da catalog --json\n  da catalog --search 'delay airport'",
		Args:    usage.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("search") {
				return runSearch(cmd.Context(), a, search, limit)
			}
			if cmd.Flags().Changed("limit") {
				return usage.Error("--limit goes with --search")
			}
			return runCatalog(cmd.Context(), a, refresh)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&refresh, "refresh", false, "ask the server anew instead of using what was cached here")
	f.StringVar(&search, "search", "", "find tables and columns by these `words`")
	f.IntVar(&limit, "limit", api.DefaultSearchHits, "with --search, at most this many `tables`")
	return cmd
}

func runCatalog(ctx context.Context, a *app.App, refresh bool) error {
	catalog, err := a.Catalog()
	if err != nil {
		return err
	}
	tables, err := listing(ctx, catalog, refresh)
	if err != nil {
		return err
	}
	defer tables.Close()
	if err := showCatalog(a, tables); err != nil {
		return err
	}
	a.NoteRowRule(tables.RowRule)
	if at := tables.Oldest; at != nil {
		a.Note("figures from databases were read " + humanize.Age(a.Now().Sub(*at)))
	}
	return nil
}

func listing(ctx context.Context, catalog api.Catalog, refresh bool) (*cache.Listing, error) {
	kept, ok := catalog.(*cache.Catalog)
	switch {
	case ok && refresh:
		return kept.Refresh(ctx)
	case ok:
		return kept.Listing(ctx)
	}
	tables, err := catalog.Tables(ctx)
	if err != nil {
		return nil, err
	}
	return cache.NewListing(tables), nil
}

// showCatalog prints the tables one by one.
func showCatalog(a *app.App, tables *cache.Listing) error {
	here := strings.HasPrefix(a.Remote.Name, analyst.EmbeddedPrefix)
	all := func(yield func(*api.Table, error) bool) {
		for t, err := range tables.All() {
			if err == nil && here {
				t.FetchVia = fetchedHere(t)
			}
			if !yield(t, err) {
				return
			}
		}
	}
	switch format := a.OutputFormat(); {
	case format == output.JSON:
		return app.PrintJSONList(a, "tables", tables.Count, all, "server_time", tables.ServerTime)
	case app.ForPeople(format):
		return a.Show(format, nil, output.List{
			Columns: []string{"id", "source", "mode", "size", "description"},
			Each: mapped(all, func(t *api.Table) []any {
				return []any{t.ID, string(t.SourceType), string(t.QueryMode), sizeOf(t), t.Description}
			}),
		})
	default:
		return a.Show(format, nil, app.RecordsOf(mapped(all, func(t *api.Table) catalogRecord { return catalogRecord{Table: *t} })))
	}
}

// mapped passes on what f makes of each table.
func mapped[T any](tables iter.Seq2[*api.Table, error], f func(*api.Table) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for t, err := range tables {
			var v T
			if err == nil {
				v = f(t)
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

// sizeOf returns the size of a table for people. With a row rule, sizes are
// hidden.
func sizeOf(t *api.Table) any {
	if t.RowRule && t.RoughSizeHint == nil {
		return "row rule"
	}
	return output.Optional(t.RoughSizeHint)
}

// fetchedHere says how to get a table of an instance in this process. There is no
// server to sync with, so local tables are fetched, too.
func fetchedHere(t *api.Table) string {
	if t.QueryMode != api.ModeLocal {
		return t.FetchVia
	}
	return "da fetch " + t.ID + ", then query it with da query"
}

// catalogRecord describes a table to programs: its sizes are numbers only.
type catalogRecord struct {
	api.Table
	RoughSizeHint struct{} `json:"-"`
}
