package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
)

func newWhereCmd(a *app.App) *cobra.Command {
	var p paramFlags
	cmd := &cobra.Command{
		Use: "where <table> <predicate>",

		ValidArgsFunction: completeTable(a),
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
	p.register(cmd)
	return cmd
}

func runWhere(ctx context.Context, a *app.App, p paramFlags, tableID, text string) error {
	format, err := a.OutputFormat()
	if err != nil {
		return err
	}
	remote, err := a.Connect()
	if err != nil {
		return err
	}
	schema, err := remote.Schema(ctx, tableID)
	if err != nil {
		return err
	}
	values, err := p.filler(a)
	if err != nil {
		return err
	}
	filled, err := fillWhere(ctx, a, values, tableID, text)
	if err != nil {
		return err
	}
	result, err := analyst.CheckWhere(schema, filled.Text)
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
