package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
)

func newSchemaCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "schema <table>",
		Short:   "Show a table's columns and types",
		Example: "  da schema flights\n  da schema flights --json",
		Args:    usage.Exactly("table"),

		ValidArgsFunction: completeTable(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSchema(cmd.Context(), a, args[0])
		},
	}
}

func runSchema(ctx context.Context, a *app.App, tableID string) error {
	format, err := a.OutputFormat()
	if err != nil {
		return err
	}
	if err := api.CheckName("table id", tableID); err != nil {
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
	if err := a.ShowItems(format, schema, columnList(schema), schema.Columns); err != nil {
		return err
	}
	a.NoteDescription(schema)
	a.NoteRowRule(schema.RowRule)
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

func columnList(schema *api.TableSchema) output.List {
	list := output.List{Columns: []string{"column", "type", "nullable", "description"}}
	for _, c := range schema.Columns {
		nullable := "yes"
		if !c.Nullable {
			nullable = "no"
		}
		list.Rows = append(list.Rows, []any{c.Name, c.Type, nullable, c.Description})
	}
	return list
}
