package catalog

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/tool"
)

type tableSampleIn struct {
	TableID   string `json:"table_id"`
	Rows      *int   `json:"rows,omitempty" jsonschema:"1 to 100; default 5"`
	MaxTokens int    `json:"max_tokens,omitempty" jsonschema:"size of the answer; default 4000"`
}

type tableSampleOut struct {
	TableID string       `json:"table_id"`
	RowRule bool         `json:"row_rule,omitempty" jsonschema:"a rule limits which rows you may read"`
	Caveats []api.Caveat `json:"caveats"`
	window
}

func catalogSample() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "catalog_sample", Title: "See some rows of a table", Engine: true, ReadOnly: true, Open: true,
		About: "A few rows of a table, to see what its values look like. It bills no scan. The rows are not a random sample: do not count or average them.",
	}, func(ctx context.Context, c *tool.Call, in tableSampleIn) (*tableSampleOut, error) {
		n := api.DefaultSampleRows
		if in.Rows != nil {
			n = *in.Rows
		}
		if n < 1 || n > api.MaxSampleRows {
			return nil, tool.BadValue(fmt.Sprintf("rows is %d", n),
				fmt.Sprintf("It is 1 to %d; for more, fetch a part of the table.", api.MaxSampleRows))
		}
		data, err := c.Data()
		if err != nil {
			return nil, err
		}
		if err := api.CheckTable(in.TableID); err != nil {
			return nil, err
		}
		s, err := data.Sample(ctx, in.TableID, n)
		if err != nil {
			return nil, err
		}
		rows, err := rawRows(s.Rows)
		if err != nil {
			return nil, err
		}
		w, err := fitted(s.Columns, rows, c.Worded(s.Caveats), in.MaxTokens)
		if err != nil {
			return nil, err
		}
		return &tableSampleOut{TableID: s.TableID, RowRule: s.RowRule, Caveats: s.Caveats, window: w}, nil
	})
}

// rawRows writes the cells of rows as JSON.
func rawRows(rows []api.Row) ([][]json.RawMessage, error) {
	out := make([][]json.RawMessage, len(rows))
	for i, r := range rows {
		out[i] = make([]json.RawMessage, len(r.Values))
		for j, v := range r.Values {
			cell, err := tool.Marshal(v)
			if err != nil {
				return nil, fmt.Errorf("column %q: %w", r.Columns[j], err)
			}
			out[i][j] = cell
		}
	}
	return out, nil
}
