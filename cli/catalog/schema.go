package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/snapshots"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/printable"
)

// NewSchemaCmd returns 'da schema'.
func NewSchemaCmd(a *app.App) *cobra.Command {
	var before, asOf string
	var exitCode bool
	cmd := &cobra.Command{
		Use:   "schema <table>",
		Short: "Show a table's columns and types",
		Long: `Schema shows the columns and types of a table. With --diff SNAPSHOT it shows how
they differ from those that the snapshot was fetched with, and reads no row:
columns that are gone, have another type, or are new. Of a snapshot made with
--select, columns that it does not have are not new.`,
		Example: "  da schema flights\n  da schema flights --json\n  da schema flights --diff late --exit-code",
		Args:    usage.Exactly("table"),

		ValidArgsFunction: complete.Table(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			if exitCode && before == "" {
				return &api.Error{Code: api.CodeUsage, Message: "--exit-code is of a comparison, and none is asked for",
					Hint: "Name a snapshot to compare with: --diff SNAPSHOT."}
			}
			return runSchema(cmd.Context(), a, args[0], asOf, before, exitCode)
		},
	}
	cmd.Flags().StringVar(&before, "diff", "", "show what differs from the columns of this `snapshot`")
	usage.ExitCode(cmd.Flags(), &exitCode)
	usage.AsOf(cmd.Flags(), &asOf)
	complete.Offer(cmd, "diff", complete.Snapshot(a, 1))
	return cmd
}

// showSchemaDiff compares the columns of a table with those of a snapshot.
func showSchemaDiff(ctx context.Context, a *app.App, schema *api.TableSchema, before string, exitCode bool) error {
	work, format, err := a.Work()
	if err != nil {
		return err
	}
	d, err := keep.DiffSchema(ctx, work, schema, before)
	if err != nil {
		return err
	}
	if exitCode && len(d.Columns) > 0 {
		a.ExitCode = exit.Differs
	}
	if format == output.Table {
		text := snapshots.ColumnsText(d.Columns)
		if text == "" {
			a.Note(fmt.Sprintf("the columns of %s are those of '%s'", d.TableID, d.Snapshot))
		}
		_, err := io.WriteString(a.IO.Out, printable.Text(text))
		return err
	}
	list := output.List{Columns: []string{"column", "before", "after"}}
	for _, c := range d.Columns {
		list.Rows = append(list.Rows, []any{c.Name, c.Before, c.After})
	}
	return a.ShowItems(format, d, list, d.Columns)
}

func runSchema(ctx context.Context, a *app.App, tableID, asOf, before string, exitCode bool) error {
	tableID, err := usage.TableAt(tableID, asOf)
	if err != nil {
		return err
	}
	catalog, err := a.Catalog()
	if err != nil {
		return err
	}
	schema, err := catalog.Schema(ctx, tableID)
	if err != nil {
		return snapshotInstead(a, tableID, err)
	}
	if before != "" {
		return showSchemaDiff(ctx, a, schema, before, exitCode)
	}
	if err := a.ShowItems(a.OutputFormat(), schema, columnList(schema), schema.Columns); err != nil {
		return err
	}
	a.NoteDescription(schema)
	a.NoteRowRule(schema.RowRule)
	a.Tell(schema.Caveats...)
	a.Note(app.SchemaNote(schema, a.Now()))
	a.NoteDialect(schema)
	return nil
}

// snapshotInstead adds to the error about an unknown table that a snapshot has
// this name.
func snapshotInstead(a *app.App, name string, err error) error {
	var unknown *api.Error
	if !api.CodeUnknownTable.Is(err) && !api.CodeForbidden.Is(err) || !errors.As(err, &unknown) {
		return err
	}
	store, failed := a.OpenStore()
	if failed != nil {
		return err
	}
	if _, failed := store.Get(name); failed != nil {
		return err
	}
	lead := *unknown
	lead.Hint = fmt.Sprintf("'%s' is a snapshot on this machine.", name)
	lead.Next = []api.Step{api.Do(api.ActionSnapshot, "see its columns", "name", name),
		api.Do(api.ActionQuery, "see its rows", "sql", "SELECT * FROM "+name+" LIMIT 5")}
	return &lead
}

// aboutColumn is a column's description, with how its values are masked for the caller.
func aboutColumn(c api.Column) string {
	if c.Masked == "" {
		return c.Description
	}
	return strings.TrimSuffix("masked ("+c.Masked+"): "+c.Description, ": ")
}

func columnList(schema *api.TableSchema) output.List {
	list := output.List{Columns: []string{"column", "type", "nullable", "description"}}
	for _, c := range schema.Columns {
		nullable := "yes"
		if !c.Nullable {
			nullable = "no"
		}
		list.Rows = append(list.Rows, []any{c.Name, c.Type, nullable, aboutColumn(c)})
	}
	return list
}
