package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/predicate"
)

func newWhereCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "where <table> <predicate>",

		ValidArgsFunction: a.completeTable,
		Short:             "Check a predicate without reading anything",
		Long: `Where checks a predicate against the columns of a table, as 'da fetch --where'
would, and prints it as the source will get it: names quoted, literals spelt
out, in a stable order. No row is read. What is refused ends with exit code 2.`,
		Example: `  da where flights "delay > 60 AND origin = 'SEA'"`,
		Args:    exactArgs("table", "predicate"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runWhere(cmd.Context(), a, args[0], args[1])
		},
	}
}

// whereResult is what da where --json prints.
type whereResult struct {
	TableID   string   `json:"table_id"`
	SQLFlavor string   `json:"sql_flavor"`
	Where     string   `json:"where"`
	Columns   []string `json:"columns"`
	UsesClock bool     `json:"uses_clock"` // the time of the request matters
}

func runWhere(ctx context.Context, a *app, tableID, text string) error {
	format, err := a.outputFormat()
	if err != nil {
		return err
	}
	remote, err := a.connect()
	if err != nil {
		return err
	}
	schema, err := remote.Schema(ctx, tableID)
	if err != nil {
		return err
	}
	result, err := checkWhere(schema, text)
	if err != nil {
		return err
	}
	if format == output.Table {
		_, err = fmt.Fprintln(a.IO.Out, result.Where)
		return err
	}
	return a.show(format, result, output.List{
		Columns: []string{"table_id", "sql_flavor", "where"}, Rows: [][]any{{result.TableID, result.SQLFlavor, result.Where}},
	})
}

// checkWhere parses a predicate against a table's columns and prints it in its
// stable form.
func checkWhere(schema *api.TableSchema, text string) (*whereResult, error) {
	dialect := predicate.Dialect(schema.SQLFlavor)
	typed, err := predicate.NewSchema(dialect, schema.Columns)
	if err != nil {
		return nil, err
	}
	e, err := predicate.Parse(dialect, text, typed.Named(schema.TableID))
	if err != nil {
		return nil, err
	}
	sql, err := predicate.Print(dialect, predicate.Canonical(e), predicate.Env{})
	if err != nil {
		return nil, err
	}
	return &whereResult{TableID: schema.TableID, SQLFlavor: schema.SQLFlavor, Where: sql,
		Columns: predicate.Columns(e), UsesClock: predicate.UsesClock(e)}, nil
}
