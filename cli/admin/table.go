package admin

import (
	"context"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/spf13/cobra"
)

func newTableCmd(a *app.App) *cobra.Command {
	var t api.RegisteredTable
	var mode string
	register := command(a, "register", "Add a table to those of the instance file",
		"da admin table register past --source files --relation 'flights/**/*.parquet' --description 'Flights of 2001'\nda admin table register prices --source files --relation orders.csv --mode local --public", []string{"id"}, func(ctx context.Context, r api.Administration, args []string) error {
			if t.Source == "" || t.Relation == "" {
				return usage.Error("da admin table register needs --source and --relation")
			}
			t.ID, t.QueryMode = args[0], api.QueryMode(mode)
			made, err := r.RegisterTable(ctx, t)
			if err != nil {
				return err
			}
			return report(a, made, registeredList([]api.RegisteredTable{*made}), made)
		})
	f := register.Flags()
	f.StringVar(&t.Source, "source", "", "`name` of a source of the instance file")
	f.StringVar(&t.Relation, "relation", "", "its `name` there: a path with forward slashes, or schema.table")
	f.StringVar(&mode, "mode", "remote", "remote or local")
	f.StringVar(&t.Description, "description", "", "a `text` for the catalog")
	f.BoolVar(&t.Public, "public", false, "everybody with a token may read all of it")
	return group("table", "Tables beside those of the instance file", register,
		command(a, "list", "List the registered tables", "da admin table list", nil,
			func(ctx context.Context, r api.Administration, _ []string) error {
				tables, err := r.RegisteredTables(ctx)
				if err != nil {
					return err
				}
				return report(a, tables, registeredList(tables), tables)
			}),
		command(a, "refresh", "Rebuild the file that clients sync, if the source has changed", "da admin table refresh airports", []string{"id"},
			func(ctx context.Context, r api.Administration, args []string) error {
				made, err := r.RefreshTable(ctx, args[0])
				if err != nil {
					return err
				}
				a.TellOfFile(made.SyncTable)
				return report(a, made, output.List{Columns: []string{"id", "changed", "rows", "bytes", "made"},
					Rows: [][]any{{made.TableID, made.Changed, made.Rows, made.Bytes, made.MadeAt.Format(time.RFC3339)}}}, made)
			}),
		command(a, "unregister", "Remove a registered table and the grants on it", "da admin table unregister prices", []string{"id"},
			func(ctx context.Context, r api.Administration, args []string) error {
				return done(a, r.UnregisterTable(ctx, args[0]), "table '"+args[0]+"' is not registered any more")
			}),
	)
}

func registeredList(tables []api.RegisteredTable) output.List {
	list := output.List{Columns: []string{"id", "source", "relation", "mode", "public", "by", "description"}}
	for _, t := range tables {
		list.Rows = append(list.Rows, []any{t.ID, t.Source, t.Relation, string(t.QueryMode), t.Public, t.CreatedBy,
			strings.TrimSpace(t.Description)})
	}
	return list
}
