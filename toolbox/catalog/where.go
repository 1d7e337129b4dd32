package catalog

import (
	"context"

	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/tool"
)

type whereCheckIn struct {
	TableID string `json:"table_id"`
	Where   string `json:"where" jsonschema:"a predicate in the table's dialect, without the word WHERE"`
	tool.ParamsIn
}

func whereCheck() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "where_check", Title: "Check a predicate", ReadOnly: true, Open: true,
		About: "Check a predicate against a table's columns and dialect without reading a row. Costs nothing; an error says where it is wrong and what was probably meant.",
	}, func(ctx context.Context, c *tool.Call, in whereCheckIn) (*fetch.CheckedWhere, error) {
		data, err := c.Data()
		if err != nil {
			return nil, err
		}
		if err := api.CheckTable(in.TableID); err != nil {
			return nil, err
		}
		schema, err := data.Schema(ctx, in.TableID)
		if err != nil {
			return nil, err
		}
		filled, err := in.FillWhere(ctx, c, in.TableID, in.Where)
		if err != nil {
			return nil, err
		}
		checked, err := fetch.CheckWhere(ctx, data, schema, filled.Text)
		return checked, filled.Explain(err)
	})
}
