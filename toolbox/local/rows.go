package local

import (
	"context"

	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/toolbox/fit"
	"github.com/agnes-data/da/toolbox/tool"
)

type tableReadRowsIn struct {
	tool.FileIn
	tool.TimeIn
	RowStart  int64    `json:"row_start" jsonschema:"first row, from 1, the header not counted"`
	RowCount  int64    `json:"row_count" jsonschema:"at most 10000"`
	Columns   []string `json:"columns,omitempty" jsonschema:"all if omitted"`
	MaxTokens int      `json:"max_tokens,omitempty" jsonschema:"size of the answer; default 4000"`
}

// fileRows renames table.Rows for embedding, because the type's own name would
// hide its field.
type fileRows = table.Rows

type tableReadRowsOut struct {
	fileRows
	fit.Part
}

// mostWindowRows limits how many rows are read for one answer; more would not fit
// anyway.
const mostWindowRows = 10_000

func tableReadRows() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "table_read_rows", Title: "Read rows of a local file", Needs: tool.NeedsFiles, Engine: true, ReadOnly: true,
		About: "Rows of a local file by their position. To find rows by what is in them, use table_query.",
	}, func(ctx context.Context, c *tool.Call, in tableReadRowsIn) (*tableReadRowsOut, error) {
		src, limit, w, err := windowOf(in.FileIn, in.TimeIn, in.MaxTokens)
		if err != nil {
			return nil, err
		}
		r, err := c.Files.Rows(ctx, table.RowsRequest{Source: src, RowStart: in.RowStart, RowCount: min(in.RowCount, mostWindowRows),
			Columns: in.Columns, Timeout: limit, Take: takeWorded(c, w)})
		if err != nil {
			return nil, err
		}
		out := &tableReadRowsOut{fileRows: *r}
		if out.Part, err = show(w, &out.Columns, &out.ColumnTypes, &out.Rows, &out.RowCount); err != nil {
			return nil, err
		}
		out.Caveats = c.Worded(r.Caveats)
		out.HasMore = in.RowStart-1+out.RowCount < out.TotalRows
		return out, nil
	})
}
