package catalog

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/query"
	"github.com/agnes-data/da/cli/usage"
)

// NewWhereCmd returns 'da where'.
func NewWhereCmd(a *app.App) *cobra.Command {
	var p query.ParamFlags
	cmd := &cobra.Command{
		Use: "where <table> <predicate>",

		ValidArgsFunction: complete.Table(a),
		Short:             "Check a predicate without reading anything",
		Long: `Where checks a predicate against the columns of a table, as 'da fetch --where'
would, and prints it as the source will get it: names quoted, literals spelt
out, in a stable order. No row is read. What is refused ends with exit code 2.`,
		Example: `  da where flights "delay > 60 AND origin = 'SEA'"`,
		Args:    usage.Exactly("table", "predicate"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return exit.About(args[1], runWhere(cmd.Context(), a, p, args[0], args[1]))
		},
	}
	p.Register(cmd)
	return cmd
}

func runWhere(ctx context.Context, a *app.App, p query.ParamFlags, tableID, text string) error {
	format := a.OutputFormat()
	remote, err := a.Connect()
	if err != nil {
		return err
	}
	schema, err := remote.Schema(ctx, tableID)
	if err != nil {
		return err
	}
	values, err := p.Filler(a)
	if err != nil {
		return err
	}
	filled, err := query.FillWhere(ctx, a, values, tableID, text)
	if err != nil {
		return err
	}
	result, err := fetch.CheckWhere(ctx, remote, schema, filled.Text)
	if err != nil {
		return filled.Explain(err)
	}
	if format == output.Table {
		_, err = fmt.Fprintln(a.IO.Out, result.Where)
		return err
	}
	return a.ShowItems(format, result, output.List{
		Columns: []string{"table_id", "sql_flavor", "where"}, Rows: [][]any{{result.TableID, result.SQLFlavor, result.Where}},
	}, result)
}
