package toolbox

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agnes-data/da/api"
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

func catalogSample() tool {
	return typed(tool{
		name: "catalog_sample", title: "See some rows of a table", engine: true, readOnly: true, open: true,
		about: "A few rows of a table, to see what its values look like. It bills no scan. The rows are not a random sample: do not count or average them.",
	}, func(ctx context.Context, c *call, in tableSampleIn) (*tableSampleOut, error) {
		n := api.DefaultSampleRows
		if in.Rows != nil {
			n = *in.Rows
		}
		if n < 1 || n > api.MaxSampleRows {
			return nil, badValue(fmt.Sprintf("rows is %d", n), fmt.Sprintf("It is 1 to %d; for more, fetch a part of the table.", api.MaxSampleRows))
		}
		data, err := c.Data()
		if err != nil {
			return nil, err
		}
		if err := api.CheckName("table id", in.TableID); err != nil {
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
		w, err := fitted(s.Columns, rows, c.worded(s.Caveats), in.MaxTokens)
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
			cell, err := marshal(v)
			if err != nil {
				return nil, fmt.Errorf("column %q: %w", r.Columns[j], err)
			}
			out[i][j] = cell
		}
	}
	return out, nil
}
