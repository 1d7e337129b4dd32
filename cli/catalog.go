package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
)

func newCatalogCmd(a *app) *cobra.Command {
	var refresh bool
	cmd := &cobra.Command{
		Use:   "catalog",
		Short: "List the tables that you may read",
		Long: `Catalog lists the tables that you may read.

What a server said is kept for 5 minutes (columns and samples for an hour) and
answers again without asking; offline it answers however old it is, and says so.
--refresh forgets what is kept here.`,
		Example: "  da catalog\n  da catalog --json",
		Args:    exactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runCatalog(cmd.Context(), a, refresh)
		},
	}
	cmd.Flags().BoolVar(&refresh, "refresh", false, "ask the server anew instead of using what was cached here")
	return cmd
}

func runCatalog(ctx context.Context, a *app, refresh bool) error {
	format, err := a.outputFormat()
	if err != nil {
		return err
	}
	catalog, err := a.catalog(refresh)
	if err != nil {
		return err
	}
	tables, err := catalog.Tables(ctx)
	if err != nil {
		return err
	}
	return a.show(format, tables, catalogList(tables))
}

func catalogList(tables *api.TableList) output.List {
	list := output.List{Columns: []string{"id", "source", "mode", "size", "description"}}
	for _, t := range tables.Tables {
		list.Rows = append(list.Rows, []any{t.ID, string(t.SourceType), string(t.QueryMode), optional(t.RoughSizeHint), t.Description})
	}
	return list
}

// optional is the value behind p, or NULL.
func optional[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}
